import type { HpaSpec, HpaStatus } from "../hpa";
import { bounds } from "./decode-spec";
import { statusFields } from "./decode-status";
import { v1Metric } from "./decode-v1-metric";
import { v1MetricStatus } from "./decode-v1-metric-status";
import { list, object } from "./decoder";

/** autoscaling/v2beta1, and v2alpha1 as which it began. Upstream: pkg/apis/autoscaling/v2beta1/conversion.go, until Kubernetes 1.25. */

export const decodeV2beta1Spec = object<Omit<HpaSpec, "behavior">>({ ...bounds, metrics: list(v1Metric("problem")) });

export const decodeV2beta1Status = object<HpaStatus>(
  { ...statusFields, currentMetrics: list(v1MetricStatus) },
  "ignored",
);
