import type { HorizontalPodAutoscaler, HpaStatus } from "../k8s/hpa";
import type { EpochMs } from "../k8s/time";
import type { MetricResponse, Pod, Scale } from "../k8s/objects";
import type { MetricMemory, MetricRules, SlotTime } from "./metric/metric-rules";
import type { Step } from "./step";

/** Everything that a decision depends on: only data, in the form of the Kubernetes API. */
export interface Situation {
  /** Defaulted and valid (lib/k8s). `status` is what the last sync left. */
  readonly hpa: HorizontalPodAutoscaler;
  readonly scale: Scale | { readonly error: string };
  /** Pods of the namespace. The decision applies the scale's selector, not the caller. */
  readonly pods: readonly Pod[];
  /** One response for each entry of spec.metrics, in order. Not used if `needsMetrics` is false. */
  readonly metrics: readonly MetricResponse[];
  /** null: never synced before. */
  readonly history: History | null;
  readonly options: Options;
  /** The other known HPAs of the namespace, with the selectors of their targets. */
  readonly otherHpas: readonly { readonly namespace: string; readonly name: string; readonly selector: string }[];
  /** One for each entry of spec.metrics, in order; {} for a metric without rules. Absent: no metric has rules. */
  readonly rules?: readonly MetricRules[];
  /** What the last decision remembers of the metrics that have rules, in the same order. */
  readonly memory?: Memory;
  /** Absent: the moment of the decision is a slot of its own. */
  readonly slot?: SlotTime;
}

/** One for each entry of spec.metrics, in order; {} for a metric that needs no memory. */
export type Memory = readonly MetricMemory[];

export interface Options {
  readonly tolerance: number;
  readonly downscaleStabilizationSeconds: number;
  readonly cpuInitializationPeriodSeconds: number;
  readonly initialReadinessDelaySeconds: number;
}

/**
 * One recommendation that stayed the same from `since` to `at`, when it was last seen. Upstream keeps one entry for
 * each sync. Only the last observation counts in a window, so a span decides exactly as the list does.
 */
export interface RecommendationSpan {
  readonly replicas: number;
  readonly since: EpochMs;
  readonly at: EpochMs;
}

/**
 * `change` is the number of replicas added or removed, always positive. With `foundAt`, the writer of the scale did not
 * report it: it took effect between `at`, when its intent was stored, and `foundAt`, when it was found. With `at` 0,
 * perhaps it never did: somebody set another size before it could be found.
 */
export interface ScaleEvent {
  readonly change: number;
  readonly at: EpochMs;
  readonly foundAt?: EpochMs;
}

export interface History {
  /** Oldest first. */
  readonly recommendations: readonly RecommendationSpan[];
  readonly scaleUpEvents: readonly ScaleEvent[];
  readonly scaleDownEvents: readonly ScaleEvent[];
}

/** A Kubernetes event as the controller would emit it. */
export interface HpaEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

export interface Decision {
  /** status.desiredReplicas after this sync. */
  readonly desiredReplicas: number;
  /** What to write to the scale; null: nothing. */
  readonly scaleTo: number | null;
  /** The complete new status, if the scale write (if any) succeeds. */
  readonly status: HpaStatus;
  readonly events: readonly HpaEvent[];
  /** If the scale write succeeds: includes the scale event of this decision. */
  readonly history: History;
  /** This sync's recommendation, before stabilizing. null: none, which ends the open span. */
  readonly recommendation: number | null;
  readonly steps: readonly Step[];
  /** For the next decision. Absent: nothing needs to be remembered. */
  readonly memory?: Memory;
}
