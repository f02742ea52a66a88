import type { Quantity } from "../../k8s/hpa";
import type { EpochMs } from "../../k8s/time";

/** lib/model/schema/metric-rules.ts describes each field. */
export interface MetricRules {
  readonly activation?: Quantity;
  readonly confirm?: number;
  readonly confirmWake?: number;
  readonly fallback?: Fallback;
  readonly maxReplicas?: number;
}

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

/** The defaults decide as upstream. `fallbackAfterSeconds` is KEP-5679's. */
export const ruleDefaults = { activation: "0", confirm: 1, confirmWake: 1, fallbackAfterSeconds: 180 } as const;

export interface MetricMemory {
  readonly readings?: ReadingRun;
  readonly failing?: Failing;
}

/** `slots` stops at what the rules need, so that a lasting run changes no state. */
export interface ReadingRun {
  readonly empty: boolean;
  readonly slots: number;
  readonly slot: EpochMs;
}

export interface Failing {
  readonly since: EpochMs;
  /** The fallback has begun. */
  readonly fallback?: true;
}

/** A wake belongs to the current slot. */
export interface SlotTime {
  readonly start: EpochMs;
  readonly periodMs: number;
}
