import type { LabelSelector, ObjectMeta } from "./meta";

/** metrics.k8s.io/v1beta1 PodMetrics. `window` is a Go duration ("30s"), `timestamp` RFC 3339. */
export interface PodMetrics {
  readonly metadata: ObjectMeta;
  readonly timestamp: string;
  readonly window: string;
  readonly containers: readonly { readonly name: string; readonly usage: Readonly<Record<string, string | number>> }[];
}

/** custom.metrics.k8s.io MetricValue. v1beta2 has `metric.name`, v1beta1 `metricName`. */
export interface MetricValue {
  readonly describedObject: {
    readonly kind?: string;
    readonly namespace?: string;
    readonly name: string;
    readonly apiVersion?: string;
  };
  readonly metric?: { readonly name: string; readonly selector?: LabelSelector | null };
  readonly metricName?: string;
  readonly timestamp: string;
  readonly windowSeconds?: number;
  readonly value: string | number;
}

/** external.metrics.k8s.io/v1beta1 ExternalMetricValue; also what a metric source of ours answers with. */
export interface ExternalMetricValue {
  readonly metricName: string;
  readonly metricLabels?: Readonly<Record<string, string>> | null;
  readonly timestamp: string;
  readonly windowSeconds?: number;
  readonly value: string | number;
}

/**
 * What one metric of an HPA read: items, or why it is unavailable. `from` names the place asked where that is not the
 * metrics API of the metric's type ("sqs"): the metric's labels are then that place's parameters, and messages read "unable to fetch metrics from <from>: <error>".
 */
export type MetricResponse<T = PodMetrics | MetricValue | ExternalMetricValue> =
  { readonly items: readonly T[]; readonly from?: string } | { readonly error: string; readonly from?: string };
