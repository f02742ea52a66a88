import type { EpochMs } from "../../k8s/time";
import { asHpaKey } from "../hpa-key";
import { holdsKey } from "./sightings";
import type { Confirmed, Shard, ShardRange } from "./state";

/** What the last finished sync confirmed; undefined if somebody has written the shard since who does not say. */
export function confirmedIn({ version, confirmed }: Shard): Confirmed | undefined {
  return confirmed?.version === version ? confirmed : undefined;
}

type Versions = Readonly<Record<string, { readonly version: number }>>;

/** A sum, so that the order does not matter: of each key and version in the range, a hash of 32 bits (FNV-1a). */
export function sumOfStates(states: Versions, range: ShardRange): number {
  let sum = 0;
  for (const [key, { version }] of Object.entries(states))
    if (holdsKey(range, asHpaKey(key))) sum += hash(key, version);
  return sum >>> 0;
}

function hash(key: string, version: number): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) value = mix(value, key.charCodeAt(at));
  return mix(mix(value, version >>> 0), Math.floor(version / 2 ** 32));
}

function mix(value: number, part: number): number {
  return Math.imul(value ^ part, 0x01000193) >>> 0;
}

/**
 * The last finished sync did not know one of these states: a run of its slot or of an earlier one wrote it late. So the
 * heartbeat says nothing about that state, and nobody knows which one it is.
 *
 *     12:00:00   a run is about to close 10, and pauses
 *     12:00:15   slots see 10, which is open, and finish
 *     12:00:50   the paused run's write lands: 10 is closed, last seen 12:00:00
 *
 * After a wake, the versions differ anyway: then this is false.
 */
export function hasStrayState(shard: Shard, states: Versions): boolean {
  const confirmed = confirmedIn(shard);
  if (confirmed === undefined || confirmed.changed > shard.slot) return false;
  return sumOfStates(states, shard) !== confirmed.states;
}

export interface Outcome {
  readonly slot: EpochMs;
  /** When the next slot begins. */
  readonly until: EpochMs;
  /** As the table has them after the sync, as far as it knows. */
  readonly states: Versions;
  /** The sync wrote states, or one that did not finish may have. */
  readonly hasWritten: boolean;
  /** Each of its writes was answered. */
  readonly isSure: boolean;
}

/** What a sync that finishes a slot confirms. `current` is the shard that its write replaces. */
export function confirming(current: Shard, { slot, until, states, hasWritten, isSure }: Outcome): Confirmed {
  const known = confirmedIn(current)?.changed ?? unsettledUntil(until);
  return {
    version: current.version + 1,
    changed: Math.max(known, hasWritten ? slot : 0, isSure ? 0 : unsettledUntil(until)),
    states: sumOfStates(states, current),
  };
}

/** A write that is under way when a turn ends lands while the next slot loads: what that slot loads is not kept. */
export function unsettledUntil(end: EpochMs): EpochMs {
  return end + 1;
}
