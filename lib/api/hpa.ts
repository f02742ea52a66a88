import type { Condition, LabelSelector, ObjectMeta } from "./meta";

/**
 * autoscaling/v2 HorizontalPodAutoscaler, exactly as `kubectl get hpa -o json` prints it. Quantities are strings in any of
 * Kubernetes' spellings (a JSON number is accepted where the API accepts one).
 * Source: https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/horizontal-pod-autoscaler-v2/
 */
export interface HorizontalPodAutoscaler {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: HpaSpec;
  readonly status?: HpaStatus;
}

export interface HpaSpec {
  readonly scaleTargetRef: CrossVersionObjectReference;
  /** Absent means 1. */
  readonly minReplicas?: number;
  readonly maxReplicas: number;
  readonly metrics?: readonly MetricSpec[];
  readonly behavior?: Behavior;
}

export interface CrossVersionObjectReference {
  readonly kind: string;
  readonly name: string;
  readonly apiVersion?: string;
}

export type MetricSourceType = "ContainerResource" | "External" | "Object" | "Pods" | "Resource";

export interface MetricSpec {
  /** One of MetricSourceType once validated; a string because the table holds what a user wrote. */
  readonly type: string;
  readonly object?: ObjectMetricSource;
  readonly pods?: PodsMetricSource;
  readonly resource?: ResourceMetricSource;
  readonly containerResource?: ContainerResourceMetricSource;
  readonly external?: ExternalMetricSource;
}

export type Quantity = string | number;

export interface MetricTarget {
  readonly type: string;
  readonly value?: Quantity;
  readonly averageValue?: Quantity;
  readonly averageUtilization?: number;
}

export interface MetricIdentifier {
  readonly name: string;
  readonly selector?: LabelSelector;
}

export interface ObjectMetricSource {
  readonly describedObject: CrossVersionObjectReference;
  readonly metric: MetricIdentifier;
  readonly target: MetricTarget;
}

export interface PodsMetricSource {
  readonly metric: MetricIdentifier;
  readonly target: MetricTarget;
}

export interface ResourceMetricSource {
  readonly name: string;
  readonly target: MetricTarget;
}

export interface ContainerResourceMetricSource {
  readonly name: string;
  readonly container: string;
  readonly target: MetricTarget;
}

export interface ExternalMetricSource {
  readonly metric: MetricIdentifier;
  readonly target: MetricTarget;
}

export interface Behavior {
  readonly scaleUp?: ScalingRules;
  readonly scaleDown?: ScalingRules;
}

export interface ScalingRules {
  readonly stabilizationWindowSeconds?: number;
  /** Max, Min or Disabled. */
  readonly selectPolicy?: string;
  readonly policies?: readonly ScalingPolicy[];
  readonly tolerance?: Quantity;
}

export interface ScalingPolicy {
  /** Pods or Percent. */
  readonly type: string;
  readonly value: number;
  readonly periodSeconds: number;
}

export interface HpaStatus {
  readonly observedGeneration?: number;
  readonly lastScaleTime?: string;
  readonly currentReplicas?: number;
  readonly desiredReplicas?: number;
  readonly currentMetrics?: readonly MetricStatus[] | null;
  readonly conditions?: readonly Condition[];
}

export interface MetricValueStatus {
  readonly value?: string;
  readonly averageValue?: string;
  readonly averageUtilization?: number;
}

/** `type` is empty in the slot of a metric that could not be read, so that indexes stay those of spec.metrics. */
export interface MetricStatus {
  readonly type: string;
  readonly object?: {
    readonly metric: MetricIdentifier;
    readonly current: MetricValueStatus;
    readonly describedObject: CrossVersionObjectReference;
  };
  readonly pods?: { readonly metric: MetricIdentifier; readonly current: MetricValueStatus };
  readonly resource?: { readonly name: string; readonly current: MetricValueStatus };
  readonly containerResource?: {
    readonly name: string;
    readonly container: string;
    readonly current: MetricValueStatus;
  };
  readonly external?: { readonly metric: MetricIdentifier; readonly current: MetricValueStatus };
}
