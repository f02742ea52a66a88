import type { ExternalMetricValue } from "../../lib/k8s/objects";
import type { HpaSpec } from "../../lib/k8s/hpa";
import type { EpochMs } from "../../lib/k8s/time";
import type { FailureLine, ScaledLine, SyncCounts } from "../../lib/model/report";
import type { Cluster } from "../../lib/model/ports/cluster";
import type { KnownSource, MetricSources, SourceQuery, SourceReading } from "../../lib/model/ports/sources";
import type { HistoryWriter } from "../../lib/model/ports/history";
import type { Store } from "../../lib/model/ports/store";
import { openEventRecorder, type EventRecorder } from "../../lib/sync/events/event-recorder";
import type { ShardCache } from "../../lib/sync/slot/shard-cache";
import { syncShard } from "../../lib/sync/slot/sync-shard";
import type { SyncPorts } from "../../lib/sync/ports";
import type { FailingLimits } from "../../lib/sync/slot/count-failing";
import type { PollerSettings } from "../../lib/sync/slot/idle-hpas";
import { syncWoken } from "../../lib/sync/wake/sync-woken";
import { fakeCluster } from "../fakes/fake-cluster";
import { memoryStore } from "../fakes/memory-store";

export const start = Date.parse("2026-03-01T12:00:00Z");
export const periodMs = 15_000;
export const slotAt = (index: number): EpochMs => start + index * periodMs;

/** Queue depth 5 a replica, 0 to 10 replicas, down after a minute, up by at most 4 pods in 15 s. */
export const queueSpec: HpaSpec = {
  scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "orders" },
  minReplicas: 0,
  maxReplicas: 10,
  metrics: [
    { type: "External", external: { metric: { name: "depth" }, target: { type: "AverageValue", averageValue: "5" } } },
  ],
  behavior: {
    scaleUp: { policies: [{ type: "Pods", value: 4, periodSeconds: 15 }] },
    scaleDown: { stabilizationWindowSeconds: 60 },
  },
};

export function document(spec: HpaSpec, key = "shop/orders"): unknown {
  const [namespace, name] = key.split("/");
  return { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", metadata: { namespace, name }, spec };
}

/** The fakes themselves, unless a test wraps them. */
interface Backends {
  readonly events?: EventRecorder;
  readonly store?: Store;
  readonly cluster?: Cluster;
  readonly sources?: MetricSources;
  /** What the process keeps. By default it loads everything in each slot. */
  readonly shardCache?: ShardCache;
  readonly poller?: PollerSettings;
  readonly failing?: FailingLimits;
  readonly history?: HistoryWriter;
}

/** Runs that a test leaves dead or asleep are ended with it, as by the platform. */
let invocations = new AbortController();
afterEach(() => {
  invocations.abort();
  invocations = new AbortController();
});

/** One cluster "prod" with one HPA "shop/orders" on a Deployment of one replica, and a logical clock. */
export function fixture({ spec = queueSpec, replicas = 1 }: { spec?: HpaSpec; replicas?: number } = {}) {
  const clock = { now: start };
  const store = memoryStore(() => clock.now);
  const cluster = fakeCluster();
  const lines: string[] = [];
  const failures: FailureLine[] = [];
  const scaled: ScaledLine[] = [];
  const counts: SyncCounts[] = [];

  store.clusterEntries.set("prod", {
    key: "prod",
    value: { name: "prod", spec: { endpoint: "https://prod.example", auth: { type: "token", secret: "ebb/prod" } } },
  });
  store.documents.set("prod shop/orders", document(spec));
  const shard = { cluster: "prod", from: "", to: null, version: 1, slot: 0, heartbeat: 0, behind: {}, entries: 0 };
  store.shardItems.set("prod#", shard);
  cluster.add("shop/orders", replicas);

  const reporter = {
    scaled: (line: ScaledLine) => {
      scaled.push(line);
      lines.push(`${line.from} → ${line.to}`);
    },
    failed: (line: FailureLine) => {
      failures.push(line);
      lines.push(`${line.key ?? line.cluster}: ${line.reason}`);
    },
    recovered: ({ key }: { key?: string }) => void lines.push(`${key}: recovered`),
    synced: (count: SyncCounts) => void counts.push(count),
    ticked: () => undefined,
  };

  const events = openEventRecorder({ store, reporter });
  const portsOver = (over: Backends): SyncPorts => ({
    store: over.store ?? store,
    clusters: { connect: () => Promise.resolve(over.cluster ?? cluster) },
    sources: over.sources ?? {},
    reporter,
    ...(over.shardCache && { shardCache: over.shardCache }),
    ...(over.poller && { poller: over.poller }),
    ...(over.failing && { failing: over.failing }),
    ...(over.history && { history: over.history }),
    events: over.events ?? (over.store === undefined ? events : openEventRecorder({ store: over.store, reporter })),
  });

  /** Runs one slot, `afterMs` into it, over these backends (by default the fakes themselves). */
  async function sync(
    index: number,
    over: Backends & {
      afterMs?: number;
      now?: () => EpochMs;
      workedMs?: () => number;
      from?: string;
      lengthMs?: number;
    } = {},
  ): Promise<SyncCounts> {
    const slot = slotAt(index);
    clock.now = slot + (over.afterMs ?? 200);
    return syncShard(
      portsOver(over),
      { cluster: "prod", from: over.from ?? "", slot, until: slot + (over.lengthMs ?? periodMs) },
      {
        now: over.now ?? (() => clock.now),
        workedMs: over.workedMs ?? (() => 0),
        deadline: slot + 60_000,
        signal: invocations.signal,
      },
    );
  }

  /** Wakes HPAs of the namespace "shop" (by default "orders"), `afterMs` after their change was heard of. */
  async function wake(
    at: EpochMs,
    over: Backends & { names?: readonly string[]; afterMs?: number; now?: () => EpochMs; until?: EpochMs } = {},
  ): Promise<SyncCounts | undefined> {
    clock.now = at + (over.afterMs ?? 100);
    const message = {
      cluster: "prod",
      namespace: "shop",
      names: over.names ?? ["orders"],
      at,
      ...(over.until && { until: over.until }),
    };
    const within = {
      now: over.now ?? (() => clock.now),
      workedMs: () => 0,
      deadline: clock.now + 60_000,
      signal: invocations.signal,
    };
    const [counts] = await syncWoken(portsOver(over), message, within);
    return counts;
  }

  /** "SuccessfulRescale x2: …" for each event of the HPA that is shown now. */
  const eventsNow = async (key = "shop/orders") => {
    const all = await store.events({ cluster: "prod", from: "", to: null }, invocations.signal);
    const own = all.find((hpa) => hpa.key === key)?.events ?? [];
    return own.map(({ reason, count, message }) => `${reason} x${count}: ${message}`);
  };
  const depth = (value: number | string) => cluster.external.set("depth", [metricValue("depth", value)]);
  const replicasNow = () => cluster.scales.get("shop/orders")?.replicas;
  const state = () => store.stateItems.get("prod shop/orders");
  const shardNow = () => store.shardItems.get("prod#");
  const condition = (type: string) => state()?.status.conditions?.find((known) => known.type === type);
  return {
    store,
    cluster,
    clock,
    lines,
    failures,
    scaled,
    counts,
    reporter,
    sync,
    wake,
    depth,
    replicasNow,
    state,
    shardNow,
    condition,
    eventsNow,
  };
}

/** A source that answers every query by itself with what `read` gives. */
export function sourceOf(read: (query: SourceQuery) => SourceReading, keepMs = 0): KnownSource {
  return { isBuiltIn: true, keepMs: () => keepMs, open: () => ({ read: (query) => Promise.resolve(read(query)) }) };
}

export function metricValue(metricName: string, value: number | string): ExternalMetricValue {
  return { metricName, metricLabels: {}, timestamp: "2026-03-01T12:00:00Z", value: String(value) };
}
