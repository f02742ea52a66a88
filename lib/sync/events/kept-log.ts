import { BoundedMap } from "../../async/bounded-map";
import { asHpaKey, type HpaKey } from "../../model/hpa-key";
import { type NamedEvent, correlate } from "../../core/correlate-events";
import { type EventLog, type RecordedEvent, emptyLog } from "../../model/stored/event-log";
import type { SeenTarget } from "../../model/ports/cluster";
import type { StoredEvents } from "../../model/ports/store";
import type { EpochMs } from "../../k8s/time";
import type { ShardRange } from "../../model/stored/state";
import { holdsKey } from "../../model/stored/sightings";

export interface Occurrence extends NamedEvent {
  readonly at: EpochMs;
}

/** An HPA's stored events, and what has occurred since. */
export interface KeptLog {
  /** The stored version; 0: nothing is stored. */
  readonly version: number;
  /** Includes what has occurred since. */
  readonly log: EventLog;
  /** Occurrences that are not in the table. Most were dropped as spam, and wait for one that is not. */
  readonly unsaved: readonly Occurrence[];
  /** The visible events that `unsaved` changed, in their latest form. */
  readonly recorded: readonly RecordedEvent[];
  /** When there first was something to write. */
  readonly dueSince?: EpochMs;
  /** The object that the HPA scales, as last seen. */
  readonly target?: SeenTarget;
}

/** Two events every 15 s are 40 in five minutes, the time until one of them is not dropped. */
const maxUnsaved = 256;

export function keptLog(stored: StoredEvents | undefined): KeptLog {
  return { version: stored?.version ?? 0, log: stored?.log ?? emptyLog, unsaved: [], recorded: [] };
}

export function withOccurrences(kept: KeptLog, occurrences: readonly Occurrence[]): KeptLog {
  return occurrences.reduce(withOccurrence, kept);
}

function withOccurrence(kept: KeptLog, occurrence: Occurrence): KeptLog {
  const { at, ...event } = occurrence;
  const { log, recorded } = correlate(kept.log, event, at);
  const unsaved = [...kept.unsaved, occurrence].slice(-maxUnsaved);
  if (recorded === undefined) return { ...kept, log, unsaved };
  const others = kept.recorded.filter(({ name }) => name !== recorded.name);
  return { ...kept, log, unsaved, recorded: [...others, recorded], dueSince: kept.dueSince ?? at };
}

/** The same occurrences, on top of what another writer has stored. */
export function rebased({ unsaved, target }: KeptLog, stored: StoredEvents | undefined): KeptLog {
  return withOccurrences(withTarget(keptLog(stored), target), unsaved);
}

export function withTarget(kept: KeptLog, target: SeenTarget | undefined): KeptLog {
  return target === undefined ? kept : { ...kept, target };
}

/**
 * HPAs that are kept, mostly 2 KB each. The one that emitted longest ago is dropped first. So if more than these emit
 * in turns, each is read from the table again.
 */
const maxKept = 10_000;

/** The logs that this process keeps between invocations. */
export interface KeptLogs {
  get(cluster: string, key: HpaKey): KeptLog | undefined;
  set(cluster: string, key: HpaKey, log: KeptLog): void;
  delete(cluster: string, key: HpaKey): void;
  /** Keys in the range with something to write, longest waiting first. */
  due(range: ShardRange): readonly HpaKey[];
}

export function keptLogs(): KeptLogs {
  const logs = new BoundedMap<string, KeptLog>(maxKept);
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
