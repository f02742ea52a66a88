import type { HpaEvent } from "../situation";
import type { EpochMs } from "../../k8s/time";
import type { EventLog } from "../schema/event-log";

export type { EventEntry, EventGroup, EventLog, TokenBucket } from "../schema/event-log";

/** Identical events are one, with a count. */
export interface RecordedEvent extends HpaEvent {
  /** As upstream names Event objects: "<HPA>.<hex nanoseconds of the first occurrence>". */
  readonly name: string;
  readonly count: number;
  readonly firstTimestamp: EpochMs;
  readonly lastTimestamp: EpochMs;
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
