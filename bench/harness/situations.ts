import { withDefaults } from "../../lib/k8s/defaults";
import type { MetricSpec } from "../../lib/k8s/hpa";
import type { MetricResponse, Pod, PodMetrics } from "../../lib/k8s/objects";
import { type EpochMs, formatInstant } from "../../lib/k8s/time";
import { defaultOptions } from "../../lib/model/entry/options";
import type { Situation } from "../../lib/model/situation";

/** The moment of all situations: a whole second, since upstream's controller reads its own clock. */
export const now: EpochMs = Math.floor(Date.now() / 1000) * 1000;
const clock = (at: EpochMs) => `${new Date(at).toISOString().slice(0, 19)}Z`;

function situationOf(metric: MetricSpec, response: MetricResponse, pods: readonly Pod[], replicas: number): Situation {
  const hpa = withDefaults({
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "web", namespace: "shop" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      minReplicas: 0,
      maxReplicas: 2000,
      metrics: [metric],
    },
  });
  return {
    hpa,
    scale: { metadata: { name: "web" }, spec: { replicas }, status: { replicas, selector: "app=web" } },
    pods,
    metrics: [response],
    history: {
      recommendations: [{ replicas, since: now - 400_000, at: now - 15_000 }],
      scaleUpEvents: [],
      scaleDownEvents: [],
    },
    options: defaultOptions,
    otherHpas: [],
  };
}

/** Each situation has another total, so that no cache can help. */
export function externalSituations(): readonly Situation[] {
  const target = { type: "AverageValue", averageValue: "100" };
  const metric: MetricSpec = { type: "External", external: { metric: { name: "queue" }, target } };
  return Array.from({ length: 64 }, (_, index) => {
    const value = String(400 + index * 13);
    return situationOf(metric, { items: [{ metricName: "queue", timestamp: clock(now - 5_000), value }] }, [], 5);
  });
}

export function cpuSituations(count: number): readonly Situation[] {
  const target = { type: "Utilization", averageUtilization: 60 };
  const metric: MetricSpec = { type: "Resource", resource: { name: "cpu", target } };
  return Array.from({ length: 8 }, (_, variant) => {
    const pods = Array.from({ length: count }, (_pod, index) => podOf(index));
    const items = pods.map((pod, index) => usageOf(pod, 100_000_000 + index * 1_234_567 + variant * 50_000_000));
    return situationOf(metric, { items }, pods, count);
  });
}

function podOf(index: number): Pod {
  const startTime = clock(now - 3_600_000 - index * 1000);
  const requests = { cpu: "250m", memory: "256Mi" };
  return {
    metadata: { name: `web-${index}`, namespace: "shop", labels: { app: "web", "pod-template-hash": "7d4b9c" } },
    spec: { containers: [{ name: "app", resources: { requests } }] },
    status: {
      phase: "Running",
      startTime,
      conditions: ["PodScheduled", "Initialized", "ContainersReady", "Ready"].map((type) => ({
        type,
        status: "True" as const,
        lastTransitionTime: startTime,
      })),
    },
  };
}

function usageOf(pod: Pod, nano: number): PodMetrics {
  return {
    metadata: { name: pod.metadata.name },
    timestamp: clock(now - 12_000),
    window: "15.032s",
    containers: [{ name: "app", usage: { cpu: `${nano}n`, memory: "181236Ki" } }],
  };
}

/** So many lines of `ebb evaluate`, in turn from these situations. */
export function linesOf(situations: readonly Situation[], count: number): string {
  const lines = situations.map(({ hpa, scale, pods, metrics, history }) =>
    JSON.stringify({ now: formatInstant(now), hpa, scale, pods, metrics, history: historyOf(history) }),
  );
  return Array.from({ length: count }, (_, index) => `${lines[index % lines.length]}\n`).join("");
}

function historyOf(history: Situation["history"]): object {
  const recommendations = (history?.recommendations ?? []).map(({ replicas, since, at }) => ({
    replicas,
    since: formatInstant(since),
    at: formatInstant(at),
  }));
  return { recommendations, scaleUpEvents: [], scaleDownEvents: [] };
}
