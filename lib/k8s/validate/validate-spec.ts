import type { Behavior, HpaSpec, Quantity, ScalingPolicy, ScalingRules } from "../hpa";
import { parseQuantity, signOf } from "../quantity";
import { type FieldError, forbidden, invalid, required, unsupported } from "./field-error";
import type { Ratchet } from "./ratchet";
import { validateMetric } from "./validate-metric";
import { validateReference } from "./validate-reference";

const MAX_WINDOW_SECONDS = 3600;
const MAX_PERIOD_SECONDS = 1800;
const MAX_SYNC_PERIOD_SECONDS = 3600;

/** Upstream: validateBehavior. */
function validateBehavior(field: string, { scaleUp, scaleDown }: Behavior): FieldError[] {
  return [
    ...(scaleUp === undefined ? [] : validateRules(`${field}.scaleUp`, scaleUp)),
    ...(scaleDown === undefined ? [] : validateRules(`${field}.scaleDown`, scaleDown)),
  ];
}

function validateRules(field: string, rules: ScalingRules): FieldError[] {
  const { stabilizationWindowSeconds, selectPolicy, policies = [], tolerance } = rules;
  return [
    ...windowErrors(`${field}.stabilizationWindowSeconds`, stabilizationWindowSeconds),
    ...(selectPolicy === undefined || ["Disabled", "Max", "Min"].includes(selectPolicy)
      ? []
      : [unsupported(`${field}.selectPolicy`, selectPolicy, ["Disabled", "Max", "Min"])]),
    ...(policies.length === 0 ? [required(`${field}.policies`, "must specify at least one Policy")] : []),
    ...policies.flatMap((policy, index) => validatePolicy(`${field}.policies[${index}]`, policy)),
    ...toleranceErrors(`${field}.tolerance`, tolerance),
  ];
}

function windowErrors(field: string, seconds: number | undefined): FieldError[] {
  if (seconds === undefined) return [];
  if (seconds < 0) return [invalid(field, seconds, "must be greater than or equal to zero")];
  if (seconds > MAX_WINDOW_SECONDS) {
    return [invalid(field, seconds, `must be less than or equal to ${MAX_WINDOW_SECONDS}`)];
  }
  return [];
}

function validatePolicy(field: string, { type, value, periodSeconds }: ScalingPolicy): FieldError[] {
  const errors: FieldError[] = [];
  if (type !== "Pods" && type !== "Percent") errors.push(unsupported(`${field}.type`, type, ["Percent", "Pods"]));
  if (value <= 0) errors.push(invalid(`${field}.value`, value, "must be greater than zero"));
  if (periodSeconds <= 0) errors.push(invalid(`${field}.periodSeconds`, periodSeconds, "must be greater than zero"));
  if (periodSeconds > MAX_PERIOD_SECONDS) {
    const text = `must be less than or equal to ${MAX_PERIOD_SECONDS}`;
    errors.push(invalid(`${field}.periodSeconds`, periodSeconds, text));
  }
  return errors;
}

function toleranceErrors(field: string, tolerance: Quantity | undefined): FieldError[] {
  if (tolerance === undefined || signOf(parseQuantity(tolerance)) >= 0) return [];
  return [invalid(field, String(tolerance), "must be greater than or equal to 0")];
}

/**
 * With HPAScaleToZero. Upstream: validateHorizontalPodAutoscalerSpec, pkg/apis/autoscaling/validation/validation.go.
 */
export function validateSpec(spec: HpaSpec, ratchet: Ratchet): FieldError[] {
  const { scaleTargetRef, metrics = [], behavior } = spec;
  const { scaleTarget, describedObjects } = ratchet;
  return [
    ...replicasErrors(spec, ratchet, "unchanged"),
    ...boundsErrors(spec),
    ...validateReference("spec.scaleTargetRef", scaleTargetRef, scaleTarget),
    ...metrics.flatMap((metric, index) => validateMetric(`spec.metrics[${index}]`, metric, describedObjects)),
    ...zeroErrors(spec),
    ...(behavior === undefined ? [] : validateBehavior("spec.behavior", behavior)),
    ...syncPeriodErrors(spec),
    ...replicasErrors(spec, ratchet, "changed"),
  ];
}

function boundsErrors({ minReplicas, maxReplicas }: HpaSpec): FieldError[] {
  if (minReplicas === undefined || maxReplicas >= minReplicas) return [];
  return [invalid("spec.maxReplicas", maxReplicas, "must be greater than or equal to `minReplicas`")];
}

/**
 * Since 1.37, upstream takes these from tags of the API's types, after all others. The tags skip what an update leaves
 * as it is.
 */
function replicasErrors(
  { minReplicas, maxReplicas }: HpaSpec,
  { isUnchanged }: Ratchet,
  which: "changed" | "unchanged",
): FieldError[] {
  const isByTag = which === "changed";
  const errors: FieldError[] = [];
  if (minReplicas !== undefined && minReplicas < 0 && isUnchanged.minReplicas !== isByTag) {
    errors.push(invalid("spec.minReplicas", minReplicas, "must be greater than or equal to 0"));
  }
  if (isUnchanged.maxReplicas === isByTag) return errors;
  if (maxReplicas === 0) errors.push(required("spec.maxReplicas", isByTag ? "" : "must be set and greater than 0"));
  if (maxReplicas < 0) errors.push(invalid("spec.maxReplicas", maxReplicas, "must be greater than or equal to 1"));
  return errors;
}

/** KEP-6003: 1 second to 1 hour. */
function syncPeriodErrors({ syncPeriodSeconds }: HpaSpec): FieldError[] {
  const field = "spec.syncPeriodSeconds";
  if (syncPeriodSeconds === undefined) return [];
  if (syncPeriodSeconds < 1) return [invalid(field, syncPeriodSeconds, "must be greater than or equal to 1")];
  if (syncPeriodSeconds <= MAX_SYNC_PERIOD_SECONDS) return [];
  return [invalid(field, syncPeriodSeconds, `must be less than or equal to ${MAX_SYNC_PERIOD_SECONDS}`)];
}

/** Without pods, no CPU or memory usage shows when to start one. */
function zeroErrors({ minReplicas, metrics = [] }: HpaSpec): FieldError[] {
  const works = metrics.some(({ type }) => type === "Object" || type === "External");
  if (minReplicas !== 0 || works) return [];
  const text = "must specify at least one Object or External metric to support scaling to zero replicas";
  return [forbidden("spec.metrics", text)];
}
