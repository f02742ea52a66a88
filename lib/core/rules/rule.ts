import type { HorizontalPodAutoscaler, MetricSpec, Quantity } from "../../k8s/hpa";
import type { EpochMs } from "../../k8s/time";
import type { MetricMemory, MetricRules, SlotTime } from "../../model/metric/metric-rules";
import type { Proposal, Recommendation, RuleStep } from "../recommend/recommendation";

/** What the rules of one metric may use. */
export interface RuleContext {
  readonly hpa: HorizontalPodAutoscaler;
  readonly metric: MetricSpec;
  readonly rules: MetricRules;
  readonly memory: MetricMemory;
  readonly current: number;
  /** The part of the metric's value that is work for certain. Absent: all of it. */
  readonly certain?: Quantity;
  readonly slot: SlotTime;
  readonly now: EpochMs;
}

/** One metric under its rules. */
export interface RuledMetric {
  readonly recommendation: Recommendation;
  readonly memory: MetricMemory;
  /** In how many more slots the metric must have no work before the target may go to zero. 0: it may now. */
  readonly slotsToZero: number;
}

/** A metric without work, whose rules want to see that in more slots. */
export interface ZeroHold {
  /** The metric's name in conditions. */
  readonly name: string;
  readonly slotsToZero: number;
}

/** The proposal after one more step. */
export function afterStep(before: Proposal, step: RuleStep): Proposal {
  const { found, steps, events } = before.ruled ?? { found: before, steps: [], events: [] };
  return { ...before, replicas: step.replicas, ruled: { found, steps: [...steps, step], events } };
}
