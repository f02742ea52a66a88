import type { HpaSpec } from "../hpa";
import { forbidden, invalid, required } from "./field-error";
import { validateBehavior } from "./validate-behavior";
import { validateMetric } from "./validate-metric";
import { validateReference } from "./validate-reference";

/**
 * A decoded and defaulted spec. HPAScaleToZero is on: minReplicas may be 0, with an Object or External metric.
 * Upstream: validateHorizontalPodAutoscalerSpec, pkg/apis/autoscaling/validation/validation.go.
 */
export function validateSpec(spec: HpaSpec): string[] {
  const { scaleTargetRef, metrics = [], behavior } = spec;
  return [
    ...replicasErrors(spec),
    // ReplicationController is the one scalable kind without an API group.
    ...validateReference("spec.scaleTargetRef", scaleTargetRef, scaleTargetRef.kind !== "ReplicationController"),
    ...metrics.flatMap((metric, index) => validateMetric(`spec.metrics[${index}]`, metric)),
    ...zeroErrors(spec),
    ...(behavior === undefined ? [] : validateBehavior("spec.behavior", behavior)),
  ];
}

function replicasErrors({ minReplicas, maxReplicas }: HpaSpec): string[] {
  const errors: string[] = [];
  if (minReplicas !== undefined && minReplicas < 0) {
    errors.push(invalid("spec.minReplicas", minReplicas, "must be greater than or equal to 0"));
  }
  if (maxReplicas === 0) errors.push(required("spec.maxReplicas", "must be set and greater than 0"));
  if (maxReplicas < 0) errors.push(invalid("spec.maxReplicas", maxReplicas, "must be greater than or equal to 1"));
  if (minReplicas !== undefined && maxReplicas < minReplicas) {
    errors.push(invalid("spec.maxReplicas", maxReplicas, "must be greater than or equal to `minReplicas`"));
  }
  return errors;
}

/** CPU or memory of no pods at all cannot say when to start one. */
function zeroErrors({ minReplicas, metrics = [] }: HpaSpec): string[] {
  const works = metrics.some(({ type }) => type === "Object" || type === "External");
  if (minReplicas !== 0 || works) return [];
  const text = "must specify at least one Object or External metric to support scaling to zero replicas";
  return [forbidden("spec.metrics", text)];
}
