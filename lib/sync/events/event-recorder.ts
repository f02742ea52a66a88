import { limitConcurrency } from "../../async/semaphore";
import type { EpochMs } from "../../k8s/time";
import type { ClusterEntry } from "../../model/entry/entries";
import { Fault, isFault } from "../../model/fault";
import { type HpaKey, nameOf } from "../../model/hpa-key";
import type { ObservedTarget } from "../../model/ports/cluster";
import type { Store, StoredEvents } from "../../model/ports/store";
import type { Reporter } from "../../model/report";
import type { HpaEvent } from "../../model/situation";
import type { RecordedEvent } from "../../model/stored/event-log";
import type { ShardRange } from "../../model/stored/shard";
import { firstVersion } from "../../model/stored/version";
import {
  type CachedEventLog,
  type Occurrence,
  cachedEventLog,
  eventLogCache,
  rebased,
  withOccurrences,
  withTarget,
} from "./cached-event-log";
import type { EventMirror, TargetEvent } from "./event-mirror";

/** "<name>.<hex nanoseconds>", as upstream. `index` makes the names of one moment unique. */
export function eventName(key: HpaKey, at: EpochMs, index: number): string {
  const name = nameOf(key);
  return `${name}.${(BigInt(Math.floor(at)) * 1_000_000n + BigInt(index)).toString(16)}`;
}

/** Most events of a lasting failure are spam and should cost nothing. The conditional write finds an outdated copy. */
export interface EventRecorder {
  /** Never rejects. The next sync retries what is not saved. */
  record(emitted: Emitted, time: RecordingTime): Promise<void>;
  /** A new HPA of the same name starts fresh. */
  forget(cluster: string, key: HpaKey): void;
}

export interface Emitted {
  readonly entry?: ClusterEntry | undefined;
  readonly range: ShardRange;
  readonly at: EpochMs;
  readonly hpas: readonly EmittedEvents[];
}

export interface EmittedEvents {
  readonly key: HpaKey;
  readonly events: readonly HpaEvent[];
  readonly target?: ObservedTarget | undefined;
  readonly isNew: boolean;
}

export interface RecordingTime {
  /** True while a request may begin. */
  readonly inTime: () => boolean;
  readonly signal: AbortSignal;
}

/** A cluster's partition allows 1,000 writes a second: if a thousand HPAs fail at once, states go first. */
const maxWrites = 250;
const concurrentWrites = 16;

export function openEventRecorder({
  store,
  reporter,
  mirror,
}: {
  readonly store: Pick<Store, "eventLogs" | "replaceEvents">;
  readonly reporter: Pick<Reporter, "failed">;
  readonly mirror?: EventMirror;
}): EventRecorder {
  const logs = eventLogCache();
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
    const limited = limitConcurrency(concurrentWrites);
    const due = logs.due(range).slice(0, maxWrites);
    const saved = await Promise.all(due.map((key) => limited(() => save({ cluster, key }, at, time))));
    report(cluster, [...failures, ...saved.flatMap((each) => each.failures)], at);
    if (entry !== undefined) await mirror?.show(entry, saved.flatMap(targetEvents), { at, ...time });
  }

  async function load(
    cluster: string,
    hpas: readonly EmittedEvents[],
    { inTime, signal }: RecordingTime,
  ): Promise<readonly Failure[]> {
    const keys = hpas.map(({ key }) => key).filter((key) => logs.get(cluster, key) === undefined);
    if (keys.length === 0 || !inTime()) return [];
    try {
      const stored = await store.eventLogs(cluster, keys, signal);
      return keys.flatMap((key) => {
        const found = stored.get(key);
        if (found !== undefined && "broken" in found) return [{ key, error: brokenEvents(key, found.broken) }];
        logs.set(cluster, key, cachedEventLog(found?.value));
        return [];
      });
    } catch (error) {
      return keys.map((key) => ({ key, error }));
    }
  }

  async function save(
    hpa: { readonly cluster: string; readonly key: HpaKey },
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

  /** Reports once for each reason. */
  function report(cluster: string, failures: readonly Failure[], at: EpochMs): void {
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

interface Attempt {
  readonly recorded: readonly RecordedEvent[];
  readonly target?: ObservedTarget | undefined;
  readonly failures: readonly Failure[];
}

function targetEvents({ recorded, target }: Attempt): readonly TargetEvent[] {
  return target === undefined ? [] : recorded.map((event) => ({ target, event }));
}

interface Failure {
  readonly key: HpaKey;
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

/** Syncs of one shard in one process must not write the same events. */
function oneAfterTheOther(): (line: string, work: () => Promise<void>) => Promise<void> {
  const last = new Map<string, Promise<void>>();
  return async (line, work) => {
    const run = (last.get(line) ?? Promise.resolve()).then(work);
    last.set(line, run);
    try {
      await run;
    } finally {
      if (last.get(line) === run) last.delete(line);
    }
  };
}

const tries = 4;

interface Saved {
  readonly log: CachedEventLog;
  readonly recorded: readonly RecordedEvent[];
}

/** @throws Fault. After a "lost" one, occurrences may count twice: rather twice than never */
export async function saveEvents(
  store: Pick<Store, "replaceEvents">,
  hpa: { readonly cluster: string; readonly key: HpaKey },
  due: CachedEventLog,
  { now, signal }: { readonly now: EpochMs; readonly signal: AbortSignal },
): Promise<Saved> {
  let log = due;
  for (let attempt = 1; attempt <= tries && log.dueSince !== undefined; attempt++) {
    const after: StoredEvents = { version: log.version === 0 ? firstVersion(now) : log.version + 1, log: log.log };
    const written = await store.replaceEvents(hpa, log.version, after, signal);
    if (written.ok) return { log: withTarget(cachedEventLog(after), log.target), recorded: log.recorded };
    const { current } = written;
    if (current !== undefined && "broken" in current) throw brokenEvents(hpa.key, current.broken);
    log = rebased(log, current?.value);
  }
  return { log, recorded: [] };
}

/** A newer version of ebb may have written it. */
export function brokenEvents(key: HpaKey, why: string): Fault {
  return new Fault("badEntry", `EVENTS#${key}: ${why}: the item is left as it is; delete it, and ebb creates it again`);
}
