import type { EpochMs } from "../../k8s/time";

export type { Failing, Fallback, MetricMemory, MetricRules, ReadingRun } from "../schema/metric-rules";

/** The defaults decide as upstream. `fallbackAfterSeconds` is KEP-5679's. */
export const ruleDefaults = { activation: "0", confirm: 1, confirmWake: 1, fallbackAfterSeconds: 180 } as const;

/** A wake belongs to the current slot. */
export interface SlotTime {
  readonly start: EpochMs;
  readonly periodMs: number;
}
