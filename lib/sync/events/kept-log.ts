import { type NamedEvent, correlate } from "../../core/correlate-events";
import { type EventLog, type RecordedEvent, emptyLog } from "../../model/event-log";
import type { SeenTarget, StoredEvents } from "../../model/ports";
import type { EpochMs } from "../../k8s/time";
import type { ShardRange } from "../../model/state";
import { isWithin } from "../turn/slot-tasks";

export interface Occurrence extends NamedEvent {
  readonly at: EpochMs;
}

/** An HPA's events as they stand in the table, and what has occurred since then. */
export interface KeptLog {
  /** Of what stands; 0: nothing does. */
  readonly version: number;
  /** With what has occurred since. */
  readonly log: EventLog;
  /** What the table has not heard of. Most of it was dropped as spam, and waits for what is not. */
  readonly unsaved: readonly Occurrence[];
  /** What the unsaved has changed of what is shown, each event as it is by now. */
  readonly recorded: readonly RecordedEvent[];
  /** Since when there is something to write. */
  readonly dueSince?: EpochMs;
  /** What the HPA scales, as last seen. */
  readonly target?: SeenTarget;
}

/** Two events in 15 s come to 40 in the five minutes that pass until one of them is not dropped. */
const maxUnsaved = 256;

export function keptLog(standing: StoredEvents | undefined): KeptLog {
  return { version: standing?.version ?? 0, log: standing?.log ?? emptyLog, unsaved: [], recorded: [] };
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

/** The same occurrences, on what somebody else has written meanwhile. */
export function rebased({ unsaved, target }: KeptLog, standing: StoredEvents | undefined): KeptLog {
  return withOccurrences(withTarget(keptLog(standing), target), unsaved);
}

export function withTarget(kept: KeptLog, target: SeenTarget | undefined): KeptLog {
  return target === undefined ? kept : { ...kept, target };
}

/** HPAs that are kept, with some KB each; the one that emitted longest ago is dropped first. */
const maxKept = 4_096;

/** The logs that this process keeps from one invocation to the next. */
export interface KeptLogs {
  get(cluster: string, key: string): KeptLog | undefined;
  set(cluster: string, key: string, log: KeptLog): void;
  delete(cluster: string, key: string): void;
  /** Keys in the range with something to write, what waits longest first. */
  due(range: ShardRange): readonly string[];
}

export function keptLogs(): KeptLogs {
  const logs = new Map<string, KeptLog>();
  const idOf = (cluster: string, key: string) => `${cluster}#${key}`;
  return {
    get: (cluster, key) => logs.get(idOf(cluster, key)),
    set(cluster, key, log) {
      const id = idOf(cluster, key);
      logs.delete(id);
      logs.set(id, log);
      const [oldest] = logs.keys();
      if (logs.size > maxKept && oldest !== undefined) logs.delete(oldest);
    },
    delete: (cluster, key) => void logs.delete(idOf(cluster, key)),
    due(range) {
      const prefix = idOf(range.cluster, "");
      return [...logs]
        .filter(([id, { dueSince }]) => dueSince !== undefined && id.startsWith(prefix))
        .map(([id, { dueSince = 0 }]) => ({ key: id.slice(prefix.length), dueSince }))
        .filter(({ key }) => isWithin(range, key))
        .sort((a, b) => a.dueSince - b.dueSince)
        .map(({ key }) => key);
    },
  };
}
