import type { MetricSpec } from "../../k8s/hpa";
import type { MetricResponse, MetricValue } from "../../k8s/objects";
import { formatMilli, parseMilli } from "../../k8s/quantity";
import { recommendAverage, type AverageValue } from "./from-pods";
import { customSamples } from "./group-pods";
import { podDetail } from "./pod-detail";
import {
  fetchedItems,
  selectorProblem,
  shownMetric,
  unavailable,
  wrapped,
  type Observed,
  type Recommendation,
  type Result,
} from "./recommendation";

type Source = NonNullable<MetricSpec["pods"]>;

/** A metric that each pod has. Upstream: computeStatusForPodsMetric, horizontal.go. */
export function recommendPods(metric: MetricSpec, response: MetricResponse, observed: Observed): Recommendation {
  const source = metric.pods as Source;
  const result = propose(source, response, observed);
  if ("error" in result) {
    const { error } = wrapped(result, "failed to get pods metric value");
    return { ...result, ...unavailable("FailedGetPodsMetric", result.error, error) };
  }
  const { replicas, because, average, ratio, groups } = result.value;
  const averageValue = formatMilli(average, "DecimalSI");
  return {
    kind: "proposal",
    replicas,
    because,
    name: `pods metric ${source.metric.name}`,
    status: { type: "Pods", pods: { metric: shownMetric(source.metric), current: { averageValue } } },
    detail: { ratio, averageValue, target: String(source.target.averageValue), ...podDetail(groups) },
  };
}

function propose(source: Source, response: MetricResponse, observed: Observed): Result<AverageValue> {
  const { name, selector } = source.metric;
  const problem = selectorProblem(selector);
  if (problem !== undefined) return { error: problem };
  // Upstream's validation refuses this, and its controller would crash on it.
  if (source.target.averageValue === undefined) {
    return { error: "invalid pods metric source: no average value target was set" };
  }
  const items = fetchedItems<MetricValue>(response, "custom");
  if ("error" in items) return { error: `unable to get metric ${name}: ${items.error}` };
  return recommendAverage(customSamples(items.value), "", parseMilli(source.target.averageValue), observed);
}
