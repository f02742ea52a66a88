import type { Behavior } from "./schema/hpa-behavior";
import type { MetricTarget } from "./schema/hpa-metrics";

/** The types of lib/k8s/schema, without the schemas: functions load none. */
export type { HorizontalPodAutoscaler, HpaSpec, HpaStatus, MetricStatus, MetricValueStatus } from "./schema/hpa";
export type { Behavior } from "./schema/hpa-behavior";
export type {
  ContainerResourceMetricSource,
  CrossVersionObjectReference,
  ExternalMetricSource,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
  ObjectMetricSource,
  PodsMetricSource,
  ResourceMetricSource,
} from "./schema/hpa-metrics";

/** In any spelling, or a number where the API accepts one. */
export type Quantity = NonNullable<MetricTarget["value"]>;

export type ScalingRules = NonNullable<Behavior["scaleUp"]>;
export type ScalingPolicy = NonNullable<ScalingRules["policies"]>[number];
