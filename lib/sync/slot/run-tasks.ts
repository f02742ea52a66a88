import { type HpaKey, splitKey } from "../../model/hpa-key";
import { limitConcurrency } from "../../async/semaphore";
import { withLimit } from "../../async/within-time";
import { type EpochMs, periodStart } from "../../k8s/time";
import { isPaused } from "../../model/entry/annotations";
import type { ClusterEntry } from "../../model/entry/entries";
import { errorText, Fault, isFault } from "../../model/fault";
import { decisionOptions, syncPeriodMs } from "../../model/entry/options";
import type { SlotMessage } from "../../model/messages";
import type { SlotTime } from "../../model/metric/metric-rules";
import type { Cluster, Clusters, Target } from "../../model/ports/cluster";
import type { ShardContents } from "../../model/ports/store";
import { holdsKey } from "../../model/stored/last-observed";
import type { Shard, ShardRange } from "../../model/stored/shard";
import { boundedEvent, fitStateToItem, fitRecordToItem } from "../../model/stored/fit-to-item";
import { openOverlappingSelectors } from "../../readings/overlapping-selectors";
import { countPodReaders, identifyQuery, openObserver, weighQuery } from "../../readings/observe";
import { openReadingWatch, type ReadingWatch } from "../../readings/reading-watch";
import { sharePods } from "../../readings/read-pods";
import { knownSources, shareSources } from "../../readings/read-sources";
import { planShares } from "../../readings/shares";
import { boundTasks } from "./bound-tasks";
import { clearCosts } from "../scale/deletion-costs";
import { forgetHpa } from "./record-change";
import { mayReadTogether, syncHpa, targetOf } from "../hpa/sync-hpa";
import { countRequest, timed } from "../hpa/hpa-work";
import type { HpaResult, HpaTask } from "../hpa/hpa-result";
import { readLatest } from "./write-latest-values";
import type { Records, SyncRun, SyncRunTime } from "../hpa/sync-run";
import type { SyncContext, SyncPorts } from "../ports";
import type { DeletedHpa } from "./slot-tasks";

/** Each has connections to table and cluster. */
const concurrentWriters = 32;

export interface SyncRunPlan extends Pick<SyncRun, "message" | "now">, Pick<Records, "writerId"> {
  readonly entry: ClusterEntry;
  readonly context: SyncContext;
  /** In starting order. */
  readonly tasks: readonly HpaTask[];
  readonly deleted: readonly DeletedHpa[];
  /** True if the run's slot or a newer one is finished. */
  readonly isOver: (current: Shard | undefined) => boolean;
}

export interface SyncRunOutcome {
  readonly results: readonly HpaResult[];
  readonly queries: number;
  readonly requests: ReadonlyMap<string, number>;
}

/**
 * Reads end with the run's time, and readings before: that leaves time to decide without what does not answer.
 * When this resolves, all that it started is over.
 */
export async function runTasks(ports: SyncPorts, contents: ShardContents, given: SyncRunPlan): Promise<SyncRunOutcome> {
  const { tasks, wanted } = boundTasks(given.tasks, ports.runMemory);
  const plan = { ...given, tasks };
  const { message, context } = plan;
  const end = Math.min(message.until, context.deadline);
  const remainingMs = end - context.now();
  const readsMs = Math.max(0, remainingMs - recordingMs(remainingMs));
  const watch = openReadingWatch(context.now);
  const requests = new Map<string, number>();
  const runWithin = async (reads: AbortSignal, readings: AbortSignal) => {
    const { run, queries } = await openSyncRun(ports, contents, plan, {
      ...timeOf({ reads, readsEnd: end - recordingMs(remainingMs), end }, plan),
      ...{ readings, watch, requests },
    });
    const [results, notForgotten] = await Promise.all([
      Promise.all(plan.tasks.map((task) => timed(context.now, () => alone(task.key, () => syncHpa(run, task))))),
      forgetDeleted(run, ports, plan.deleted),
    ]);
    return { results: [...results, ...notForgotten], queries: Math.max(queries, wanted), requests };
  };
  try {
    return await withLimit(
      readsMs,
      context.signal,
      (reads) => {
        const readingsMs = readsMs * 0.75;
        if (isTooShort(readingsMs, message)) return runWithin(reads, reads);
        return withLimit(readingsMs, reads, (readings) => runWithin(reads, readings), noReading);
      },
      () => new Fault("timeout", "the slot's time is up"),
    );
  } finally {
    watch.end();
  }
}

const noReading = () => new Fault("timeout", "no answer in the slot's time for readings");

/** In a slot that begins late, metrics had too little time to be judged: the next slot reads them. */
function isTooShort(readingsMs: number, { slot, until }: SlotMessage): boolean {
  return readingsMs < (until - slot) / 4;
}

/** Leaves time to finish the slot before the next one loads the shard. */
function recordingMs(remainingMs: number): number {
  return Math.min(1_000, remainingMs / 4);
}

function timeOf(
  { reads, readsEnd, end }: Pick<SyncRunTime, "reads" | "readsEnd"> & { readonly end: EpochMs },
  { message, context }: SyncRunPlan,
): SyncRunTime {
  return {
    ...{ reads, readsEnd },
    writes: context.signal,
    now: context.now,
    inTime: () => context.now() < end,
    isOver: () => context.now() >= message.until,
  };
}

interface ReadingTime {
  /** Fires before `reads`. */
  readonly readings: AbortSignal;
  readonly watch: ReadingWatch;
  readonly requests: Map<string, number>;
}

async function openSyncRun(
  ports: SyncPorts,
  contents: ShardContents,
  { entry, message, now, tasks, writerId, isOver }: SyncRunPlan,
  time: SyncRunTime & ReadingTime,
): Promise<{ readonly run: SyncRun; readonly queries: number }> {
  const { store, reporter } = ports;
  const { reads, writes, readings, watch, requests } = time;
  const cluster = await connect(ports.clusters, entry, reads);
  const usable = tasks.flatMap(({ key, entry }) => ("hpa" in entry ? [{ key, hpa: entry.hpa }] : []));
  const known = knownSources(contents, ports.sources);
  const shares = planShares(usable, identifyQuery(known), {
    weigh: weighQuery(known),
    ...(ports.runMemory !== undefined && { memory: ports.runMemory }),
  });
  const periodMs = syncPeriodMs(entry.spec.options);
  const run: SyncRun = {
    message,
    now,
    slot: slotOf(message.slot, periodMs),
    time,
    records: {
      writerId,
      async isOvertaken(key) {
        const current = await store.shard(message, writes);
        return isOver(current) || (current !== undefined && !holdsKey(current, key));
      },
      putState: (key, state) => store.putState(message.cluster, key, fitStateToItem(state), writes),
      putDecision: (key, record) => store.putDecision(message.cluster, key, fitRecordToItem(record), writes),
      shown: readLatest(store, () => ({ cluster: message.cluster, ...rangeOf(tasks) }), writes),
      document: (key) => store.document(message.cluster, key, writes),
      withPermit: limitConcurrency(concurrentWriters),
    },
    cluster,
    scales: { targets: targetsOf(tasks, now) },
    options: decisionOptions(entry.spec.options),
    observer: openObserver({
      cluster,
      pods: sharePods(cluster, countPodReaders(usable.map(({ hpa }) => hpa)), readings),
      sources: shareSources(ports.sources, contents.states, {
        slot: message.slot,
        now,
        signal: readings,
        longestMs: Math.min(periodMs, message.until - message.slot) / 2,
        cluster: { name: message.cluster, api: () => Promise.resolve(cluster) },
        onRead: (kind, outcome) => countRequest(requests, kind, outcome),
      }),
      known,
      periodMs,
      shares,
      now: () => time.now(),
      overlapping: openOverlappingSelectors(contents.states, new Set(contents.hpas.map(({ key }) => key))),
      watch,
      signal: readings,
    }),
    reporter,
  };
  return { run, queries: shares.wanted };
}

function rangeOf(tasks: readonly HpaTask[]): Pick<ShardRange, "from" | "to"> {
  const keys = tasks.map(({ key }) => key).sort();
  return { from: keys[0] ?? "", to: `${keys.at(-1) ?? ""}\0` };
}

function targetsOf(tasks: readonly HpaTask[], now: EpochMs): readonly Target[] {
  return tasks.flatMap(({ entry, state }) =>
    "hpa" in entry && mayReadTogether(state) && !isPaused(entry.operations, now) ? [targetOf(entry.hpa)] : [],
  );
}

function slotOf(at: EpochMs, periodMs: number): SlotTime {
  return { start: periodStart(at, periodMs), periodMs };
}

/** An unexpected error halts only its own HPA. */
async function alone<T>(key: HpaKey, work: () => Promise<T>): Promise<T | HpaResult> {
  try {
    return await work();
  } catch (error) {
    const reason = isFault(error) ? "FailedSync" : "InternalError";
    const news = boundedEvent({ type: "Warning", reason, message: errorText(error) });
    return { key, recorded: false, scaled: false, warnings: [news], news, recovered: false, events: [news] };
  }
}

async function connect(clusters: Clusters, entry: ClusterEntry, signal: AbortSignal): Promise<Cluster> {
  try {
    return await clusters.connect(entry, signal);
  } catch (error) {
    if (isFault(error)) return unreachableCluster(error);
    throw error;
  }
}

/** Every call rejects with the Fault, so each HPA shows why. */
function unreachableCluster(fault: Fault): Cluster {
  const reject = () => Promise.reject(fault);
  return {
    ...{ getScale: reject, putScale: reject },
    listPods: reject,
    getObject: reject,
    ...{ podMetrics: reject, podsMetric: reject },
    objectMetric: reject,
    externalMetric: reject,
    getService: reject,
    connectService: reject,
    recordEvent: reject,
    ...{ listWorkers: reject, setDeletionCost: reject, getPod: reject },
  };
}

/** @returns HPAs that could not be forgotten. */
async function forgetDeleted(
  run: SyncRun,
  ports: SyncPorts,
  deleted: SyncRunPlan["deleted"],
): Promise<readonly HpaResult[]> {
  const { message, records, time } = run;
  const { cluster } = message;
  const forget = async ({ key, version, deletionCosts: costs }: DeletedHpa): Promise<undefined> => {
    const isCleared = costs === undefined || (await clearCosts(run, splitKey(key)[0], costs));
    if (isCleared && time.inTime()) await forgetHpa(ports, { cluster, key, version }, time.writes);
  };
  const failures = deleted.map((hpa) => alone(hpa.key, () => records.withPermit(() => forget(hpa))));
  return (await Promise.all(failures)).filter((failure) => failure !== undefined);
}
