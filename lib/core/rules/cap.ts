import type { MetricRules } from "../../model/metric/metric-rules";
import type { Recommendation } from "../recommend/recommendation";
import { afterStep } from "./rule";

/** No metric asks for more than its own maxReplicas. The HPA's maxReplicas is another bound, for the answer. */
export function cap(recommendation: Recommendation, { maxReplicas }: MetricRules): Recommendation {
  if (recommendation.kind !== "proposal" || maxReplicas === undefined) return recommendation;
  const { replicas } = recommendation;
  if (replicas <= maxReplicas) return recommendation;
  return afterStep(recommendation, {
    stage: "cap",
    replicas: maxReplicas,
    limitedBy: "MetricMaxReplicas",
    because: `the metric's own maxReplicas is ${maxReplicas}`,
    detail: { rule: maxReplicas, found: replicas },
  });
}
