import type { MetricSpec } from "../../../lib/k8s/hpa";
import { Fault } from "../../../lib/model/fault";
import type { FakeCluster } from "../../fakes/fake-cluster";
import type { BadAnswer } from "../stories/story";
import type { Entry } from "./entries";
import { keyOfMetric, metricId } from "./metric-id";
import { podTargetMilli, type PodWorld } from "./pods";
import type { StaleLoads } from "./stale-loads";

/** A load is counted in fifths of a target. */
const depthMilli = podTargetMilli / 5;
const timestamp = "2026-03-01T12:00:00Z";

export interface MetricsDeps {
  readonly entries: ReadonlyMap<string, Entry>;
  readonly farOf: (key: string) => FakeCluster;
  readonly pods: PodWorld;
  readonly stale: StaleLoads;
}

/** What the HPAs' metrics are, whether an API or the pods have them. `index` is the metric's place in the spec. */
export function openMetrics({ entries, farOf, pods, stale }: MetricsDeps) {
  const metricOf = (key: string, index: number) => entries.get(key)?.spec.metrics?.[index];

  function valueOf(key: string, metric: MetricSpec, index: number): number | undefined {
    if (metric.type !== "External") {
      const milli = pods.loadOf(key, podMetricOf(metric));
      return milli === undefined || farOf(key).scales.get(key)?.replicas === 0 ? undefined : milli / depthMilli;
    }
    if (isStale(metric)) return stale.truth(metricId(key, index));
    const there = farOf(key).external.get(metricId(key, index));
    const value = Array.isArray(there) && there[0] !== undefined ? Number(there[0].value) : undefined;
    return Number.isNaN(value) ? undefined : value;
  }

  return {
    valuesOf: (key: string) =>
      (entries.get(key)?.spec.metrics ?? []).map((metric, index) => valueOf(key, metric, index)),

    load(key: string, index: number, depth: number): void {
      const metric = metricOf(key, index);
      if (metric !== undefined && metric.type !== "External")
        return pods.load(key, podMetricOf(metric), depth * depthMilli);
      const metricName = metricId(key, index);
      if (metric !== undefined && isStale(metric)) stale.load(metricName, depth);
      farOf(key).external.set(metricName, [{ metricName, metricLabels: {}, timestamp, value: String(depth) }]);
    },

    /** What it answers now, if its counts may be wrong. */
    count(id: string): void {
      const key = keyOfMetric(id);
      const metric = metricOf(key, Number(id.slice(id.lastIndexOf(".") + 1)));
      if (metric !== undefined && isStale(metric)) farOf(key).external.set(id, [stale.counted(id)]);
    },

    blind(key: string, index: number, answer: BadAnswer): void {
      const { external } = farOf(key);
      const metricName = metricId(key, index);
      if (answer === "error") external.set(metricName, new Fault("badAnswer", "expected JSON, got <html>"));
      else if (answer === "hang") external.set(metricName, new Fault("timeout", "never answers"));
      else if (answer === "empty") external.set(metricName, []);
      else external.set(metricName, [{ metricName, metricLabels: {}, timestamp, value: "not a number" }]);
    },
  };
}

function isStale({ external }: MetricSpec): boolean {
  return external?.metric.name === "stale";
}

function podMetricOf({ type, pods }: MetricSpec): string {
  return type === "Pods" ? (pods?.metric.name ?? "") : "cpu";
}
