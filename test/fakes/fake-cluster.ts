import { Fault } from "../../lib/model/fault";
import type { ExternalMetricValue, MetricValue, PodMetrics, Pod, Scale } from "../../lib/k8s/objects";
import type { RecordedEvent } from "../../lib/model/event-log";
import type { Cluster, SeenTarget, Target } from "../../lib/model/ports";

export interface FakeCluster extends Cluster {
  /** By "namespace/name" of the target. */
  readonly scales: Map<string, { uid: string; replicas: number; resourceVersion: number; selector: string }>;
  readonly external: Map<string, ExternalMetricValue[] | Fault>;
  pods: Pod[];
  podMetricsItems: PodMetrics[];
  podsMetricItems: MetricValue[];
  /** Of each event that was shown on a target, by name: as it was shown last. */
  readonly shown: Map<string, { readonly target: SeenTarget; readonly event: RecordedEvent }>;
  readonly calls: Record<string, number>;
  /** Every scale write that took effect, in order. */
  readonly writes: { readonly target: string; readonly from: number; readonly to: number }[];
  /** The target's status changed: another resourceVersion, the same size. */
  touch(target: string): void;
  add(target: string, replicas: number): void;
}

/** A cluster in memory with the API server's rules for scales: not found, conflicts on a moved resourceVersion. */
export function fakeCluster(): FakeCluster {
  const scales: FakeCluster["scales"] = new Map();
  const external: FakeCluster["external"] = new Map();
  const calls: Record<string, number> = {};
  const writes: FakeCluster["writes"] = [];
  const shown: FakeCluster["shown"] = new Map();
  let version = 100;

  const idOf = (target: Target) => `${target.namespace}/${target.name}`;
  const called = async (name: string) => {
    calls[name] = (calls[name] ?? 0) + 1;
    await Promise.resolve();
  };
  function find(target: Target) {
    const found = scales.get(idOf(target));
    if (found === undefined)
      throw new Fault("notFound", `deployments.apps "${target.name}" not found`, { status: 404 });
    return found;
  }
  function asScale(target: Target): Scale {
    const { uid, replicas, resourceVersion, selector } = find(target);
    return {
      metadata: { name: target.name, namespace: target.namespace, uid, resourceVersion: String(resourceVersion) },
      spec: { replicas },
      status: { replicas, selector },
    };
  }

  const cluster: FakeCluster = {
    scales,
    external,
    shown,
    calls,
    writes,
    pods: [],
    podMetricsItems: [],
    podsMetricItems: [],
    touch(target) {
      const found = scales.get(target);
      if (found !== undefined) found.resourceVersion = ++version;
    },
    add(target, replicas) {
      const name = target.split("/")[1] ?? "";
      scales.set(target, { uid: `uid-${++version}`, replicas, resourceVersion: version, selector: `app=${name}` });
    },
    async getScale(target) {
      await called("getScale");
      return asScale(target);
    },
    async putScale(target, scale) {
      await called("putScale");
      const found = find(target);
      if (scale.metadata.resourceVersion !== String(found.resourceVersion)) {
        throw new Fault("conflict", `Operation cannot be fulfilled on deployments.apps "${target.name}"`, {
          status: 409,
        });
      }
      const to = scale.spec.replicas ?? 0;
      writes.push({ target: idOf(target), from: found.replicas, to });
      found.replicas = to;
      found.resourceVersion = ++version;
      return asScale(target);
    },
    async listPods(namespace) {
      await called("listPods");
      return cluster.pods.filter((pod) => pod.metadata.namespace === namespace);
    },
    async podMetrics() {
      await called("podMetrics");
      return cluster.podMetricsItems;
    },
    async podsMetric() {
      await called("podsMetric");
      return cluster.podsMetricItems;
    },
    async objectMetric() {
      await called("objectMetric");
      return [];
    },
    async recordEvent(target, event) {
      await called("recordEvent");
      shown.set(event.name, { target, event });
    },
    async externalMetric({ metric }) {
      await called("externalMetric");
      const answer = external.get(metric.name) ?? [];
      if (answer instanceof Fault) throw answer;
      return answer;
    },
  };
  return cluster;
}
