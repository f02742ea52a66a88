import { withDefaults } from "../lib/k8s/defaults";
import type { MetricSpec } from "../lib/k8s/hpa";
import type { MetricResponse, PodMetrics, Pod } from "../lib/k8s/objects";
import { defaultOptions } from "../lib/model/entry/options";
import { evaluate } from "../lib/core/evaluate";
import type { Situation } from "../lib/model/situation";
import type { EpochMs } from "../lib/k8s/time";

/**
 * Decisions per second on one thread, from parsed objects. The budget: at least twice the rate of upstream's own code
 * on the same kind of machine (JSON lines in and out), and a constant cost per pod for any number of pods.
 */
const UPSTREAM = { external: 28_600, cpu20: 6_850 };

const now = Date.parse("2026-03-01T12:00:00.500Z");
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
function externalSituations(): readonly Situation[] {
  const target = { type: "AverageValue", averageValue: "100" };
  const metric: MetricSpec = { type: "External", external: { metric: { name: "queue" }, target } };
  return Array.from({ length: 64 }, (_, index) => {
    const value = String(400 + index * 13);
    return situationOf(metric, { items: [{ metricName: "queue", timestamp: clock(now - 5_000), value }] }, [], 5);
  });
}

function cpuSituations(count: number): readonly Situation[] {
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

interface Measured {
  readonly perSecond: number;
  readonly microseconds: number;
}

/** The best of several rounds, because other work on the machine slows some of them. */
function measure(situations: readonly Situation[], rounds = 8, roundMs = 400): Measured {
  let best = 0;
  for (let round = 0; round < rounds; round += 1) {
    let decisions = 0;
    const start = performance.now();
    let elapsed = 0;
    while (elapsed < roundMs) {
      for (const situation of situations) evaluate(situation, now);
      decisions += situations.length;
      elapsed = performance.now() - start;
    }
    best = Math.max(best, (decisions * 1000) / elapsed);
  }
  return { perSecond: best, microseconds: 1_000_000 / best };
}

function main(): void {
  const measured = {
    external: measure(externalSituations()),
    20: measure(cpuSituations(20)),
    100: measure(cpuSituations(100)),
    1000: measure(cpuSituations(1000)),
  };
  const row = ({ perSecond, microseconds }: Measured, pods: number, upstream?: number) => ({
    "decisions/s": Math.round(perSecond),
    "µs a decision": Number(microseconds.toFixed(1)),
    "µs a pod": pods === 0 ? "" : Number((microseconds / pods).toFixed(2)),
    upstream: upstream ?? "",
    "× upstream": upstream === undefined ? "" : Number((perSecond / upstream).toFixed(1)),
  });
  console.table({
    "External, AverageValue": row(measured.external, 0, UPSTREAM.external),
    "CPU, 20 pods": row(measured[20], 20, UPSTREAM.cpu20),
    "CPU, 100 pods": row(measured[100], 100),
    "CPU, 1,000 pods": row(measured[1000], 1000),
  });
  const ratio = measured[1000].microseconds / 1000 / (measured[20].microseconds / 20);
  console.log(`A pod costs ${ratio.toFixed(2)} × as much among 1,000 as among 20 (1: linear, 50: quadratic).`);
  const goal = (name: string, { perSecond }: Measured, upstream: number) =>
    console.log(`${name}: ${(perSecond / upstream).toFixed(1)} × upstream, the goal is 2 ×`);
  goal("External, AverageValue", measured.external, UPSTREAM.external);
  goal("CPU, 20 pods", measured[20], UPSTREAM.cpu20);
}

main();
