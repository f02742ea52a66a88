import type { Quantity } from "../k8s/hpa";
import type { EpochMs } from "../k8s/time";

/**
 * One stage of the decision. Everything that is shown comes from steps. `detail` holds the numbers behind `because`, as
 * scalars that the table stores as they are.
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
  /** null: this stage has no size (a metric that could not be read). */
  readonly replicas: number | null;
  /** A condition's reason: why the size is not what the previous stage wanted. */
  readonly limitedBy?: string;
  readonly because: string;
}

/** Before any metric was read. */
export interface GateDetail {
  readonly current: number;
  readonly minReplicas: number;
  readonly maxReplicas: number;
}

/** In the units of status: quantities, or whole percent for a utilization. */
export interface MetricDetail extends Partial<PodDetail> {
  /** As in conditions and events: "external metric queue(nil)". */
  readonly name: string;
  /** A total. With an AverageValue target, `averageValue` is its average over the running pods. */
  readonly value?: string;
  readonly averageValue?: string;
  readonly averageUtilization?: number;
  readonly target: Quantity;
  /** Usage divided by target, before missing pods are filled in. null: no running pod to divide a total by. */
  readonly ratio: number | null;
  /** The divisor of the total, with a Value target. */
  readonly readyPods?: number;
  /** If calculated from others: "orders=3, mail=missing". */
  readonly madeOf?: string;
}

/** How many pods counted, how many did not and why, with the first names of those. */
export interface PodDetail {
  readonly ready: number;
  /** Pending, or too young for their CPU usage to count. */
  readonly unready: number;
  /** Without a sample. */
  readonly missing: number;
  /** Terminating or failed. */
  readonly ignored: number;
  /** "web-1, web-2, web-3". Absent: none. */
  readonly unreadyPods?: string;
  readonly missingPods?: string;
  readonly ignoredPods?: string;
}

/** No pod of the metric has a sample that counts. */
export interface UnreadPodsDetail extends PodDetail {
  readonly name?: never;
  readonly value?: never;
  readonly madeOf?: never;
  readonly target?: never;
}

/** What a rule did to its metric's proposal. The step follows the metric's own. */
export interface RuleDetail {
  /** The rule's number: the activation, the cap, the slots or the seconds. */
  readonly rule: Quantity;
  /** Compared with `rule`: the value, the size, the slots or the seconds so far. */
  readonly found: Quantity;
}

export interface CombineDetail {
  /** Metrics that could not be read. */
  readonly blind: number;
  /** So many more slots must stay as this one before the target may go to zero. */
  readonly slotsToZero?: number;
}

/** The metric that needs the most slots. */
export interface ConfirmDetail {
  readonly name: string;
  readonly slotsToZero: number;
}

/** A recommendation holds the size until `window` seconds after it was last observed. */
export interface StabilizeDetail {
  readonly window: number;
  readonly heldBy: number | null;
  readonly heldSince: EpochMs | null;
  readonly lastSeen: EpochMs | null;
  /** When it leaves the window. */
  readonly until: EpochMs | null;
  /** This stage's size then, if nothing else changes. */
  readonly then: number;
}

/** The policy that limited the rate. Without `behavior`, upstream's fixed one. */
export interface RateDetail {
  /** "Pods 4 in 15 s", "at most double, or 4". */
  readonly policy: string;
  readonly periodSeconds: number | null;
  /** The size at the start of the period. */
  readonly start: number;
  readonly allowed: number;
  /**
   * When the policy allows more: when the oldest counted scaling (or this one) leaves the period. null: at the next
   * sync, or never.
   */
  readonly until: EpochMs | null;
}

export interface BoundsDetail {
  readonly minReplicas: number;
  readonly maxReplicas: number;
}
