import type { HpaEvent } from "../situation";
import type { EpochMs } from "../../k8s/time";

/** Identical events are one, with a count. */
export interface RecordedEvent extends HpaEvent {
  /** As upstream names Event objects: "<HPA>.<hex nanoseconds of the first occurrence>". */
  readonly name: string;
  readonly count: number;
  readonly firstTimestamp: EpochMs;
  readonly lastTimestamp: EpochMs;
}

/** The most recently used is last. */
export interface EventLog {
  readonly entries: readonly EventEntry[];
  readonly groups: readonly EventGroup[];
  /** Absent: full. */
  readonly buckets: Readonly<Partial<Record<HpaEvent["type"], TokenBucket>>>;
}

/** Events with one type, reason and message; if `combined`, with any message. */
export interface EventEntry extends HpaEvent {
  readonly name: string;
  readonly combined?: true;
  readonly firstTimestamp: EpochMs;
  /** Includes those dropped as spam. */
  readonly count: number;
  readonly seenAt: EpochMs;
  /** The last occurrence that was not dropped. */
  readonly recorded?: { readonly count: number; readonly at: EpochMs };
}

export interface EventGroup extends Pick<HpaEvent, "type" | "reason"> {
  readonly messages: readonly string[];
  readonly at: EpochMs;
}

export interface TokenBucket {
  readonly tokens: number;
  readonly at: EpochMs;
}

/** Events of a type that an HPA may record at once. */
export const burst = 25;

/** Time to fill an empty bucket. Anything older has no effect. */
export const forgottenAfterMs = burst * 300_000;

export const emptyLog: EventLog = { entries: [], groups: [], buckets: {} };

/** kube-apiserver's --event-ttl. */
export const eventTtlMs = 3_600_000;

export function shownEvents({ entries }: EventLog, now: EpochMs): readonly RecordedEvent[] {
  return entries
    .flatMap(({ recorded, type, reason, message, name, firstTimestamp }): RecordedEvent[] => {
      if (recorded === undefined || recorded.at <= now - eventTtlMs) return [];
      return [{ type, reason, message, name, count: recorded.count, firstTimestamp, lastTimestamp: recorded.at }];
    })
    .sort((a, b) => a.lastTimestamp - b.lastTimestamp || (a.name < b.name ? -1 : 1));
}
