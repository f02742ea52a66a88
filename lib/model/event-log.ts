import type { HpaEvent } from "./situation";
import type { EpochMs } from "../k8s/time";

/**
 * A Kubernetes event as it is kept: identical ones are one, with a count. Its source is "horizontal-pod-autoscaler".
 */
export interface RecordedEvent extends HpaEvent {
  /** "<HPA's name>.<hex nanoseconds of the first occurrence>", as upstream names Event objects. */
  readonly name: string;
  readonly count: number;
  readonly firstTimestamp: EpochMs;
  readonly lastTimestamp: EpochMs;
}

/** What the correlator remembers of one HPA's events. Lists are in the order of use, the last used last. */
export interface EventLog {
  readonly entries: readonly EventEntry[];
  readonly groups: readonly EventGroup[];
  /** By event type; absent: full. */
  readonly buckets: Readonly<Partial<Record<HpaEvent["type"], TokenBucket>>>;
}

/** One event: of all that are alike in type, reason and message, or, where `combined`, in type and reason. */
export interface EventEntry extends HpaEvent {
  readonly name: string;
  readonly combined?: true;
  readonly firstTimestamp: EpochMs;
  /** Occurrences, those that were dropped as spam with them, and the last one's moment. */
  readonly count: number;
  readonly seenAt: EpochMs;
  /** What may be shown: the entry as of the last occurrence that was not dropped. Absent: all were. */
  readonly recorded?: { readonly count: number; readonly at: EpochMs };
}

/** The different messages lately seen of one type and reason. */
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

/** The time that an empty bucket takes to fill: what is older has no bearing on anything any more. */
export const forgottenAfterMs = burst * 300_000;

export const emptyLog: EventLog = { entries: [], groups: [], buckets: {} };

/** How long an event is shown after it was last recorded: kube-apiserver's --event-ttl. */
export const eventTtlMs = 3_600_000;

/**
 * The events to show, by the moment of their last occurrence, latest last. Older ones may stand in the table for days.
 */
export function shownEvents({ entries }: EventLog, now: EpochMs): readonly RecordedEvent[] {
  return entries
    .flatMap(({ recorded, type, reason, message, name, firstTimestamp }): RecordedEvent[] => {
      if (recorded === undefined || recorded.at <= now - eventTtlMs) return [];
      return [{ type, reason, message, name, count: recorded.count, firstTimestamp, lastTimestamp: recorded.at }];
    })
    .sort((a, b) => a.lastTimestamp - b.lastTimestamp || (a.name < b.name ? -1 : 1));
}
