import { takeTurns } from "../../async/limit";
import type { ClusterEntry } from "../../model/entries";
import type { RecordedEvent } from "../../model/event-log";
import { isFault } from "../../model/fault";
import type { Reporter, SeenTarget, Store } from "../../model/ports";
import type { HpaEvent } from "../../model/situation";
import type { EpochMs } from "../../k8s/time";
import type { ShardRange } from "../../model/state";
import type { EventMirror, TargetEvent } from "./event-mirror";
import { type Occurrence, keptLog, keptLogs, withOccurrences, withTarget } from "./kept-log";
import { brokenEvents, saveEvents } from "./save-events";

/**
 * "<name>.<hex nanoseconds>", as upstream names an Event object by its first occurrence. What one sync emits has one moment here: `index` tells
 * its events apart.
 */
export function eventName(key: string, at: EpochMs, index: number): string {
  const name = key.slice(key.indexOf("/") + 1);
  return `${name}.${(BigInt(Math.floor(at)) * 1_000_000n + BigInt(index)).toString(16)}`;
}

/**
 * Keeps what syncs emit as Kubernetes keeps events: as many as upstream emits, correlated. What is read and written of an HPA stays in this
 * process for its next sync, since most of what a steadily failing HPA emits is dropped as spam, and should cost no request. That what is kept
 * here has grown old is found out by the write, which is conditional on its version.
 */
export interface EventRecorder {
  /** Never rejects: events are the last and the least of a sync. What cannot be kept is reported, and tried again with the next sync. */
  record(emitted: Emitted, time: RecordingTime): Promise<void>;
  /** The HPA is gone: a namesake starts afresh. */
  forget(cluster: string, key: string): void;
}

/** The events of one sync of a shard, or of some of its HPAs. */
export interface Emitted {
  readonly entry?: ClusterEntry | undefined;
  readonly range: ShardRange;
  readonly at: EpochMs;
  readonly hpas: readonly EmittedEvents[];
}

export interface EmittedEvents {
  /** "namespace/name" */
  readonly key: string;
  readonly events: readonly HpaEvent[];
  /** What the HPA scales, where that was seen. */
  readonly target?: SeenTarget | undefined;
  /** It was never synced before: what is known of its key was another HPA's. */
  readonly isNew: boolean;
}

export interface RecordingTime {
  /** A request may still begin. */
  readonly inTime: () => boolean;
  readonly signal: AbortSignal;
}

/**
 * Items that one sync writes. A cluster's items share a partition of 1,000 writes a second: when a thousand HPAs begin to fail at once, their
 * states go first, and their events follow within some slots.
 */
const maxWrites = 250;
const concurrentWrites = 16;

export function openEventRecorder({
  store,
  reporter,
  mirror,
}: {
  readonly store: Pick<Store, "eventLogs" | "replaceEvents">;
  readonly reporter: Pick<Reporter, "failed">;
  /** Shows in the cluster what the table has come to hold. */
  readonly mirror?: EventMirror;
}): EventRecorder {
  const logs = keptLogs();
  const said = new Map<string, string>();
  const inOrder = oneAfterTheOther();

  async function run({ entry, range, at, hpas }: Emitted, time: RecordingTime): Promise<void> {
    const { cluster } = range;
    for (const { key } of hpas.filter(({ isNew }) => isNew)) logs.delete(cluster, key);
    const emitting = hpas.filter(({ events }) => events.length > 0);
    const failures = await load(cluster, emitting, time);
    for (const hpa of emitting) {
      const log = logs.get(cluster, hpa.key);
      if (log !== undefined)
        logs.set(cluster, hpa.key, withOccurrences(withTarget(log, hpa.target), occurrences(hpa, at)));
    }
    const inTurn = takeTurns(concurrentWrites);
    const due = logs.due(range).slice(0, maxWrites);
    const saved = await Promise.all(due.map((key) => inTurn(() => save({ cluster, key }, at, time))));
    tell(cluster, [...failures, ...saved.flatMap((each) => each.failures)], at);
    if (entry !== undefined) await mirror?.show(entry, saved.flatMap(targetEvents), { at, ...time });
  }

  /** Reads what stands for the HPAs of which this process knows nothing. @returns why for some it could not. */
  async function load(
    cluster: string,
    hpas: readonly EmittedEvents[],
    { inTime, signal }: RecordingTime,
  ): Promise<readonly Failure[]> {
    const keys = hpas.map(({ key }) => key).filter((key) => logs.get(cluster, key) === undefined);
    if (keys.length === 0 || !inTime()) return [];
    try {
      const standing = await store.eventLogs(cluster, keys, signal);
      return keys.flatMap((key) => {
        const found = standing.get(key);
        if (found !== undefined && "broken" in found) return [{ key, error: brokenEvents(key, found.broken) }];
        logs.set(cluster, key, keptLog(found?.value));
        return [];
      });
    } catch (error) {
      return keys.map((key) => ({ key, error }));
    }
  }

  async function save(
    hpa: { readonly cluster: string; readonly key: string },
    now: EpochMs,
    { inTime, signal }: RecordingTime,
  ): Promise<Attempt> {
    const due = logs.get(hpa.cluster, hpa.key);
    if (due === undefined || !inTime()) return { recorded: [], failures: [] };
    try {
      const { log, recorded } = await saveEvents(store, hpa, due, { now, signal });
      logs.set(hpa.cluster, hpa.key, log);
      return { recorded, target: log.target, failures: [] };
    } catch (error) {
      return { recorded: [], failures: [{ key: hpa.key, error }] };
    }
  }

  /** One line for a cluster whose events cannot be kept, and none while the reason stays. */
  function tell(cluster: string, failures: readonly Failure[], at: EpochMs): void {
    const [first] = failures;
    if (first === undefined) return void said.delete(cluster);
    const message = textOf(first.error);
    if (said.get(cluster) === message) return;
    said.set(cluster, message);
    const who = failures.length === 1 ? { key: first.key } : { hpas: failures.length };
    reporter.failed({ cluster, ...who, reason: "FailedRecordEvents", message, at });
  }

  return {
    record: (emitted, time) => inOrder(`${emitted.range.cluster}#${emitted.range.from}`, () => run(emitted, time)),
    forget: (cluster, key) => logs.delete(cluster, key),
  };
}

/** What became of one HPA's events. */
interface Attempt {
  readonly recorded: readonly RecordedEvent[];
  readonly target?: SeenTarget | undefined;
  readonly failures: readonly Failure[];
}

function targetEvents({ recorded, target }: Attempt): readonly TargetEvent[] {
  return target === undefined ? [] : recorded.map((event) => ({ target, event }));
}

interface Failure {
  readonly key: string;
  readonly error: unknown;
}

function occurrences({ key, events }: EmittedEvents, at: EpochMs): readonly Occurrence[] {
  return events.map(({ type, reason, message }, index) => ({
    type,
    reason,
    message,
    name: eventName(key, at, index),
    at,
  }));
}

function textOf(error: unknown): string {
  if (isFault(error)) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Two syncs of one shard in one process must not both write what is due. */
function oneAfterTheOther(): (line: string, work: () => Promise<void>) => Promise<void> {
  const last = new Map<string, Promise<void>>();
  return async (line, work) => {
    const mine = (last.get(line) ?? Promise.resolve()).then(work);
    last.set(line, mine);
    try {
      await mine;
    } finally {
      if (last.get(line) === mine) last.delete(line);
    }
  };
}
