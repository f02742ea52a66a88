import type { Static } from "typebox";
import type { Frozen } from "./schema/fields";
import type * as schema from "./schema/hpa";
import type * as behavior from "./schema/hpa-behavior";
import type * as metrics from "./schema/hpa-metrics";

/** lib/k8s/schema/hpa.ts describes the fields; no schema is loaded at run time. */
export type HorizontalPodAutoscaler = Frozen<Static<typeof schema.HorizontalPodAutoscaler>>;
export type HpaSpec = Frozen<Static<typeof schema.HpaSpec>>;
export type HpaStatus = Frozen<Static<typeof schema.HpaStatus>>;

/** `type` is a string: the table holds what a user wrote. */
export type MetricSpec = Frozen<Static<typeof metrics.MetricSpec>>;
export type CrossVersionObjectReference = Frozen<Static<typeof metrics.CrossVersionObjectReference>>;
export type MetricTarget = Frozen<Static<typeof metrics.MetricTarget>>;
export type MetricIdentifier = Frozen<Static<typeof metrics.MetricIdentifier>>;
export type ObjectMetricSource = Frozen<Static<typeof metrics.ObjectMetricSource>>;
export type PodsMetricSource = Frozen<Static<typeof metrics.PodsMetricSource>>;
export type ResourceMetricSource = Frozen<Static<typeof metrics.ResourceMetricSource>>;
export type ContainerResourceMetricSource = Frozen<Static<typeof metrics.ContainerResourceMetricSource>>;
export type ExternalMetricSource = Frozen<Static<typeof metrics.ExternalMetricSource>>;

/** In any spelling, or a number where the API accepts one. */
export type Quantity = NonNullable<MetricTarget["value"]>;

export type Behavior = Frozen<Static<typeof behavior.Behavior>>;
export type ScalingRules = NonNullable<Behavior["scaleUp"]>;
export type ScalingPolicy = NonNullable<ScalingRules["policies"]>[number];

export type MetricStatus = Frozen<Static<typeof schema.MetricStatus>>;
export type MetricValueStatus = Frozen<Static<typeof schema.MetricValueStatus>>;
