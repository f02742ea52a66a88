import type { HpaStatus, MetricStatus, MetricValueStatus } from "../hpa";
import { decodeConditions } from "./decode-meta";
import { quantity } from "./decode-quantity";
import { metricIdentifier, reference } from "./decode-spec";
import {
  type Decoder,
  int32,
  int64,
  isAbsent,
  list,
  object,
  omitEmpty,
  optional,
  optionalString,
  string,
} from "./decoder";

/** autoscaling/v2 HorizontalPodAutoscalerStatus as a controller left it. Fields of newer versions are ignored. */

const quantityText: Decoder<string> = (value, place) => String(quantity(value, place));

const current = object<MetricValueStatus>(
  { value: optional(quantityText), averageValue: optional(quantityText), averageUtilization: optional(int32) },
  "ignored",
);

const metricStatus = object<MetricStatus>(
  {
    type: string,
    object: optional(object({ metric: metricIdentifier, current, describedObject: reference }, "ignored")),
    pods: optional(object({ metric: metricIdentifier, current }, "ignored")),
    resource: optional(object({ name: string, current }, "ignored")),
    containerResource: optional(object({ name: string, container: string, current }, "ignored")),
    external: optional(object({ metric: metricIdentifier, current }, "ignored")),
  },
  "ignored",
);

export const statusFields = {
  observedGeneration: optional(int64),
  lastScaleTime: optionalString,
  currentReplicas: optional(int32),
  desiredReplicas: optional(int32),
  conditions: omitEmpty(decodeConditions),
};

export const decodeStatus = object<HpaStatus>(
  {
    ...statusFields,
    // The API server serves null for none.
    currentMetrics: (value, place) =>
      value === null ? null : isAbsent(value) ? undefined : list(metricStatus)(value, place),
  },
  "ignored",
);
