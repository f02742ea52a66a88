import { DurationError, InstantError } from "../../k8s/time";
import { goQuote } from "../../k8s/go-text";
import type { MetricSpec } from "../../k8s/hpa";
import type { MetricResponse } from "../../k8s/objects";
import { QuantityError } from "../../k8s/quantity";
import { recommendExternal } from "./external";
import { recommendObject } from "./object";
import { recommendPods } from "./pods";
import { unavailable, type Observed, type Recommendation } from "./recommendation";
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
 * The size that one metric asks for. If numbers or times of a response cannot be read, the response counts as an error
 * of its API, as in upstream's client: unknown, never a number. Upstream: computeReplicasForMetric, horizontal.go.
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
