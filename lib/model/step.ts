import type { Quantity } from "../k8s/hpa";
import type { EpochMs } from "../k8s/time";

/**
 * One stage of the decision: what it came to, what limited it, and why. What is shown anywhere is read from these. `detail` holds the
 * numbers behind `because`, all scalars, so that a record of the table shows them as they are.
 */
export type Step = StepBase &
  (
    | { readonly stage: "scale" | "decide"; readonly detail?: never }
    | { readonly stage: "gate"; readonly detail?: GateDetail }
    | { readonly stage: "metric"; readonly detail?: MetricDetail }
    | { readonly stage: "combine"; readonly detail?: CombineDetail }
    | { readonly stage: "stabilize"; readonly detail?: StabilizeDetail }
    | { readonly stage: "limitRate"; readonly detail?: RateDetail }
    | { readonly stage: "bounds"; readonly detail?: BoundsDetail }
  );

interface StepBase {
  /** null: this stage knows no number (a metric that could not be read). */
  readonly replicas: number | null;
  /** What kept the size from being what the stage before wanted: a condition's reason. */
  readonly limitedBy?: string;
  readonly because: string;
}

/** The bounds that the size was held against before any metric was read. */
export interface GateDetail {
  readonly current: number;
  readonly minReplicas: number;
  readonly maxReplicas: number;
}

/** What was read and what it was held against, in the units of status: quantities, or whole percent for a utilization. */
export interface MetricDetail {
  /** As conditions and events name it: "external metric queue(nil)". */
  readonly name: string;
  /** A total. With an AverageValue target the average of it over the pods that run stands beside it. */
  readonly value?: string;
  readonly averageValue?: string;
  readonly averageUtilization?: number;
  readonly target: Quantity;
  /** Usage over target, before any pod is filled in; null where nothing runs that a total could be spread over. */
  readonly ratio: number | null;
  /** Metrics of pods: how many counted, and how many did not and why. */
  readonly ready?: number;
  readonly unready?: number;
  readonly missing?: number;
  readonly ignored?: number;
  /** Totals with a Value target: the pods that the total was spread over. */
  readonly readyPods?: number;
}

export interface CombineDetail {
  /** Metrics that could not be read. */
  readonly blind: number;
}

/** A recommendation that holds the size: for `window` seconds after it was last seen. */
export interface StabilizeDetail {
  readonly window: number;
  readonly heldBy: number | null;
  readonly heldSince: EpochMs | null;
  readonly lastSeen: EpochMs | null;
  /** When it leaves the window. */
  readonly until: EpochMs | null;
  /** The size that this stage comes to then, if nothing else changes. */
  readonly then: number;
}

/** The policy whose rate was the limit; without `behavior`, upstream's fixed one. */
export interface RateDetail {
  /** "Pods 4 in 15 s", "at most double, or 4". */
  readonly policy: string;
  readonly periodSeconds: number | null;
  /** The size at the start of the period. */
  readonly start: number;
  /** The size that it allows now. */
  readonly allowed: number;
  /** When it allows more: the oldest scaling that counts leaves the period (or this one, if none does). null: at the next sync, or never. */
  readonly until: EpochMs | null;
}

export interface BoundsDetail {
  readonly minReplicas: number;
  readonly maxReplicas: number;
}
