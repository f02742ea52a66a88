import type { Quantity } from "../../k8s/hpa";
import type { EpochMs } from "../../k8s/time";

/**
 * What a deployment says about one metric beyond the HPA API. A metric without rules decides as upstream's.
 * lib/model/schema/metric-rules.ts describes each field.
 */
export interface MetricRules {
  readonly activation?: Quantity;
  readonly confirm?: number;
  readonly confirmWake?: number;
  readonly fallback?: Fallback;
  readonly maxReplicas?: number;
}

/** What the metric asks for while it cannot be read. Valid rules have `replicas`, a percentage, or neither. */
export interface Fallback {
  readonly after?: number;
  readonly behavior?: FallbackBehavior;
  readonly replicas?: number;
  readonly percentOfMaxReplicas?: number;
}

/** All but `zero` are KEDA's words. */
export const fallbackBehaviors = [
  "static",
  "currentReplicas",
  "currentReplicasIfHigher",
  "currentReplicasIfLower",
  "zero",
] as const;

export type FallbackBehavior = (typeof fallbackBehaviors)[number];

/** The defaults of a field that is absent. They decide as upstream does. KEP-5679's `after`. */
export const ruleDefaults = { activation: "0", confirm: 1, confirmWake: 1, fallbackAfterSeconds: 180 } as const;

/** What a sync remembers of a metric that has rules, while that decides anything. */
export interface MetricMemory {
  /** Readings of the same kind, in slots in a row. */
  readonly readings?: ReadingRun;
  readonly failing?: Failing;
}

/** `slots` stays at the number that the rules ask for, so that a lasting run changes no state. */
export interface ReadingRun {
  readonly empty: boolean;
  readonly slots: number;
  /** The last slot that was counted. */
  readonly slot: EpochMs;
}

export interface Failing {
  readonly since: EpochMs;
  /** The fallback has begun. */
  readonly fallback?: true;
}

/** The slot of a decision. A wake belongs to the slot under way. */
export interface SlotTime {
  readonly start: EpochMs;
  readonly periodMs: number;
}
