import type { HorizontalPodAutoscaler, MetricSpec } from "../k8s/hpa";
import type { Scale } from "../k8s/objects";
import type { Situation } from "../model/situation";
import { isTrue } from "./conditions";

/**
 * A malformed apiVersion names no target. Upstream: reconcileAutoscaler, horizontal.go, and ParseGroupVersion,
 * apimachinery pkg/runtime/schema.
 */
export function targetScale({ hpa, scale }: Situation): Scale | { readonly error: string } {
  const apiVersion = hpa.spec.scaleTargetRef.apiVersion ?? "";
  if (apiVersion.split("/").length > 2) return { error: `unexpected GroupVersion string: ${apiVersion}` };
  return scale;
}

/** `disabled`: at a zero that is not ours. `outOfBounds`: goes to the bound. */
type Gate = { readonly kind: "open" } | ClosedGate;

export interface ClosedGate {
  readonly kind: "disabled" | "outOfBounds";
  readonly replicas: number;
  readonly limitedBy: "ScalingDisabled" | "TooFewReplicas" | "TooManyReplicas";
  readonly because: string;
}

const disabled: ClosedGate = {
  kind: "disabled",
  replicas: 0,
  limitedBy: "ScalingDisabled",
  because: "scaling is disabled since the replica count of the target is zero",
};

export const BELOW_MIN = "Current number of replicas below Spec.MinReplicas";
const ABOVE_MAX = "Current number of replicas above Spec.MaxReplicas";

/** Upstream: reconcileAutoscaler and shouldComputeMetricsForZeroReplicas, horizontal.go. */
export function checkGate(hpa: HorizontalPodAutoscaler, scale: Scale): Gate {
  const current = currentReplicas(scale);
  const min = minReplicas(hpa);
  const max = hpa.spec.maxReplicas;
  if (current === 0) return checkZero(hpa, min);
  if (current > max) {
    return { kind: "outOfBounds", replicas: max, limitedBy: "TooManyReplicas", because: ABOVE_MAX };
  }
  if (current < min) {
    return { kind: "outOfBounds", replicas: min, limitedBy: "TooFewReplicas", because: BELOW_MIN };
  }
  return { kind: "open" };
}

/** Only the ScaledToZero condition shows that a zero is ours; any other stays. */
function checkZero(hpa: HorizontalPodAutoscaler, min: number): Gate {
  const isOurs = isTrue(hpa.status?.conditions, "ScaledToZero");
  return isOurs && (min !== 0 || canReachZero(hpa)) ? { kind: "open" } : disabled;
}

/** Only Object and External metrics can be read while no pod runs. */
export function canReachZero(hpa: HorizontalPodAutoscaler): boolean {
  return (hpa.spec.metrics ?? []).some(({ type }) => type === "Object" || type === "External");
}

export function needsMetrics(hpa: HorizontalPodAutoscaler, scale: Scale): boolean {
  return checkGate(hpa, scale).kind === "open";
}

/** A Value total is spread over the ready pods, except from zero. */
export function needsPods(metric: MetricSpec, scale: Scale): boolean {
  const isFromZero = currentReplicas(scale) === 0;
  switch (metric.type) {
    case "Resource":
    case "ContainerResource":
    case "Pods":
      return true;
    case "Object":
      return metric.object?.target.type === "Value" && !isFromZero;
    case "External":
      return metric.external?.target.averageValue === undefined && !isFromZero;
    default:
      return false;
  }
}

/** The requested size, not the running one. The API leaves out 0. */
export function currentReplicas(scale: Scale): number {
  return scale.spec.replicas ?? 0;
}

export function minReplicas(hpa: HorizontalPodAutoscaler): number {
  return hpa.spec.minReplicas ?? 1;
}
