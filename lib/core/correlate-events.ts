import { cutText } from "../k8s/go-text";
import {
  burst,
  forgottenAfterMs,
  type EventEntry,
  type EventGroup,
  type EventLog,
  type RecordedEvent,
  type TokenBucket,
} from "../model/stored/event-log";
import type { HpaEvent } from "../model/situation";
import type { EpochMs } from "../k8s/time";

/** Ten messages of one type and reason, each within the interval after the last, become one event. */
const combinedFrom = 10;
const combineIntervalMs = 600_000;

/** One event every 300 s. Upstream keeps a float32. */
const tokensPerSecond = Math.fround(1 / 300);

/** Upstream caches 4,096 entries for all objects; here each HPA has an item of usually 1 KB, at most 200 KB. */
const maxEntries = 64;
const maxGroups = 8;

/** The events.k8s.io API's limit. */
const maxMessageBytes = 1024;

/** The first of its kind names the event. */
export interface NamedEvent extends HpaEvent {
  readonly name: string;
  readonly combined?: true;
}

interface Correlated {
  readonly log: EventLog;
  /** Absent: dropped as spam. */
  readonly recorded?: RecordedEvent;
}

/**
 * A dropped occurrence still counts. Upstream: EventCorrelator.EventCorrelate, client-go/tools/record/events_cache.go,
 * which removes any message from a group of ten; this removes the oldest.
 */
export function correlate(log: EventLog, occurred: NamedEvent, now: EpochMs): Correlated {
  const { entries, groups, buckets } = forget(log, now);
  const single = { ...occurred, message: cutText(occurred.message, maxMessageBytes) };
  const group = joined(groups, single, now);
  const isCombined = group.messages.length >= combinedFrom;
  const event = isCombined ? combine(single) : single;
  const seen = observed(entries, event, now);
  const bucket = spend(buckets[event.type], now);
  const entry =
    bucket === undefined ? seen : { ...seen, message: event.message, recorded: { count: seen.count, at: now } };
  const kept = isCombined ? { ...group, messages: group.messages.slice(1) } : group;
  const next: EventLog = {
    entries: [...entries.filter((known) => !isSame(known, entry)), entry].slice(-maxEntries),
    groups: [...groups.filter((known) => !isAlike(known, kept)), kept].slice(-maxGroups),
    buckets: bucket === undefined ? buckets : { ...buckets, [event.type]: bucket },
  };
  return bucket === undefined ? { log: next } : { log: next, recorded: recorded(entry, now) };
}

function forget({ entries, groups, buckets }: EventLog, now: EpochMs): EventLog {
  const isRecent = (at: EpochMs) => now - at < forgottenAfterMs;
  return {
    entries: entries.filter(({ seenAt }) => isRecent(seenAt)),
    groups: groups.filter(({ at }) => isRecent(at)),
    buckets,
  };
}

/** Upstream: EventAggregator.EventAggregate. */
function joined(groups: readonly EventGroup[], event: HpaEvent, now: EpochMs): EventGroup {
  const { type, reason, message } = event;
  const known = groups.find((group) => isAlike(group, event));
  const isOver = known === undefined || now - known.at > combineIntervalMs;
  const others = isOver ? [] : known.messages.filter((other) => other !== message);
  return { type, reason, messages: [...others, message], at: now };
}

function combine(event: NamedEvent): NamedEvent {
  return { ...event, message: `(combined from similar events): ${event.message}`, combined: true };
}

/** Upstream: eventLogger.eventObserve. */
function observed(entries: readonly EventEntry[], event: NamedEvent, now: EpochMs): EventEntry {
  const known = entries.find((entry) => isSame(entry, event));
  if (known === undefined) return { ...event, firstTimestamp: now, count: 1, seenAt: now };
  return { ...known, count: known.count + 1, seenAt: now };
}

/**
 * Undefined: no token left. Upstream: EventSourceObjectSpamFilter.Filter, with golang.org/x/time/rate: a bucket may
 * lack what it gains in a nanosecond, and gains nothing from a clock that went back.
 */
function spend(bucket: TokenBucket | undefined, now: EpochMs): TokenBucket | undefined {
  const { tokens, at } = bucket ?? { tokens: burst, at: now };
  const gained = (Math.max(0, now - at) / 1000) * tokensPerSecond;
  const left = Math.min(burst, tokens + gained) - 1;
  const missingNs = (-left / tokensPerSecond) * 1e9;
  return missingNs < 1 ? { tokens: left, at: now } : undefined;
}

function recorded({ type, reason, message, name, count, firstTimestamp }: EventEntry, now: EpochMs): RecordedEvent {
  return { type, reason, message, name, count, firstTimestamp, lastTimestamp: now };
}

function isAlike(one: Pick<HpaEvent, "type" | "reason">, other: Pick<HpaEvent, "type" | "reason">): boolean {
  return one.type === other.type && one.reason === other.reason;
}

function isSame(one: HpaEvent & Pick<EventEntry, "combined">, other: HpaEvent & Pick<EventEntry, "combined">): boolean {
  if (!isAlike(one, other) || one.combined !== other.combined) return false;
  return one.combined === true || one.message === other.message;
}
