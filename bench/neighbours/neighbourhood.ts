import type { HpaSpec } from "../../lib/k8s/hpa";
import type { Cluster, Clusters } from "../../lib/model/ports/cluster";
import type { MetricSources } from "../../lib/model/ports/sources";
import { openEventRecorder } from "../../lib/sync/events/event-recorder";
import { syncShard } from "../../lib/sync/slot/sync-shard";
import { memoryStore } from "../../test/fakes/memory-store";

/** Milliseconds from a slot's start to the last healthy scale write: in the first slot, and in the best later one. */
export interface Times {
  readonly first: number;
  readonly later: number;
}

export type Metric = NonNullable<HpaSpec["metrics"]>[number];

/** HPAs of one cluster. The `healthy` ones are timed. */
export interface Street {
  readonly cluster: string;
  readonly kind: "healthy" | "neighbour";
  readonly count: number;
  readonly metric: (name: string) => Metric;
}

/** The names of the street's HPAs. The names of two streets interleave, so that neither loads first. */
export function houses({ kind, count }: Pick<Street, "kind" | "count">): readonly string[] {
  return Array.from({ length: count }, (_, index) => `h${String(index).padStart(3, "0")}-${kind}`);
}

export interface Backends {
  readonly clusters: Readonly<Record<string, () => Promise<Cluster>>>;
  readonly sources: MetricSources;
  readonly clock: { now: number };
}

export const namespace = "shop";
const slots = 5;
const periodMs = 15_000;
const start = Date.parse("2026-03-01T12:00:00Z");

/** Syncs the streets' clusters in one invocation, slot after slot. `scaled`: how many HPAs must scale each time. */
export async function time(streets: readonly Street[], far: Backends, scaled: number): Promise<Times> {
  const { clock } = far;
  const store = memoryStore(() => clock.now);
  const clusters = [...new Set(streets.map(({ cluster }) => cluster))];
  for (const cluster of clusters) {
    const auth = { type: "token", secret: `ebb/${cluster}` } as const;
    const value = { name: cluster, spec: { endpoint: `https://${cluster}.example`, auth } };
    store.clusterEntries.set(cluster, { key: cluster, value });
    store.shardItems.set(`${cluster}#`, {
      ...{ cluster, from: "", to: null, version: 1, slot: 0, heartbeat: 0, behind: {}, entries: 0 },
    });
  }
  for (const street of streets) {
    for (const name of houses(street)) {
      store.documents.set(`${street.cluster} ${namespace}/${name}`, document(name, street.metric(name)));
    }
  }

  let scaledAt: number[] = [];
  const timed = (cluster: Cluster): Cluster => ({
    ...cluster,
    putScale: (...[target, scale, signal]: Parameters<Cluster["putScale"]>) => {
      if (target.name.endsWith("-healthy")) scaledAt.push(performance.now());
      return cluster.putScale(target, scale, signal);
    },
  });
  const reporter = { scaled() {}, failed() {}, recovered() {}, synced() {}, ticked() {} };
  const connect: Clusters["connect"] = async ({ name }) => {
    const open = far.clusters[name];
    if (open === undefined) throw new Error(`no cluster "${name}" in this bench`);
    return timed(await open());
  };
  const events = openEventRecorder({ store, reporter });
  const ports = { store, reporter, sources: far.sources, events, clusters: { connect } };

  const times: number[] = [];
  for (let index = 1; index <= slots; index++) {
    const slot = start + index * periodMs;
    clock.now = slot + 100;
    scaledAt = [];
    const startedAt = performance.now();
    const { signal } = new AbortController();
    const context = { now: () => clock.now, workedMs: () => 0, deadline: slot + periodMs, signal };
    const results = await Promise.all(
      clusters.map((cluster) => syncShard(ports, { cluster, from: "", slot, until: slot + periodMs }, context)),
    );
    const sum = results.reduce((total, result) => total + result.scaled, 0);
    if (sum !== scaled) throw new Error(`slot ${index}: expected ${scaled} HPAs to scale, got ${sum}`);
    times.push(Math.max(...scaledAt) - startedAt);
  }
  return { first: times[0] ?? Infinity, later: Math.min(...times.slice(1)) };
}

/** Grows by one replica a slot, for every measured slot. */
function document(name: string, metric: Metric): unknown {
  const spec: HpaSpec = {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
    ...{ minReplicas: 1, maxReplicas: 100, metrics: [metric] },
    behavior: { scaleUp: { policies: [{ type: "Pods", value: 1, periodSeconds: 15 }] } },
  };
  return { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", metadata: { namespace, name }, spec };
}
