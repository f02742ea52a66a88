import { setMaxListeners } from "node:events";
import { Fault, isFault } from "../api/errors";
import type { ClusterEntry } from "../api/entries";
import type { HorizontalPodAutoscaler } from "../api/hpa";
import type { EpochMs } from "../core/situation";
import type { Shard } from "../core/state";
import { guardCluster, unreachableCluster } from "./guard-cluster";
import type { HpaResult, HpaTask } from "./hpa-result";
import { knowNeighbours } from "./neighbours";
import { countPodReaders, openObserver } from "./observe";
import { decisionOptions } from "./options";
import type { Cluster, Clusters, ShardContents } from "./ports";
import { sharePods } from "./read-pods";
import { shareSources } from "./read-sources";
import type { Sync } from "./shared";
import type { SlotMessage } from "./slot-message";
import { tasksOf } from "./slot-tasks";
import { syncHpa } from "./sync-hpa";
import type { SyncContext, SyncPorts } from "./sync-shard";
import { takeTurns } from "./take-turns";

/** HPAs that write at a time: well within the connections that the table's client and a cluster's agent keep. */
const concurrentWriters = 32;

/** One sync of a shard, once it is known that there is something to do. */
export interface Run {
  readonly entry: ClusterEntry;
  readonly shard: Shard;
  readonly message: SlotMessage;
  readonly now: EpochMs;
  readonly context: SyncContext;
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
  { entry, shard, message, now, context }: Run,
): Promise<readonly HpaResult[]> {
  const tasks = tasksOf(contents, shard, message);
  const cluster = await connect(ports.clusters, entry, reads);
  const sources = shareSources(ports.sources, contents.states, { slot: message.slot, now, signal: reads });
  let toAsk = tasks.length;
  const sync: Sync = {
    store: ports.store,
    reporter: ports.reporter,
    cluster,
    message,
    options: decisionOptions(entry.spec.options),
    now,
    observe: openObserver({
      cluster,
      pods: sharePods(cluster, countPodReaders(plausibleHpas(tasks)), reads),
      sources,
      sourceEntries: new Map(contents.sources.map((source) => [source.key, source])),
      neighbours: knowNeighbours(contents.states, new Set(tasks.map(({ key }) => key))),
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
    forgetDeleted(sync, contents),
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
    return { key, recorded: false, scaled: false, warnings: [news], news, recovered: false };
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

/** An HPA whose entry is gone is forgotten, as upstream forgets a deleted one. @returns those whose state could not be deleted. */
async function forgetDeleted(sync: Sync, { hpas, states }: ShardContents): Promise<readonly HpaResult[]> {
  const { store, message, inTurn, writes } = sync;
  const present = new Set(hpas.map(({ key }) => key));
  const deleted = Object.entries(states).filter(([key]) => !present.has(key));
  const forget = (key: string, version: number) => store.deleteState(message.cluster, key, version, writes);
  const failures = deleted.map(([key, { version }]) =>
    alone(key, () => inTurn(async () => void (await forget(key, version)))),
  );
  return (await Promise.all(failures)).filter((failure) => failure !== undefined);
}
