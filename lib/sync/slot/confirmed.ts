import type { EpochMs } from "../../k8s/time";
import { fnv1a, mixed } from "../../model/fnv1a";
import { asHpaKey, type HpaKey } from "../../model/hpa-key";
import { holdsKey } from "../../model/stored/last-observed";
import type { Confirmed, Shard, ShardRange, Unsettled } from "../../model/stored/shard";

/** Undefined: the last writer does not know the field. */
export function confirmedIn({ version, confirmed }: Shard): Confirmed | undefined {
  return confirmed?.version === version ? confirmed : undefined;
}

type Versions = Readonly<Record<string, { readonly version: number }>>;

/** A sum of 32-bit hashes (FNV-1a): the order does not matter. */
export function sumOfStates(
  states: Versions,
  range: ShardRange,
  isLeftOut: (key: HpaKey) => boolean = () => false,
): number {
  let sum = 0;
  for (const [text, { version }] of Object.entries(states)) {
    const key = asHpaKey(text);
    if (holdsKey(range, key) && !isLeftOut(key)) sum += hash(key, version);
  }
  return sum >>> 0;
}

function hash(key: string, version: number): number {
  return mixed(mixed(fnv1a(key), version >>> 0), Math.floor(version / 2 ** 32));
}

/** Beyond this, any state may have changed. */
export const mostNamed = 16;

/**
 * The heartbeat may be wrong about these states, since a run wrote one of them late:
 *
 *     12:00:00   a run is about to close 10, and pauses
 *     12:00:15   slots see 10, which is open, and finish
 *     12:00:50   the paused run's write is applied: 10 is closed, last seen 12:00:00
 */
export function unconfirmedStates(shard: Shard, states: Versions): (key: HpaKey) => boolean {
  const confirmed = confirmedIn(shard);
  if (confirmed === undefined) return () => true;
  const isLeftOut = unsettledIn(confirmed.unsettled);
  return sumOfStates(states, shard, isLeftOut) === confirmed.states ? isLeftOut : () => true;
}

export function unsettledIn(unsettled: Confirmed["unsettled"] = []): (key: HpaKey) => boolean {
  if (unsettled.some(({ keys }) => keys === undefined)) return () => true;
  const named = new Set(unsettled.flatMap(({ keys = [] }) => keys));
  return named.size === 0 ? () => false : (key) => named.has(fnv1a(key));
}

export interface SyncOutcome {
  readonly slot: EpochMs;
  readonly until: EpochMs;
  readonly states: Versions;
  /** Also true if an unfinished sync may have written. */
  readonly hasWritten: boolean;
  /** Each write was answered. */
  readonly isSure: boolean;
  /** States that were written with unknown result. */
  readonly unsure: readonly HpaKey[];
}

/** `current`: the shard that this write replaces. */
export function nextConfirmed(
  current: Shard,
  { slot, until, states, hasWritten, isSure, unsure }: SyncOutcome,
): Confirmed {
  const known = confirmedIn(current);
  const end = unsettledUntil(until);
  const left = (known?.unsettled ?? []).filter((one) => one.until > slot);
  const unsettled = unsure.length === 0 ? left : named(left, end, unsure);
  return {
    version: current.version + 1,
    changed: Math.max(known?.changed ?? end, hasWritten ? slot : 0, isSure ? 0 : end),
    states: sumOfStates(states, current, unsettledIn(unsettled)),
    ...(unsettled.length > 0 && { unsettled }),
  };
}

export interface ChangeBesideSlots {
  readonly until: EpochMs;
  /** `states`: as they were found. */
  readonly keys: readonly HpaKey[];
  readonly states: Versions;
}

/**
 * @param isNamed false: covers all other states too
 * @returns undefined: covered already, or nobody may cache
 */
export function unsettling(
  shard: Shard,
  { until, keys, states }: ChangeBesideSlots,
  isNamed = true,
): Confirmed | undefined {
  const known = confirmedIn(shard);
  if (known === undefined) return undefined;
  const end = unsettledUntil(until);
  const { unsettled: before = [] } = known;
  const isKnown = unsettledIn(before.filter((one) => one.until >= end));
  const added = keys.filter((key) => holdsKey(shard, key) && !isKnown(key));
  if (known.changed >= end && added.length === 0) return undefined;
  const unsettled = added.length === 0 ? before : named(before, end, isNamed ? added : undefined);
  const [wasLeftOut, isLeftOut] = [unsettledIn(before), unsettledIn(unsettled)];
  const left = sumOfStates(states, shard, (key) => wasLeftOut(key) || !isLeftOut(key));
  return {
    version: shard.version + 1,
    changed: Math.max(known.changed, end),
    states: (known.states - left) >>> 0,
    ...(unsettled.length > 0 && { unsettled }),
  };
}

/** @param keys undefined: any state. */
function named(
  before: readonly Unsettled[],
  until: EpochMs,
  keys: readonly HpaKey[] | undefined,
): readonly Unsettled[] {
  const same = before.find((one) => one.until === until) ?? { until, keys: [] };
  const others = before.filter((one) => one.until !== until);
  const all = same.keys && keys && [...new Set([...same.keys, ...keys.map(fnv1a)])];
  return [...others, all === undefined || all.length > mostNamed ? { until } : { until, keys: all }];
}

/** A write under way may be applied while the next slot loads. */
export function unsettledUntil(end: EpochMs): EpochMs {
  return end + 1;
}
