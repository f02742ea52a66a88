import type { HorizontalPodAutoscaler, MetricSpec, Quantity } from "../../k8s/hpa";
import type { EpochMs } from "../../k8s/time";
import type { MetricMemory, MetricRules, SlotTime } from "../../model/metric/metric-rules";
import type { Proposal, Recommendation, RuleStep } from "../recommend/recommendation";

export interface RuleContext {
  readonly hpa: HorizontalPodAutoscaler;
  readonly metric: MetricSpec;
  readonly rules: MetricRules;
  readonly memory: MetricMemory;
  readonly current: number;
  /** With `ebb.dev/zero`, a metric without work still decides about the size. */
  readonly isZeroByActivity: boolean;
  /** Absent: the whole value is certain. */
  readonly certain?: Quantity;
  readonly slot: SlotTime;
  readonly now: EpochMs;
}

export interface RuledMetric {
  readonly recommendation: Recommendation;
  readonly memory: MetricMemory;
  /** Slots without work before the target may go to zero. */
  readonly slotsToZero: number;
  /** Absent: the metric does not decide about zero. */
  readonly work?: Work;
}

/** `unconfirmed`: no work, or at zero work, in too few slots in a row. */
export type Work = "work" | "none" | "unconfirmed" | "unknown";

/** More slots without work are needed. */
export interface ZeroHold {
  readonly name: string;
  readonly slotsToZero: number;
}

export function afterStep(before: Proposal, step: RuleStep): Proposal {
  const { found, steps, events } = before.ruled ?? { found: before, steps: [], events: [] };
  return { ...before, replicas: step.replicas, ruled: { found, steps: [...steps, step], events } };
}
