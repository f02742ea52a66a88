import type { MetricStatus } from "../../api/hpa";
import type { Pod, Scale } from "../../api/workload";
import type { Tolerances } from "../replica-math";
import type { EpochMs, Options } from "../situation";
import type { MetricDetail } from "../step";

/** What every metric's calculation may look at, besides the metric itself. */
export interface Observed {
  readonly namespace: string;
  readonly scale: Scale;
  /** The target's pods: the scale's selector is applied. */
  readonly pods: readonly Pod[];
  readonly tolerances: Tolerances;
  readonly options: Options;
  readonly now: EpochMs;
}

/** What one metric asks for, or why it cannot be told: an expected outcome, never a number like -1. */
export type Recommendation = Proposal | Unavailable;

export interface Proposal {
  readonly kind: "proposal";
  readonly replicas: number;
  /** As conditions and events name the metric: "cpu resource utilization (percentage of request)". */
  readonly name: string;
  readonly status: MetricStatus;
  readonly detail: Omit<MetricDetail, "name">;
  readonly because: string;
}

export interface Unavailable {
  readonly kind: "unavailable";
  /** The event's and the condition's reason: "FailedGetExternalMetric". */
  readonly reason: string;
  /** The event's message. */
  readonly message: string;
  /** What the failed sync reports, which wraps the message once more. */
  readonly error: string;
}

/** A value, or in upstream's words why there is none. */
export type Result<T> = { readonly value: T } | { readonly error: string };

export function unavailable(reason: string, message: string, error: string): Unavailable {
  return { kind: "unavailable", reason, message, error };
}
