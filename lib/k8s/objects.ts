import type { Static } from "typebox";
import type { Frozen } from "./schema/fields";
import type * as schema from "./schema/metadata";

/** The parts of the Kubernetes object model that every kind shares (meta/v1), in the form of the Kubernetes API. */

export type ObjectMeta = Frozen<Static<typeof schema.ObjectMeta>>;

/** A structured selector. Absent selects everything, as upstream's metrics clients read it. */
export type LabelSelector = Frozen<Static<typeof schema.LabelSelector>>;
export type LabelSelectorRequirement = Frozen<Static<typeof schema.LabelSelectorRequirement>>;

/** autoscaling/v2 HorizontalPodAutoscalerCondition. `lastTransitionTime` is RFC 3339. */
export type Condition = Frozen<Static<typeof schema.Condition>>;
export type ConditionStatus = Condition["status"];

/** autoscaling/v1 Scale: the subresource by which any scalable kind is read and written. */
export interface Scale {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec: { readonly replicas?: number };
  /** A selector in string form (`app=web,tier in (a,b)`), empty if the kind has none. */
  readonly status: { readonly replicas: number; readonly selector?: string };
}

export interface Container {
  readonly name: string;
  readonly restartPolicy?: string;
  readonly resources?: { readonly requests?: Readonly<Record<string, string | number>> };
}

/** core/v1 Pod, reduced to what a decision reads. */
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
  /** The API server listed something here that is not a pod. Without labels, it may be a pod of any HPA. */
  readonly unreadable?: true;
}

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

/** external.metrics.k8s.io/v1beta1 ExternalMetricValue. Our metric sources answer in this form, too. */
export interface ExternalMetricValue {
  readonly metricName: string;
  readonly metricLabels?: Readonly<Record<string, string>> | null;
  readonly timestamp: string;
  readonly windowSeconds?: number;
  readonly value: string | number;
}

/**
 * What one metric of an HPA read: items, or why it is unavailable. `from` is the source that was asked instead of the
 * type's metrics API ("sqs"). The metric's labels are then parameters of that source, and messages read "unable to
 * fetch metrics from <from>: <error>". `madeOf` is what the value was calculated from ("orders=3, mail=missing").
 * `certain` is the part of the total that is work for certain; absent: all of it.
 */
export type MetricResponse<T = PodMetrics | MetricValue | ExternalMetricValue> =
  | {
      readonly items: readonly T[];
      readonly from?: string;
      readonly madeOf?: string;
      readonly certain?: string | number;
    }
  | { readonly error: string; readonly from?: string };
