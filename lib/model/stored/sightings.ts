import type { HpaKey } from "../hpa-key";
import type { EpochMs } from "../../k8s/time";
import type { PeriodClass } from "./own-period";
import type { Shard, ShardRange, State } from "./state";

/**
 * When an HPA was last seen: with its shard's heartbeat, unless the last slots did not reach it, or it is not due in
 * every slot.
 */

export function holdsKey({ from, to }: ShardRange, key: HpaKey): boolean {
  return key >= from && (to === null || key < to);
}

/** Users name the keys: a key may equal a property that every object inherits (`constructor`). */
export function behindSince({ behind }: Pick<Shard, "behind">, key: HpaKey): EpochMs | undefined {
  return Object.hasOwn(behind, key) ? behind[key] : undefined;
}

/** What a shard says of when its HPAs were seen. */
export type ShardSeen = Pick<Shard, "slot" | "heartbeat" | "behind" | "ownPeriods">;

/** An HPA, and its class if it is not due in every slot. */
export interface SeenHpa {
  readonly key: HpaKey;
  readonly periodClass: PeriodClass | undefined;
}

/** When the shard last saw an HPA's open run. */
export function seenAt(shard: Omit<ShardSeen, "slot">, { key, periodClass }: SeenHpa): EpochMs {
  return behindSince(shard, key) ?? classSeenAt(shard, periodClass);
}

/**
 * Without a record of its class, the heartbeat: an HPA that has joined since was seen later, and its state says so.
 */
export function classSeenAt(
  { heartbeat, ownPeriods }: Pick<Shard, "heartbeat" | "ownPeriods">,
  periodClass: PeriodClass | undefined,
): EpochMs {
  if (periodClass === undefined || ownPeriods?.heartbeat !== heartbeat) return heartbeat;
  return Object.hasOwn(ownPeriods.seen, periodClass) ? (ownPeriods.seen[periodClass] ?? heartbeat) : heartbeat;
}

interface Known extends SeenHpa {
  /** Undefined: the tick has not created one yet. */
  readonly shard: ShardSeen | undefined;
  /** When the state's open run was last seen. */
  readonly lastSeen: EpochMs;
  readonly periodMs: number;
  /** The heartbeats since then may be about the state before: confirmed.ts */
  readonly isStray?: boolean;
}

/**
 * Until when the run that this state closed may have been seen by another run of the same slot:
 *
 *     12:00:00.2   slot 12:00:00 sees 10, and 10 is open
 *     12:00:15.2   a run of slot 12:00:15 reads nothing. It closes 10, last seen 12:00:00.2, and writes the state
 *     12:00:15.3   another one sees 10, has nothing to write, and finishes the slot: 10 was last seen 12:00:15.3
 *
 * @returns undefined: the run that wrote the state has also finished its slot, or the state closed nothing.
 */
export function closedSeen(
  state: State,
  { key, periodClass, shard, lastSeen, periodMs, isStray = false }: Known,
): EpochMs | undefined {
  const { closedAt, decision, slot } = state;
  if (closedAt === undefined || closedAt !== decision?.at) return undefined;
  const end = slot + periodMs;
  if (shard === undefined || shard.slot < slot) return Math.min(lastSeen, end);
  const known = seenAt(shard, { key, periodClass });
  const isOfShard = behindSince(shard, key) === undefined && periodClass === undefined;
  const isOfItsSlot = isOfShard ? shard.slot === slot : known >= slot && known < end;
  if (isOfItsSlot) return known === closedAt ? undefined : Math.min(known, end);
  return isStray ? lastSeen : undefined;
}

/** When the runs of a state were last seen, as far as the shard knows. */
interface Seen {
  readonly lastSeen: EpochMs;
  readonly closedSeen?: EpochMs | undefined;
}

/** The state with its open run up to date, and with the run that it closed. */
export function recall(state: State, { lastSeen, closedSeen }: Seen): State {
  const { history, open, closedAt = 0 } = state;
  const runs = history?.recommendations ?? [];
  const closed = closedSeen === undefined ? -1 : runs.findLastIndex(({ since }) => since < closedAt);
  const seenAt = runs.map(({ at }, index) =>
    Math.max(at, index === closed ? (closedSeen ?? 0) : 0, open && index === runs.length - 1 ? lastSeen : 0),
  );
  if (history === null || runs.every(({ at }, index) => at === seenAt[index])) return state;
  const recommendations = runs.map((run, index) => ({ ...run, at: seenAt[index] ?? run.at }));
  return { ...state, history: { ...history, recommendations } };
}
