import { goQuote } from "../../k8s/go-text";
import type { MetricSpec } from "../../k8s/hpa";
import type { MetricResponse, MetricValue } from "../../k8s/objects";
import { QuantityError, formatMilli, parseMilli } from "../../k8s/quantity";
import { DurationError, InstantError } from "../../k8s/time";
import { recommendExternal } from "./external";
import { type AverageValue, recommendAverage, podDetail } from "./from-pods";
import { customSamples } from "./group-pods";
import { recommendObject } from "./object";
import {
  type Observed,
  type Recommendation,
  type Result,
  fetchedItems,
  selectorProblem,
  shownMetric,
  unavailable,
  wrapped,
} from "./recommendation";
import { recommendContainerResource, recommendResource } from "./resource";

type Recommend = (metric: MetricSpec, response: MetricResponse, observed: Observed) => Recommendation;

const byType: ReadonlyMap<string, Recommend> = new Map([
  ["Resource", recommendResource],
  ["ContainerResource", recommendContainerResource],
  ["Pods", recommendPods],
  ["Object", recommendObject],
  ["External", recommendExternal],
]);

/**
 * Unreadable numbers or times are an error of the API, as in upstream's client. Upstream: computeReplicasForMetric,
 * horizontal.go.
 */
export function recommend(metric: MetricSpec, response: MetricResponse, observed: Observed): Recommendation {
  const recommendType = byType.get(metric.type);
  if (recommendType === undefined) {
    const message = `unknown metric source type ${goQuote(metric.type)}`;
    return unavailable("InvalidMetricSourceType", message, message);
  }
  try {
    return recommendType(metric, response, observed);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return recommendType(metric, { error: error.message }, observed);
  }
}

function isUnreadable(error: unknown): error is Error {
  return error instanceof QuantityError || error instanceof DurationError || error instanceof InstantError;
}

type Source = NonNullable<MetricSpec["pods"]>;

/** Upstream: computeStatusForPodsMetric, horizontal.go. */
function recommendPods(metric: MetricSpec, response: MetricResponse, observed: Observed): Recommendation {
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
  // Validation refuses this, and upstream's controller would crash.
  if (source.target.averageValue === undefined) {
    return { error: "invalid pods metric source: no average value target was set" };
  }
  const items = fetchedItems<MetricValue>(response, "custom");
  if ("error" in items) return { error: `unable to get metric ${name}: ${items.error}` };
  return recommendAverage(customSamples(items.value), "", parseMilli(source.target.averageValue), observed);
}
