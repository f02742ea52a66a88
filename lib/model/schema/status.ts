import { Type } from "typebox";
import type { HpaStatus, MetricStatus } from "../../k8s/hpa";
import type { Condition, ConditionStatus } from "../../k8s/objects";
import { count, describes, orNull, text, whole } from "./item-fields";

const StoredCondition = describes<Condition>()(
  Type.Object({
    type: text,
    status: Type.Unsafe<ConditionStatus>({
      enum: ["True", "False", "Unknown"],
      errorMessage: "True, False or Unknown",
    }),
    reason: Type.Optional(text),
    message: Type.Optional(text),
    lastTransitionTime: Type.Optional(text),
    observedGeneration: Type.Optional(whole),
  }),
);

/** A metric that could not be read has a type alone. */
const MeasuredSource = Type.Object({
  current: Type.Object({
    value: Type.Optional(text),
    averageValue: Type.Optional(text),
    averageUtilization: Type.Optional(whole),
  }),
});

const CurrentMetric = Type.Unsafe<MetricStatus>(
  Type.Object({
    type: text,
    object: Type.Optional(MeasuredSource),
    pods: Type.Optional(MeasuredSource),
    resource: Type.Optional(MeasuredSource),
    containerResource: Type.Optional(MeasuredSource),
    external: Type.Optional(MeasuredSource),
  }),
);

/** STATE items and latest values hold it. */
export const StoredStatus = describes<HpaStatus>()(
  Type.Object({
    observedGeneration: Type.Optional(whole),
    lastScaleTime: Type.Optional(text),
    currentReplicas: Type.Optional(count),
    desiredReplicas: Type.Optional(count),
    currentMetrics: Type.Optional(orNull(Type.Array(CurrentMetric))),
    conditions: Type.Optional(Type.Array(StoredCondition)),
  }),
);
