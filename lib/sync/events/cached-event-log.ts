import { BoundedMap } from "../../async/bounded-map";
import { asHpaKey, type HpaKey } from "../../model/hpa-key";
import {
  type EventLog,
  type RecordedEvent,
  emptyLog,
  burst,
  forgottenAfterMs,
  type EventEntry,
  type EventGroup,
  type TokenBucket,
} from "../../model/stored/event-log";
import type { ObservedTarget } from "../../model/ports/cluster";
import type { StoredEvents } from "../../model/ports/store";
import type { EpochMs } from "../../k8s/time";
import type { ShardRange } from "../../model/stored/shard";
import { holdsKey } from "../../model/stored/last-observed";
import { cutText } from "../../k8s/go-text";
import type { HpaEvent } from "../../model/situation";

export interface Occurrence extends NamedEvent {
  readonly at: EpochMs;
}

export interface CachedEventLog {
  /** 0: nothing is stored. */
  readonly version: number;
  /** Includes `unsaved`. */
  readonly log: EventLog;
  /** Most were dropped as spam, and wait for one that is not. */
  readonly unsaved: readonly Occurrence[];
  readonly recorded: readonly RecordedEvent[];
  readonly dueSince?: EpochMs;
  readonly target?: ObservedTarget;
}

/** Two events every 15 s are 40 in five minutes, the time until one is not dropped. */
const maxUnsaved = 256;

export function cachedEventLog(stored: StoredEvents | undefined): CachedEventLog {
  return { version: stored?.version ?? 0, log: stored?.log ?? emptyLog, unsaved: [], recorded: [] };
}

export function withOccurrences(cached: CachedEventLog, occurrences: readonly Occurrence[]): CachedEventLog {
  return occurrences.reduce(withOccurrence, cached);
}

function withOccurrence(cached: CachedEventLog, occurrence: Occurrence): CachedEventLog {
  const { at, ...event } = occurrence;
  const { log, recorded } = correlate(cached.log, event, at);
  const unsaved = [...cached.unsaved, occurrence].slice(-maxUnsaved);
  if (recorded === undefined) return { ...cached, log, unsaved };
  const others = cached.recorded.filter(({ name }) => name !== recorded.name);
  return { ...cached, log, unsaved, recorded: [...others, recorded], dueSince: cached.dueSince ?? at };
}

export function rebased({ unsaved, target }: CachedEventLog, stored: StoredEvents | undefined): CachedEventLog {
  return withOccurrences(withTarget(cachedEventLog(stored), target), unsaved);
}

export function withTarget(cached: CachedEventLog, target: ObservedTarget | undefined): CachedEventLog {
  return target === undefined ? cached : { ...cached, target };
}

/** Mostly 2 KB each. The least recent is dropped, and read again when it emits. */
const maxCached = 10_000;

export interface EventLogCache {
  get(cluster: string, key: HpaKey): CachedEventLog | undefined;
  set(cluster: string, key: HpaKey, log: CachedEventLog): void;
  delete(cluster: string, key: HpaKey): void;
  due(range: ShardRange): readonly HpaKey[];
}

export function eventLogCache(): EventLogCache {
  const logs = new BoundedMap<string, CachedEventLog>(maxCached);
  const idOf = (cluster: string, key: string) => `${cluster}#${key}`;
  return {
    get: (cluster, key) => logs.get(idOf(cluster, key)),
    set: (cluster, key, log) => void logs.set(idOf(cluster, key), log),
    delete: (cluster, key) => void logs.delete(idOf(cluster, key)),
    due(range) {
      const prefix = idOf(range.cluster, "");
      return [...logs]
        .filter(([id, { dueSince }]) => dueSince !== undefined && id.startsWith(prefix))
        .map(([id, { dueSince = 0 }]) => ({ key: asHpaKey(id.slice(prefix.length)), dueSince }))
        .filter(({ key }) => holdsKey(range, key))
        .sort((a, b) => a.dueSince - b.dueSince)
        .map(({ key }) => key);
    },
  };
}

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
interface NamedEvent extends HpaEvent {
  readonly name: string;
  readonly combined?: true;
}

interface Correlated {
  readonly log: EventLog;
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
