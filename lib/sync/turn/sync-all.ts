import { setMaxListeners } from "node:events";
import { Fault, isFault } from "../../model/fault";
import type { ClusterEntry } from "../../model/entries";
import type { HorizontalPodAutoscaler } from "../../k8s/hpa";
import type { EpochMs } from "../../k8s/time";
import type { State } from "../../model/state";
import { forgetHpa } from "./forget-hpa";
import { guardCluster, unreachableCluster } from "../observe/guard-cluster";
import type { HpaResult, HpaTask } from "./hpa-result";
import { knowNeighbours } from "../observe/neighbours";
import { countPodReaders, openObserver } from "../observe/observe";
import { decisionOptions } from "../../model/options";
import type { Cluster, Clusters, ShardContents } from "../../model/ports";
import { sharePods } from "../observe/read-pods";
import { shareSources } from "../observe/read-sources";
import type { Sync } from "./shared";
import { syncHpa } from "./sync-hpa";
import type { SyncContext, SyncPorts } from "./sync-shard";
import { takeTurns } from "../../async/limit";

/** HPAs that write at a time: well within the connections that the table's client and a cluster's agent keep. */
const concurrentWriters = 32;

/** One sync of a shard's HPAs, or of some of them, once it is known that there is something to do. */
export interface Run extends Pick<Sync, "message" | "now" | "stamp" | "isOvertaken"> {
  readonly entry: ClusterEntry;
  readonly context: SyncContext;
  readonly tasks: readonly HpaTask[];
  /** States whose HPA's entry is gone, by key. */
  readonly deleted: Readonly<Record<string, State>>;
}

/** When the slot's time is up, its reads are ended: everything that this began is over when it resolves. */
export async function syncAll(ports: SyncPorts, contents: ShardContents, run: Run): Promise<readonly HpaResult[]> {
  const { message, context } = run;
  const end = Math.min(message.until, context.deadline);
  const reads = new AbortController();
  setMaxListeners(0, reads.signal, context.signal); // every call of the sync listens to them
  const timer = setTimeout(() => stop(), readingMs(end - context.now()));
  const stop = () => {
    clearTimeout(timer);
    reads.abort(new Fault("timeout", "the slot's time is up"));
  };
  context.signal.addEventListener("abort", stop, { once: true });
  if (context.signal.aborted) stop();
  try {
    return await syncWithin({ reads: reads.signal, end }, ports, contents, run);
  } finally {
    context.signal.removeEventListener("abort", stop);
    stop();
  }
}

/** What is left for recording lets the slot be finished before its successor loads the shard. */
function readingMs(remainingMs: number): number {
  return Math.max(0, remainingMs - Math.min(1_000, remainingMs / 4));
}

async function syncWithin(
  { reads, end }: { readonly reads: AbortSignal; readonly end: EpochMs },
  ports: SyncPorts,
  contents: ShardContents,
  { entry, message, now, stamp, isOvertaken, context, tasks, deleted }: Run,
): Promise<readonly HpaResult[]> {
  const cluster = await connect(ports.clusters, entry, reads);
  const sources = shareSources(ports.sources, contents.states, { slot: message.slot, now, signal: reads });
  let toAsk = tasks.length;
  const sync: Sync = {
    store: ports.store,
    reporter: ports.reporter,
    cluster,
    message,
    stamp,
    isOvertaken,
    options: decisionOptions(entry.spec.options),
    now,
    observe: openObserver({
      cluster,
      pods: sharePods(cluster, countPodReaders(plausibleHpas(tasks)), reads),
      sources,
      sourceEntries: new Map(contents.sources.map((source) => [source.key, source])),
      neighbours: knowNeighbours(contents.states, new Set(contents.hpas.map(({ key }) => key))),
      signal: reads,
    }),
    reads,
    writes: context.signal,
    inTime: () => context.now() < end,
    isOver: () => context.now() >= message.until,
    inTurn: takeTurns(concurrentWriters),
    asked: () => {
      toAsk -= 1;
      if (toAsk === 0) sources.flush();
    },
  };
  const [results, notForgotten] = await Promise.all([
    Promise.all(tasks.map((task) => alone(task.key, () => syncHpa(sync, task)))),
    forgetDeleted(sync, ports, deleted),
  ]);
  return [...results, ...notForgotten];
}

/** Nothing that goes wrong with one HPA touches another: an unexpected error halts that one alone, and says so. */
async function alone<T>(key: string, work: () => Promise<T>): Promise<T | HpaResult> {
  try {
    return await work();
  } catch (error) {
    const reason = isFault(error) ? "FailedSync" : "InternalError";
    const news = { type: "Warning", reason, message: error instanceof Error ? error.message : String(error) } as const;
    return { key, recorded: false, scaled: false, warnings: [news], news, recovered: false, events: [news] };
  }
}

/** Documents that look like HPAs, before any is validated: good enough to decide how pods are listed. */
function plausibleHpas(tasks: readonly HpaTask[]): readonly HorizontalPodAutoscaler[] {
  return tasks
    .map(({ document }) => document as HorizontalPodAutoscaler)
    .filter((hpa) => Array.isArray(hpa?.spec?.metrics));
}

async function connect(clusters: Clusters, entry: ClusterEntry, signal: AbortSignal): Promise<Cluster> {
  try {
    return guardCluster(await clusters.connect(entry, signal));
  } catch (error) {
    if (isFault(error)) return unreachableCluster(error);
    throw error;
  }
}

/** @returns those that could not be forgotten. What there is no time for is the next slot's. */
async function forgetDeleted(
  { message: { cluster }, inTurn, inTime, writes }: Sync,
  ports: SyncPorts,
  deleted: Run["deleted"],
): Promise<readonly HpaResult[]> {
  const forget = async (key: string, version: number): Promise<undefined> => {
    if (inTime()) await forgetHpa(ports, { cluster, key, version }, writes);
  };
  const failures = Object.entries(deleted).map(([key, { version }]) =>
    alone(key, () => inTurn(() => forget(key, version))),
  );
  return (await Promise.all(failures)).filter((failure) => failure !== undefined);
}
