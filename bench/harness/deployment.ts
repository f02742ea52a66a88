import type { HpaSpec, MetricSpec } from "../../lib/k8s/hpa";
import type { Cluster, Clusters } from "../../lib/model/ports/cluster";
import type { MetricSources } from "../../lib/model/ports/sources";
import { openEventRecorder } from "../../lib/sync/events/event-recorder";
import { syncShard } from "../../lib/sync/slot/sync-shard";
import { memoryStore } from "../../test/fakes/memory-store";

export const start = Date.parse("2026-03-01T12:00:00Z");
export const periodMs = 15_000;
export const quiet = { scaled() {}, failed() {}, recovered() {}, synced() {}, ticked() {} };
export const access = { region: "eu-central-1", credentials: { accessKeyId: "bench", secretAccessKey: "bench" } };

/** A queue, of which one replica takes five messages. */
export function queueMetric(queue: string, region?: string): MetricSpec {
  const matchLabels = { queue, ...(region !== undefined && { region }) };
  return {
    type: "External",
    external: {
      metric: { name: "sqs", selector: { matchLabels } },
      target: { type: "AverageValue", averageValue: "5" },
    },
  };
}

export interface DeploymentOptions {
  readonly clusters: Readonly<Record<string, () => Promise<Cluster>>>;
  readonly sources: MetricSources;
  readonly now: () => number;
}

/** The real sync in this process, for clusters of one shard each. The table is in memory. */
export function openDeployment({ clusters, sources, now }: DeploymentOptions) {
  const store = memoryStore(now);
  for (const cluster of Object.keys(clusters)) {
    const spec = { endpoint: `https://${cluster}.example`, auth: { type: "token", secret: `ebb/${cluster}` } } as const;
    store.clusterEntries.set(cluster, { key: cluster, value: { name: cluster, spec } });
    const range = { cluster, from: "", to: null };
    store.shardItems.set(`${cluster}#`, { ...range, version: 1, slot: 0, heartbeat: 0, behind: {}, entries: 0 });
  }
  const connect: Clusters["connect"] = ({ name }) => {
    const open = clusters[name];
    return open === undefined ? Promise.reject(new Error(`no cluster "${name}" in this bench`)) : open();
  };
  const events = openEventRecorder({ store, reporter: quiet });
  const ports = { store, sources, events, reporter: quiet, clusters: { connect } };
  return {
    ...{ store, ports },
    /** An HPA of a Deployment of the same name. @param key "namespace/name" */
    add(cluster: string, key: string, spec: Omit<HpaSpec, "scaleTargetRef">, status?: unknown): void {
      const [namespace, name = ""] = key.split("/");
      const document = { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", metadata: { namespace, name } };
      const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name };
      store.documents.set(`${cluster} ${key}`, { ...document, spec: { scaleTargetRef, ...spec }, status });
    },
    sync(cluster: string, slot: number) {
      const message = { cluster, from: "", slot, until: slot + periodMs };
      const { signal } = new AbortController();
      return syncShard(ports, message, { now, workedMs: () => 0, deadline: slot + 60_000, signal });
    },
  };
}
