import type { HpaEvent } from "../situation";
import type { EpochMs } from "../../k8s/time";

/** Identical events are one, with a count. The source is always "horizontal-pod-autoscaler". */
export interface RecordedEvent extends HpaEvent {
  /** "<HPA's name>.<hex nanoseconds of the first occurrence>", as upstream names Event objects. */
  readonly name: string;
  readonly count: number;
  readonly firstTimestamp: EpochMs;
  readonly lastTimestamp: EpochMs;
}

/** The correlator's memory of one HPA. In lists, the most recently used is last. */
export interface EventLog {
  readonly entries: readonly EventEntry[];
  readonly groups: readonly EventGroup[];
  /** Absent: full. */
  readonly buckets: Readonly<Partial<Record<HpaEvent["type"], TokenBucket>>>;
}

/** Events with the same type, reason and message; if `combined`, with the same type and reason. */
export interface EventEntry extends HpaEvent {
  readonly name: string;
  readonly combined?: true;
  readonly firstTimestamp: EpochMs;
  /** All occurrences, also those dropped as spam, and the last one's moment. */
  readonly count: number;
  readonly seenAt: EpochMs;
  /** For display: the last occurrence that was not dropped. Absent: all were dropped. */
  readonly recorded?: { readonly count: number; readonly at: EpochMs };
}

/** Different messages recently seen with one type and reason. */
export interface EventGroup extends Pick<HpaEvent, "type" | "reason"> {
  readonly messages: readonly string[];
  readonly at: EpochMs;
}

/** `tokens` as of `at`. */
export interface TokenBucket {
  readonly tokens: number;
  readonly at: EpochMs;
}

/** Events of a type that an HPA may record at once. */
export const burst = 25;

/** The time that an empty bucket takes to fill. Anything older has no effect. */
export const forgottenAfterMs = burst * 300_000;

export const emptyLog: EventLog = { entries: [], groups: [], buckets: {} };

/** kube-apiserver's --event-ttl. */
export const eventTtlMs = 3_600_000;

/** The latest last. Older ones may stay in the table for days. */
export function shownEvents({ entries }: EventLog, now: EpochMs): readonly RecordedEvent[] {
  return entries
    .flatMap(({ recorded, type, reason, message, name, firstTimestamp }): RecordedEvent[] => {
      if (recorded === undefined || recorded.at <= now - eventTtlMs) return [];
      return [{ type, reason, message, name, count: recorded.count, firstTimestamp, lastTimestamp: recorded.at }];
    })
    .sort((a, b) => a.lastTimestamp - b.lastTimestamp || (a.name < b.name ? -1 : 1));
}
