import type { HpaKey } from "../hpa-key";
import type { EpochMs } from "../../k8s/time";
import type { Shard, ShardRange } from "./shard";
import type { State } from "./state";
import { fnv1a } from "../fnv1a";

export function holdsKey({ from, to }: ShardRange, key: HpaKey): boolean {
  return key >= from && (to === null || key < to);
}

/** A key may equal a property that every object inherits (`constructor`). */
export function laggingSince({ behind }: Pick<Shard, "behind">, key: HpaKey): EpochMs | undefined {
  return Object.hasOwn(behind, key) ? behind[key] : undefined;
}

export type ShardObservations = Pick<Shard, "slot" | "heartbeat" | "behind" | "ownPeriods">;

/** `periodClass` undefined: due in every slot. */
export interface ObservedHpa {
  readonly key: HpaKey;
  readonly periodClass: PeriodClass | undefined;
}

export function lastObservedAt(shard: Omit<ShardObservations, "slot">, { key, periodClass }: ObservedHpa): EpochMs {
  return laggingSince(shard, key) ?? classLastObservedAt(shard, periodClass);
}

/** Without a record of its class, the heartbeat: an HPA that joined since has a newer observation in its state. */
export function classLastObservedAt(
  { heartbeat, ownPeriods }: Pick<Shard, "heartbeat" | "ownPeriods">,
  periodClass: PeriodClass | undefined,
): EpochMs {
  if (periodClass === undefined || ownPeriods?.heartbeat !== heartbeat) return heartbeat;
  return Object.hasOwn(ownPeriods.seen, periodClass) ? (ownPeriods.seen[periodClass] ?? heartbeat) : heartbeat;
}

interface ClosedSpan extends ObservedHpa {
  readonly shard: ShardObservations | undefined;
  readonly lastObserved: EpochMs;
  readonly periodMs: number;
  readonly isUnconfirmed?: boolean;
}

/**
 * Until when another run of the same slot may have observed the span that this state closed:
 *
 *     12:00:00.2   slot 12:00:00 sees 10, and 10 is open
 *     12:00:15.2   a run of slot 12:00:15 reads nothing. It closes 10, last seen 12:00:00.2, and writes the state
 *     12:00:15.3   another one sees 10, has nothing to write, and finishes the slot: 10 was last seen 12:00:15.3
 *
 * @returns undefined: the state's writer has also finished its slot, or the state closed nothing.
 */
export function closedSpanObserved(
  state: State,
  { key, periodClass, shard, lastObserved, periodMs, isUnconfirmed = false }: ClosedSpan,
): EpochMs | undefined {
  const { closedAt, decision, slot } = state;
  if (closedAt === undefined || closedAt !== decision?.at) return undefined;
  const end = slot + periodMs;
  if (shard === undefined || shard.slot < slot) return Math.min(lastObserved, end);
  const known = lastObservedAt(shard, { key, periodClass });
  const isOfShard = laggingSince(shard, key) === undefined && periodClass === undefined;
  const isOfItsSlot = isOfShard ? shard.slot === slot : known >= slot && known < end;
  if (isOfItsSlot) return known === closedAt ? undefined : Math.min(known, end);
  return isUnconfirmed ? lastObserved : undefined;
}

interface SpanObservations {
  readonly lastObserved: EpochMs;
  readonly closedSpanObserved?: EpochMs | undefined;
}

export function withLastObserved(state: State, { lastObserved, closedSpanObserved }: SpanObservations): State {
  const { history, open, closedAt = 0 } = state;
  const spans = history?.recommendations ?? [];
  const closed = closedSpanObserved === undefined ? -1 : spans.findLastIndex(({ since }) => since < closedAt);
  const lastObservedAt = spans.map(({ at }, index) =>
    Math.max(
      at,
      index === closed ? (closedSpanObserved ?? 0) : 0,
      open && index === spans.length - 1 ? lastObserved : 0,
    ),
  );
  if (history === null || spans.every(({ at }, index) => at === lastObservedAt[index])) return state;
  const recommendations = spans.map((span, index) => ({ ...span, at: lastObservedAt[index] ?? span.at }));
  return { ...state, history: { ...history, recommendations } };
}

/**
 * A class is a longer period than the cluster's and one of its phases, which spread HPAs over the slots: "120/1" is the
 * second phase of 2 minutes.
 *
 *     period 2 min, slots every 15 s      phase 0   |-------+-------+-------+-------|-------
 *                                         phase 1   ·-|-------+-------+-------+-------|-----
 *
 * A class is due as a whole, so a shard remembers one moment for it (last-observed.ts).
 */
export type PeriodClass = `${number}/${number}`;

/** Phases of the period, not of the slots: a class outlives a change of the cluster's period. */
const phases = 8;

/** @returns undefined: due in every slot */
export function periodClass(
  key: HpaKey,
  seconds: number | undefined,
  clusterPeriodMs: number,
): PeriodClass | undefined {
  if (seconds === undefined || seconds * 1_000 <= clusterPeriodMs) return undefined;
  return `${seconds}/${phaseOf(key)}`;
}

/** True if a moment of the class is in (after, until]. */
export function isClassDue(
  name: PeriodClass,
  { after, until }: { readonly after: EpochMs; readonly until: EpochMs },
): boolean {
  const [seconds = 0, phase = 0] = name.split("/").map(Number);
  const count = (at: EpochMs) => Math.floor((at - (seconds * 1_000 * phase) / phases) / (seconds * 1_000));
  return count(until) > count(after);
}

export function phaseOf(key: HpaKey): number {
  const hash = fnv1a(key);
  return ((hash ^ (hash >>> 15)) >>> 0) % phases;
}
