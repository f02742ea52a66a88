import type { HpaSpec, HpaStatus, MetricSpec, MetricStatus } from "../hpa";
import { decodeV1Metric, decodeV1MetricStatus } from "./v1-metric";
import { bounds, reference, statusFields, syncPeriod } from "./decode-v2";
import { type Decoder, int32, int64, list, object, optional, time } from "./decoder";

/** A CPU target is v1's only field for metrics. Upstream: pkg/apis/autoscaling/v1/conversion.go. */

interface V1Spec {
  readonly scaleTargetRef: HpaSpec["scaleTargetRef"];
  readonly minReplicas?: number;
  readonly maxReplicas: number;
  readonly targetCPUUtilizationPercentage?: number;
  readonly syncPeriodSeconds?: number;
}

const v1SpecFields = object<V1Spec>({
  scaleTargetRef: reference,
  minReplicas: optional(int32),
  maxReplicas: int32,
  targetCPUUtilizationPercentage: optional(int32),
  ...syncPeriod,
});

export const decodeV1Spec: Decoder<HpaSpec> = (value, context) => {
  const { targetCPUUtilizationPercentage: averageUtilization, ...rest } = v1SpecFields(value, context);
  const cpu: readonly MetricSpec[] =
    averageUtilization === undefined
      ? []
      : [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization } } }];
  return { ...rest, metrics: cpu };
};

interface V1Status {
  readonly observedGeneration?: number;
  readonly lastScaleTime?: string;
  readonly currentReplicas?: number;
  readonly desiredReplicas?: number;
  readonly currentCPUUtilizationPercentage?: number;
}

const v1StatusFields = object<V1Status>({
  observedGeneration: optional(int64),
  lastScaleTime: time,
  currentReplicas: optional(int32),
  desiredReplicas: optional(int32),
  currentCPUUtilizationPercentage: optional(int32),
});

export const decodeV1Status: Decoder<HpaStatus> = (value, context) => {
  const { currentCPUUtilizationPercentage: averageUtilization, ...rest } = v1StatusFields(value, context);
  if (averageUtilization === undefined) return rest;
  const cpu: MetricStatus = { type: "Resource", resource: { name: "cpu", current: { averageUtilization } } };
  return { ...rest, currentMetrics: [cpu] };
};

/** Also v2alpha1. Upstream: pkg/apis/autoscaling/v2beta1/conversion.go, until Kubernetes 1.25. */

export const decodeV2beta1Spec = object<Omit<HpaSpec, "behavior" | "syncPeriodSeconds">>({
  ...bounds,
  metrics: list(decodeV1Metric),
});

export const decodeV2beta1Status = object<HpaStatus>({ ...statusFields, currentMetrics: list(decodeV1MetricStatus) });
