import { setMaxListeners } from "node:events";
import { isFault } from "../api/errors";
import type { ClusterEntry } from "../api/entries";
import type { HorizontalPodAutoscaler } from "../api/hpa";
import type { EpochMs } from "../core/situation";
import type { Shard } from "../core/state";
import { guardCluster, unreachableCluster } from "./guard-cluster";
import type { HpaResult, HpaTask } from "./hpa-result";
import { knowNeighbours } from "./neighbours";
import { countPodReaders, openObserver } from "./observe";
import { decisionOptions } from "./options";
import type { Cluster, Clusters, MetricSources, Reporter, ShardContents, Store, SyncCounts } from "./ports";
import { sharePods } from "./read-pods";
import { shareSources } from "./read-sources";
import { reportNews } from "./report-news";
import type { Sync } from "./shared";
import type { SlotMessage } from "./slot-message";
import { syncHpa } from "./sync-hpa";
import { takeTurns } from "./take-turns";

/** HPAs that write at a time: well within the connections that the table's client and a cluster's agent keep. */
const concurrentWriters = 32;

export interface SyncPorts {
  readonly store: Store;
  readonly clusters: Clusters;
  readonly sources: MetricSources;
  readonly reporter: Reporter;
}

export interface SyncContext {
  readonly now: () => EpochMs;
  /** When the invocation must have recorded everything. */
  readonly deadline: EpochMs;
  /** Aborts whatever still runs when the invocation ends. */
  readonly signal: AbortSignal;
}

/**
 * Syncs one shard for one slot. Messages come at least once, late, twice and at the same time; a slot is finished once, by the conditional
 * write at the end, and each effect in between is conditional on the state that it was computed from.
 *
 * @throws Fault of the table: nothing was finished, and the message should be delivered again. What fails in a cluster, a source or an entry
 * does not throw: it stands on the HPAs concerned.
 */
export async function syncShard(ports: SyncPorts, message: SlotMessage, context: SyncContext): Promise<SyncCounts> {
  const startedAt = context.now();
  const counted = (outcome: SyncCounts["outcome"], counts: Partial<SyncCounts> = {}): SyncCounts => {
    const { cluster, slot } = message;
    const times = { lagMs: startedAt - slot, durationMs: context.now() - startedAt };
    const all: SyncCounts = { cluster, slot, outcome, hpas: 0, scaled: 0, failed: 0, behind: 0, ...times, ...counts };
    ports.reporter.synced(all);
    return all;
  };

  if (startedAt >= message.until) return counted("late");
  const shard = await ports.store.shard(message, context.signal);
  if (shard === undefined) return counted("gone");
  if (message.slot <= shard.slot) {
    await reportClock(ports, shard, message, context);
    return counted("done");
  }

  // Our clock may be a little behind the one that timed the message.
  const now = Math.max(startedAt, message.slot);
  const contents = await ports.store.load(shard, context.signal);
  if ("invalid" in contents.cluster) {
    const finished = await failShard(ports, shard, { message, now, context, failure: contents.cluster.invalid });
    return counted(finished ? "synced" : "fenced", { hpas: contents.hpas.length, failed: contents.hpas.length });
  }

  const results = await syncAll(ports, contents, { entry: contents.cluster.value, shard, message, now, context });
  reportNews(ports.reporter, message.cluster, { results, knownBehind: shard.behind, at: now });
  const behind = whoIsBehind(shard, results);
  const broken = describeBroken(contents);
  const finished = await ports.store.replaceShard(
    shard,
    { ...finishedShard(shard, broken), slot: message.slot, heartbeat: now, behind, entries: contents.hpas.length },
    context.signal,
  );
  if (finished && broken !== undefined && broken !== shard.failure) {
    ports.reporter.failed({ cluster: message.cluster, reason: "BrokenState", message: broken, at: now });
  }
  return counted(finished ? "synced" : "fenced", {
    hpas: results.length,
    scaled: results.filter(({ scaled }) => scaled).length,
    failed: results.filter(({ warnings }) => warnings.length > 0).length,
    behind: Object.keys(behind).length,
  });
}

interface Run {
  readonly entry: ClusterEntry;
  readonly shard: Shard;
  readonly message: SlotMessage;
  readonly now: EpochMs;
  readonly context: SyncContext;
}

async function syncAll(ports: SyncPorts, contents: ShardContents, run: Run): Promise<readonly HpaResult[]> {
  const { entry, shard, message, now, context } = run;
  const end = Math.min(message.until, context.deadline);
  const reads = AbortSignal.any([context.signal, AbortSignal.timeout(Math.max(0, end - context.now()))]);
  setMaxListeners(0, reads, context.signal); // every call of the sync listens to them
  const tasks = tasksOf(contents, shard);
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
    inTurn: takeTurns(concurrentWriters),
    asked: () => {
      toAsk -= 1;
      if (toAsk === 0) sources.flush();
    },
  };
  const [results] = await Promise.all([
    Promise.all(tasks.map((task) => syncAlone(sync, task))),
    forgetDeleted(ports.store, contents, message.cluster),
  ]);
  return results;
}

/** Nothing that goes wrong with one HPA touches another: an unexpected error halts that one alone, and says so. */
async function syncAlone(sync: Sync, task: HpaTask): Promise<HpaResult> {
  try {
    return await syncHpa(sync, task);
  } catch (error) {
    const reason = isFault(error) ? "FailedSync" : "InternalError";
    const news = { type: "Warning", reason, message: error instanceof Error ? error.message : String(error) } as const;
    return { key: task.key, recorded: false, scaled: false, warnings: [news], news, recovered: false };
  }
}

/** State that cannot be read is never overwritten: the HPAs concerned are halted until somebody mends or deletes the item. */
function describeBroken({ brokenStates }: ShardContents): string | undefined {
  const broken = Object.entries(brokenStates).map(([key, why]) => `STATE#${key}: ${why}`);
  return broken.length === 0 ? undefined : broken.join("; ");
}

/** Whom the last slots did not reach go first. */
function tasksOf({ hpas, states, brokenStates }: ShardContents, shard: Shard): readonly HpaTask[] {
  const isBehind = (key: string) => (key in shard.behind ? 0 : 1);
  return hpas
    .filter(({ key }) => !(key in brokenStates))
    .map(({ key, document }) => ({ key, document, state: states[key], lastSeen: shard.behind[key] ?? shard.heartbeat }))
    .sort((a, b) => isBehind(a.key) - isBehind(b.key));
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

/** An HPA whose entry is gone is forgotten, as upstream forgets a deleted one. */
async function forgetDeleted(store: Store, { hpas, states }: ShardContents, cluster: string): Promise<void> {
  const present = new Set(hpas.map(({ key }) => key));
  const deleted = Object.entries(states).filter(([key]) => !present.has(key));
  await Promise.all(deleted.map(([key, { version }]) => store.deleteState(cluster, key, version)));
}

/** The shard's next version, with this failure or none. */
function finishedShard({ failure: _, ...shard }: Shard, failure: string | undefined): Shard {
  return { ...shard, version: shard.version + 1, ...(failure === undefined ? {} : { failure }) };
}

/** Every HPA whose outcome the table does not hold, and when its open run was last seen. */
function whoIsBehind(shard: Shard, results: readonly HpaResult[]): Readonly<Record<string, EpochMs>> {
  const missed = results.filter(({ recorded }) => !recorded);
  return Object.fromEntries(missed.map(({ key }) => [key, shard.behind[key] ?? shard.heartbeat]));
}

/** The slot was tried and failed as a whole. The heartbeat stands still: nothing was seen. */
async function failShard(
  { store, reporter }: SyncPorts,
  shard: Shard,
  { message, now, context, failure }: { message: SlotMessage; now: EpochMs; context: SyncContext; failure: string },
): Promise<boolean> {
  const next: Shard = { ...shard, version: shard.version + 1, slot: message.slot, failure };
  const written = await store.replaceShard(shard, next, context.signal);
  if (written && shard.failure !== failure) {
    reporter.failed({ cluster: shard.cluster, reason: "InvalidCluster", message: failure, at: now });
  }
  return written;
}

/** A finished slot that lies in our future means that the clock went back. Slots only grow, so nothing is synced until it has caught up. */
async function reportClock(
  { store, reporter }: SyncPorts,
  shard: Shard,
  message: SlotMessage,
  context: SyncContext,
): Promise<void> {
  const now = context.now();
  const aheadMs = shard.slot - now;
  if (aheadMs <= message.until - message.slot) return;
  const failure = `the last finished slot is ${new Date(shard.slot).toISOString()}, ahead of the clock; waiting for it to pass`;
  if (shard.failure === failure) return;
  const written = await store.replaceShard(shard, { ...shard, version: shard.version + 1, failure }, context.signal);
  if (written)
    reporter.failed({
      cluster: shard.cluster,
      reason: "ClockWentBack",
      message: `${failure} (it is ${new Date(now).toISOString()})`,
      at: now,
    });
}
