import { isAbsent } from "../map";
import type {
  Behavior,
  ContainerResourceMetricSource,
  CrossVersionObjectReference,
  ExternalMetricSource,
  HpaSpec,
  HpaStatus,
  MetricIdentifier,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
  ObjectMetricSource,
  PodsMetricSource,
  ResourceMetricSource,
  ScalingPolicy,
  ScalingRules,
} from "../hpa";
import type { LabelSelector, LabelSelectorRequirement } from "../objects";
import { decodeConditions } from "./decode-meta";
import {
  type Decoder,
  int32,
  int64,
  list,
  object,
  omitEmpty,
  optional,
  optionalString,
  quantity,
  string,
  stringMap,
  time,
} from "./decoder";

/** Only types and absence; validation comes later. */

export const reference = object<CrossVersionObjectReference>({
  kind: string,
  name: string,
  apiVersion: optionalString,
});

export const labelSelector = object<LabelSelector>({
  matchLabels: omitEmpty(stringMap),
  matchExpressions: omitEmpty(
    list(object<LabelSelectorRequirement>({ key: string, operator: string, values: omitEmpty(list(string)) })),
  ),
});

const metricIdentifier = object<MetricIdentifier>({ name: string, selector: optional(labelSelector) });

const target = object<MetricTarget>({
  type: string,
  value: optional(quantity),
  averageValue: optional(quantity),
  averageUtilization: optional(int32),
});

export const decodeMetric = object<MetricSpec>({
  type: string,
  object: optional(object<ObjectMetricSource>({ describedObject: reference, metric: metricIdentifier, target })),
  pods: optional(object<PodsMetricSource>({ metric: metricIdentifier, target })),
  resource: optional(object<ResourceMetricSource>({ name: string, target })),
  containerResource: optional(object<ContainerResourceMetricSource>({ name: string, container: string, target })),
  external: optional(object<ExternalMetricSource>({ metric: metricIdentifier, target })),
});

const policy = object<ScalingPolicy>({ type: string, value: int32, periodSeconds: int32 });

const rulesFields = {
  stabilizationWindowSeconds: optional(int32),
  selectPolicy: optional(string),
  // An empty list means no policy at all, which validation refuses.
  policies: ((value, context) => (isAbsent(value) ? undefined : list(policy)(value, context))) satisfies Decoder<
    readonly ScalingPolicy[] | undefined
  >,
};

const rules = optional(object<ScalingRules>({ ...rulesFields, tolerance: optional(quantity) }));

export const decodeBehavior = object<Behavior>({ scaleUp: rules, scaleDown: rules });

export const bounds = { scaleTargetRef: reference, minReplicas: optional(int32), maxReplicas: int32 };

/** KEP-6003: in no release yet. */
export const syncPeriod = { syncPeriodSeconds: optional(int32) };

export const decodeSpec = object<HpaSpec>({
  ...bounds,
  metrics: list(decodeMetric),
  behavior: optional(decodeBehavior),
  ...syncPeriod,
});

const rulesBeforeTolerance = optional(object<Omit<ScalingRules, "tolerance">>(rulesFields));

/** v2 before tolerances. */
export const decodeV2beta2Spec = object<Omit<HpaSpec, "syncPeriodSeconds">>({
  ...bounds,
  metrics: list(decodeMetric),
  behavior: optional(object<Behavior>({ scaleUp: rulesBeforeTolerance, scaleDown: rulesBeforeTolerance })),
});

const quantityText: Decoder<string> = (value, context) => String(quantity(value, context));

const current = object<MetricValueStatus>({
  value: optional(quantityText),
  averageValue: optional(quantityText),
  averageUtilization: optional(int32),
});

export const decodeMetricStatus = object<MetricStatus>({
  type: string,
  object: optional(object({ metric: metricIdentifier, current, describedObject: reference })),
  pods: optional(object({ metric: metricIdentifier, current })),
  resource: optional(object({ name: string, current })),
  containerResource: optional(object({ name: string, container: string, current })),
  external: optional(object({ metric: metricIdentifier, current })),
});

export const statusFields = {
  observedGeneration: optional(int64),
  lastScaleTime: time,
  currentReplicas: optional(int32),
  desiredReplicas: optional(int32),
  conditions: omitEmpty(decodeConditions),
};

export const decodeStatus = object<HpaStatus>({
  ...statusFields,
  // The API server serves an empty list as null.
  currentMetrics: (value, context) =>
    value === null ? null : isAbsent(value) ? undefined : list(decodeMetricStatus)(value, context),
});
