import { BoundedMap } from "../../async/bounded-map";
import { asHpaKey, type HpaKey } from "../../model/hpa-key";
import { type NamedEvent, correlate } from "../../core/correlate-events";
import { type EventLog, type RecordedEvent, emptyLog } from "../../model/stored/event-log";
import type { ObservedTarget } from "../../model/ports/cluster";
import type { StoredEvents } from "../../model/ports/store";
import type { EpochMs } from "../../k8s/time";
import type { ShardRange } from "../../model/stored/state";
import { holdsKey } from "../../model/stored/last-observed";

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
  /** Visible events that `unsaved` changed. */
  readonly recorded: readonly RecordedEvent[];
  readonly dueSince?: EpochMs;
  /** As last seen. */
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

/** Adds the unsaved occurrences to what another writer stored. */
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
  /** The longest waiting first. */
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
