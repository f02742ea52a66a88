import { carrier, withoutCarriers } from "./carriers";
import { goJson } from "../go-text";
import type {
  CrossVersionObjectReference,
  HorizontalPodAutoscaler,
  HpaStatus,
  MetricSpec,
  MetricStatus,
  MetricValueStatus,
} from "../hpa";
import type { Condition, ObjectMeta } from "../objects";
import { v1Behavior, withoutUndefined, v1Reference, sorted, v1MetricSpec, v1MetricStatus } from "./v1-metric";
import { QuantityError, canonicalQuantity, parseQuantity } from "../quantity";

interface HorizontalPodAutoscalerV1 {
  readonly kind: "HorizontalPodAutoscaler";
  readonly apiVersion: "autoscaling/v1";
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly scaleTargetRef: CrossVersionObjectReference;
    readonly minReplicas?: number;
    readonly maxReplicas: number;
    readonly targetCPUUtilizationPercentage?: number;
    readonly syncPeriodSeconds?: number;
  };
  readonly status: {
    readonly observedGeneration?: number;
    readonly lastScaleTime?: string;
    readonly currentReplicas: number;
    readonly desiredReplicas: number;
    readonly currentCPUUtilizationPercentage?: number;
  };
}

/**
 * In the API server's order. v1 has only one CPU target, which `decodeHpa` puts last. Upstream:
 * Convert_autoscaling_HorizontalPodAutoscaler_To_v1_HorizontalPodAutoscaler, pkg/apis/autoscaling/v1/conversion.go.
 */
export function toV1(hpa: HorizontalPodAutoscaler): HorizontalPodAutoscalerV1 {
  const { scaleTargetRef, minReplicas, maxReplicas, metrics = [], syncPeriodSeconds } = hpa.spec;
  const cpu = metrics.map(cpuTarget).find((target) => target !== undefined);
  return {
    kind: "HorizontalPodAutoscaler",
    apiVersion: "autoscaling/v1",
    metadata: withAnnotations(hpa.metadata, { ...withoutCarriers(hpa.metadata.annotations), ...carried(hpa) }),
    spec: withoutUndefined<HorizontalPodAutoscalerV1["spec"]>({
      scaleTargetRef: v1Reference(scaleTargetRef),
      minReplicas,
      maxReplicas,
      targetCPUUtilizationPercentage: cpu,
      syncPeriodSeconds,
    }),
    status: v1Status(hpa.status ?? {}),
  };
}

function cpuTarget({ type, resource }: MetricSpec): number | undefined {
  return type === "Resource" && resource?.name === "cpu" ? resource.target.averageUtilization : undefined;
}

function carried({ spec, status }: HorizontalPodAutoscaler): Readonly<Record<string, string>> {
  const others = (spec.metrics ?? []).filter((metric) => cpuTarget(metric) === undefined);
  const currentMetrics = status?.currentMetrics ?? [];
  const conditions = status?.conditions ?? [];
  return {
    ...(others.length === 0 ? {} : { [carrier("metrics")]: goJson(others.map(v1MetricSpec)) }),
    ...(currentMetrics.length === 0
      ? {}
      : { [carrier("current-metrics")]: goJson(currentMetrics.map(v1MetricStatus)) }),
    ...(spec.behavior === undefined ? {} : { [carrier("behavior")]: goJson(v1Behavior(spec.behavior)) }),
    ...(conditions.length === 0 ? {} : { [carrier("conditions")]: goJson(conditions.map(v1Condition)) }),
  };
}

/** Go writes an unset time as null. */
function v1Condition(condition: Condition): object {
  const { type, status, lastTransitionTime = null, reason, message, observedGeneration } = condition;
  return { type, status, lastTransitionTime, reason, message, observedGeneration };
}

function v1Status(status: HpaStatus): HorizontalPodAutoscalerV1["status"] {
  const { observedGeneration, lastScaleTime, currentReplicas = 0, desiredReplicas = 0, currentMetrics } = status;
  const cpu = (currentMetrics ?? [])
    .map(({ type, resource }) =>
      type === "Resource" && resource?.name === "cpu" ? resource.current.averageUtilization : undefined,
    )
    .findLast((utilization) => utilization !== undefined);
  return withoutUndefined<HorizontalPodAutoscalerV1["status"]>({
    observedGeneration,
    lastScaleTime,
    currentReplicas,
    desiredReplicas,
    currentCPUUtilizationPercentage: cpu,
  });
}

/** `rest`: fields that our type does not name. Go has them last. */
function withAnnotations(metadata: ObjectMeta, annotations: Readonly<Record<string, string>>): ObjectMeta {
  const { name, generateName, namespace, uid, resourceVersion, generation, ...others } = metadata;
  const { creationTimestamp, deletionTimestamp, labels = {}, annotations: _, ...rest } = others;
  return withoutUndefined<ObjectMeta>({
    name,
    generateName,
    namespace,
    uid,
    resourceVersion,
    generation,
    creationTimestamp,
    deletionTimestamp,
    labels: Object.keys(labels).length === 0 ? undefined : sorted(labels),
    annotations: Object.keys(annotations).length === 0 ? undefined : sorted(annotations),
    ...rest,
  });
}

/** A controller writes memory as BinarySI, "268000000"; the API server reads DecimalSI, and serves "268M". */
export function servedStatus(status: HpaStatus): HpaStatus {
  const { currentMetrics } = status;
  return currentMetrics ? { ...status, currentMetrics: currentMetrics.map(servedMetric) } : status;
}

function servedMetric(metric: MetricStatus): MetricStatus {
  const { object, pods, resource, containerResource, external } = metric;
  return {
    ...metric,
    ...(object && { object: withServed(object) }),
    ...(pods && { pods: withServed(pods) }),
    ...(resource && { resource: withServed(resource) }),
    ...(containerResource && { containerResource: withServed(containerResource) }),
    ...(external && { external: withServed(external) }),
  };
}

function withServed<Source extends { readonly current: MetricValueStatus }>(source: Source): Source {
  const { value, averageValue } = source.current;
  return {
    ...source,
    current: {
      ...source.current,
      ...(value !== undefined && { value: servedQuantity(value) }),
      ...(averageValue !== undefined && { averageValue: servedQuantity(averageValue) }),
    },
  };
}

/** States may be edited by hand. */
function servedQuantity(text: string): string {
  try {
    return canonicalQuantity(parseQuantity(text));
  } catch (error) {
    if (error instanceof QuantityError) return text;
    throw error;
  }
}
