import type { HpaSpec, MetricSpec } from "../../../lib/k8s/hpa";

const tolerance = 0.1;
/** Of metrics of pods, too: a load is counted in these. */
const targetPerReplica = 5;

/**
 * The recommendation that these readings give, calculated here again. "ambiguous": a ratio so close to the tolerance
 * that rounding decides.
 */
export function recommend(
  spec: HpaSpec,
  current: number,
  values: readonly (number | undefined)[],
): number | "unknown" | "ambiguous" {
  const known = (spec.metrics ?? []).flatMap((metric, index) => {
    const value = values[index];
    return value === undefined ? [] : [wanted(metric, value, current)];
  });
  if (known.includes("ambiguous")) return "ambiguous";
  const highest = Math.max(...known.map(Number));
  if (known.length === 0 || (known.length < values.length && highest < current)) return "unknown";
  return highest;
}

function wanted(metric: MetricSpec, value: number, current: number): number | "ambiguous" {
  const isOfPods = metric.type !== "External";
  const target = isOfPods ? targetPerReplica : Number(metric.external?.target.averageValue);
  const ratio = value / (target * current);
  // The average of pods is cut to a thousandth.
  if (Math.abs(Math.abs(1 - ratio) - tolerance) < (isOfPods ? 0.01 : 1e-6)) return "ambiguous";
  return Math.abs(1 - ratio) < tolerance ? current : Math.ceil(value / target);
}

export function boundsOf({ minReplicas = 1, maxReplicas }: HpaSpec) {
  return { min: minReplicas, max: maxReplicas };
}

export function inBounds(spec: HpaSpec, replicas: number): number {
  const { min, max } = boundsOf(spec);
  return Math.min(Math.max(replicas, min), max);
}

/** Seconds. Without `behavior`, the cluster's option is the window, and nothing holds growth. */
export function windowsOf({ behavior }: HpaSpec, downscaleStabilizationSeconds: number) {
  return {
    up: behavior?.scaleUp?.stabilizationWindowSeconds ?? 0,
    down: behavior?.scaleDown?.stabilizationWindowSeconds ?? downscaleStabilizationSeconds,
  };
}
