import type { Quantity } from "../k8s/hpa";
import type { EpochMs } from "../k8s/time";

/** One stage of the decision: everything shown comes from steps. */
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
    | { readonly stage: "idle"; readonly detail?: IdleDetail }
    | { readonly stage: "spare"; readonly detail?: SpareDetail }
  );

interface StepBase {
  /** null: a metric that could not be read. */
  readonly replicas: number | null;
  /** A condition's reason: why the size is not the previous stage's. */
  readonly limitedBy?: string;
  readonly because: string;
}

export interface GateDetail {
  readonly current: number;
  readonly minReplicas: number;
  readonly maxReplicas: number;
}

/** In status' units: quantities, or whole percent. */
export interface MetricDetail extends Partial<PodDetail> {
  /** As in conditions and events: "external metric queue(nil)". */
  readonly name: string;
  /** A total; `averageValue` is its average over the running pods. */
  readonly value?: string;
  readonly averageValue?: string;
  readonly averageUtilization?: number;
  readonly target: Quantity;
  /** null: no running pod to divide by. */
  readonly ratio: number | null;
  /** The divisor of a total with a Value target. */
  readonly readyPods?: number;
  /** "orders=3, mail=missing" */
  readonly madeOf?: string;
  /** The lowest value of ebb's own source, if it is below 0. It counts as 0. */
  readonly belowZero?: Quantity;
  /** Why more than the value is not known. */
  readonly atLeastBecause?: string;
}

/** Counts, and the first names of pods that did not count. */
export interface PodDetail {
  readonly ready: number;
  /** Pending, or too young for their CPU usage to count. */
  readonly unready: number;
  /** Without a sample. */
  readonly missing: number;
  /** Terminating or failed. */
  readonly ignored: number;
  readonly unreadyPods?: string;
  readonly missingPods?: string;
  readonly ignoredPods?: string;
}

/** No pod has a sample that counts. */
export interface UnreadPodsDetail extends PodDetail {
  readonly name?: never;
  readonly value?: never;
  readonly madeOf?: never;
  readonly target?: never;
}

/** The step follows its metric's. */
export interface RuleDetail {
  /** The rule's number of replicas, slots or seconds, or its activation. */
  readonly rule: Quantity;
  readonly found: Quantity;
}

export interface CombineDetail {
  /** Metrics that could not be read. */
  readonly blind: number;
  /** Slots to wait before the target may go to zero. */
  readonly slotsToZero?: number;
}

/** The metric that needs the most slots. */
export interface ConfirmDetail {
  readonly name: string;
  readonly slotsToZero: number;
}

/** `ebb.dev/zero`. The stage shows while no work was found. */
export interface IdleDetail {
  /** The last sync with work. null: never seen. */
  readonly lastWork: EpochMs | null;
  /** When the target may go to zero. null: nobody knows, because a metric could not be read. */
  readonly until: EpochMs | null;
}

export interface SpareDetail {
  /** Or unknown. null: nobody knows. */
  readonly busy: number | null;
  readonly pods: number | null;
  /** null: no bound. */
  readonly until: EpochMs | null;
  readonly costsSeenAt?: EpochMs;
}

/** A recommendation holds the size until it leaves the window. */
export interface StabilizeDetail {
  readonly window: number;
  readonly heldBy: number | null;
  readonly heldSince: EpochMs | null;
  readonly lastSeen: EpochMs | null;
  readonly until: EpochMs | null;
  /** The size then, if nothing else changes. */
  readonly then: number;
}

/** Without `behavior`, upstream's fixed policy. */
export interface RateDetail {
  /** "Pods 4 in 15 s", "at most double, or 4". */
  readonly policy: string;
  readonly periodSeconds: number | null;
  readonly start: number;
  readonly allowed: number;
  /** When the policy allows more. null: at the next sync, or never. */
  readonly until: EpochMs | null;
}

export interface BoundsDetail {
  readonly minReplicas: number;
  readonly maxReplicas: number;
  /** `from` of `ebb.dev/zero`, which counts in place of minReplicas. */
  readonly from?: number;
}
