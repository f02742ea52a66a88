import type { HorizontalPodAutoscaler, HpaStatus } from "../k8s/hpa";
import type { EpochMs } from "../k8s/time";
import type { MetricResponse, Pod, Scale } from "../k8s/objects";
import type { Step } from "./step";

/** Everything a decision is made from: data only, in the form in which the Kubernetes API serves it. */
export interface Situation {
  /** Defaulted and valid (lib/api). `status` is what the last sync left. */
  readonly hpa: HorizontalPodAutoscaler;
  readonly scale: Scale | { readonly error: string };
  /** Pods of the namespace; the scale's selector is applied here, not by the caller. */
  readonly pods: readonly Pod[];
  /** One response for each entry of spec.metrics, in order. Not looked at when `needsMetrics` says none are needed. */
  readonly metrics: readonly MetricResponse[];
  /** null: never synced before. */
  readonly history: History | null;
  readonly options: Options;
  /** Other HPAs that are known in the namespace, with the selector of their target. */
  readonly otherHpas: readonly { readonly namespace: string; readonly name: string; readonly selector: string }[];
}

export interface Options {
  readonly tolerance: number;
  readonly downscaleStabilizationSeconds: number;
  readonly cpuInitializationPeriodSeconds: number;
  readonly initialReadinessDelaySeconds: number;
}

/**
 * One recommendation that stayed the same from `since` to `at` (its last sighting). Upstream keeps one entry for each sync; only the
 * last sighting ever counts in a window, so a run decides exactly as the list does.
 */
export interface Run {
  readonly replicas: number;
  readonly since: EpochMs;
  readonly at: EpochMs;
}

/**
 * `change` is the number of replicas added or removed, always positive. `foundAt`: whoever wrote the scale did not tell of it; it took effect at
 * a moment that nobody knows, between `at`, when it was announced, and `foundAt`, when it was found.
 */
export interface ScaleEvent {
  readonly change: number;
  readonly at: EpochMs;
  readonly foundAt?: EpochMs;
}

export interface History {
  /** Oldest first. */
  readonly recommendations: readonly Run[];
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
  /** The complete new status, on the assumption that the scale write (if any) succeeds. */
  readonly status: HpaStatus;
  readonly events: readonly HpaEvent[];
  /** On the same assumption: with the scale event of this decision in it. */
  readonly history: History;
  /** This sync's recommendation (before stabilizing); null when it yields none, which ends the open run. */
  readonly recommendation: number | null;
  readonly steps: readonly Step[];
}
