import type { Condition, LabelSelector, ObjectMeta } from "./schema/metadata";

/** meta/v1. */
export type { Condition, LabelSelector, LabelSelectorRequirement, ObjectMeta } from "./schema/metadata";

export type ConditionStatus = Condition["status"];

/** autoscaling/v1. */
export interface Scale {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec: { readonly replicas?: number };
  /** `app=web,tier in (a,b)` */
  readonly status: { readonly replicas: number; readonly selector?: string };
}

export interface Container {
  readonly name: string;
  readonly restartPolicy?: string;
  readonly resources?: { readonly requests?: Readonly<Record<string, string | number>> };
}

/** Reduced to what a decision reads. */
export interface Pod {
  readonly metadata: ObjectMeta;
  readonly spec?: {
    readonly containers?: readonly Container[];
    readonly initContainers?: readonly Container[];
    readonly resources?: { readonly requests?: Readonly<Record<string, string | number>> };
    readonly overhead?: Readonly<Record<string, string | number>>;
  };
  readonly status?: {
    readonly phase?: string;
    readonly startTime?: string;
    readonly conditions?: readonly Condition[];
  };
  /** Listed, but not a pod. Without labels, it may be any HPA's. */
  readonly unreadable?: true;
}

/** metrics.k8s.io/v1beta1. `window`: "30s". */
export interface PodMetrics {
  readonly metadata: ObjectMeta;
  readonly timestamp: string;
  readonly window: string;
  readonly containers: readonly { readonly name: string; readonly usage: Readonly<Record<string, string | number>> }[];
}

/** custom.metrics.k8s.io. v1beta2 has `metric.name`, v1beta1 `metricName`. */
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

/** external.metrics.k8s.io/v1beta1, and our sources. */
export interface ExternalMetricValue {
  readonly metricName: string;
  readonly metricLabels?: Readonly<Record<string, string>> | null;
  readonly timestamp: string;
  readonly windowSeconds?: number;
  readonly value: string | number;
}

/**
 * `from`: the source ("sqs") instead of a metrics API; labels are then its parameters. `madeOf`: "orders=3,
 * mail=missing". `certain`: the certain part of the work; absent: all. `atLeast`: the whole value is not known, and
 * this much of it is. It wakes a target from zero.
 */
export type MetricResponse<T = PodMetrics | MetricValue | ExternalMetricValue> =
  | {
      readonly items: readonly T[];
      readonly from?: string;
      readonly madeOf?: string;
      readonly certain?: string | number;
    }
  | { readonly error: string; readonly from?: string; readonly atLeast?: string | number };

/** "" is the core group ("v1"). */
export function groupIn(apiVersion: string): string {
  return apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
}
