import type { Quantity } from "../k8s/hpa";
import type { EpochMs } from "../k8s/time";

/**
 * One stage of the decision: its size, what limited it, and why. Everything that is shown comes from steps. `detail`
 * holds the numbers behind `because`. They are scalars, so that the table stores them as they are.
 */
export type Step = StepBase &
  (
    | { readonly stage: "scale" | "decide"; readonly detail?: never }
    | { readonly stage: "gate"; readonly detail?: GateDetail }
    | { readonly stage: "metric"; readonly detail?: MetricDetail | UnreadPodsDetail }
    | { readonly stage: "activation" | "confirmWake" | "fallback" | "cap"; readonly detail?: RuleDetail }
    | { readonly stage: "combine"; readonly detail?: CombineDetail }
    | { readonly stage: "stabilize"; readonly detail?: StabilizeDetail }
    | { readonly stage: "limitRate"; readonly detail?: RateDetail }
    | { readonly stage: "bounds"; readonly detail?: BoundsDetail }
    | { readonly stage: "confirm"; readonly detail?: ConfirmDetail }
  );

interface StepBase {
  /** null: this stage has no size (such as a metric that could not be read). */
  readonly replicas: number | null;
  /** A condition's reason: what kept this stage from the size that the previous stage wanted. */
  readonly limitedBy?: string;
  readonly because: string;
}

/** The size and its bounds, before any metric was read. */
export interface GateDetail {
  readonly current: number;
  readonly minReplicas: number;
  readonly maxReplicas: number;
}

/** What was read, and the target, in the units of status: quantities, or whole percent for a utilization. */
export interface MetricDetail extends Partial<PodDetail> {
  /** The name in conditions and events: "external metric queue(nil)". */
  readonly name: string;
  /** A total. With an AverageValue target, `averageValue` is its average over the running pods. */
  readonly value?: string;
  readonly averageValue?: string;
  readonly averageUtilization?: number;
  readonly target: Quantity;
  /** Usage divided by target, before missing pods are filled in. null: no running pod to divide a total by. */
  readonly ratio: number | null;
  /** For totals with a Value target: the number of pods that the total was divided by. */
  readonly readyPods?: number;
  /** For a value that was calculated from others: "orders=3, mail=missing". */
  readonly madeOf?: string;
}

/** For metrics of pods: how many pods counted, how many did not and why, and the first names of those. */
export interface PodDetail {
  readonly ready: number;
  /** Pending, or too young for their CPU usage to say anything. */
  readonly unready: number;
  /** Without a sample. */
  readonly missing: number;
  /** Terminating or failed. */
  readonly ignored: number;
  /** "web-1, web-2, web-3". Absent: there are none. */
  readonly unreadyPods?: string;
  readonly missingPods?: string;
  readonly ignoredPods?: string;
}

/** The pods of a metric that gives no size, because none of them has a sample that counts. */
export interface UnreadPodsDetail extends PodDetail {
  readonly name?: never;
  readonly value?: never;
  readonly madeOf?: never;
  readonly target?: never;
}

/** What a rule of the metric did to its proposal. The step comes right after the metric's own. */
export interface RuleDetail {
  /** The rule's own number: the activation, the cap, the slots or the seconds that it asks for. */
  readonly rule: Quantity;
  /** What it was compared with: the value, the size asked for, the slots or the seconds so far. */
  readonly found: Quantity;
}

export interface CombineDetail {
  /** Metrics that could not be read. */
  readonly blind: number;
  /** For how many more slots the metrics must stay as they are before the target may go to zero. */
  readonly slotsToZero?: number;
}

/** The metric that needs the most slots. */
export interface ConfirmDetail {
  readonly name: string;
  readonly slotsToZero: number;
}

/** A recommendation that holds the size, until `window` seconds after it was last seen. */
export interface StabilizeDetail {
  readonly window: number;
  readonly heldBy: number | null;
  readonly heldSince: EpochMs | null;
  readonly lastSeen: EpochMs | null;
  /** When it leaves the window. */
  readonly until: EpochMs | null;
  /** The size of this stage then, if nothing else changes. */
  readonly then: number;
}

/** The policy whose rate was the limit. Without `behavior`, it is upstream's fixed policy. */
export interface RateDetail {
  /** "Pods 4 in 15 s", "at most double, or 4". */
  readonly policy: string;
  readonly periodSeconds: number | null;
  /** The size at the start of the period. */
  readonly start: number;
  /** The size that the policy allows now. */
  readonly allowed: number;
  /**
   * When the policy allows more: when the oldest counted scaling leaves the period, or this one if none counts. null:
   * at the next sync, or never.
   */
  readonly until: EpochMs | null;
}

export interface BoundsDetail {
  readonly minReplicas: number;
  readonly maxReplicas: number;
}
