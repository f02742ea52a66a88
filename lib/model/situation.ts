import { Type } from "typebox";
import type { HorizontalPodAutoscaler, HpaStatus } from "../k8s/hpa";
import type { MetricResponse, Pod, Scale } from "../k8s/objects";
import type { TypeOf } from "../k8s/schema/fields";
import type { EpochMs } from "../k8s/time";
import type { Activity } from "./activity";
import type { MetricMemory, MetricRules, SlotTime } from "./metric/metric-rules";
import { count, moment } from "./schema/item-fields";
import type { Step } from "./step";

export interface Situation {
  /** Defaulted and valid. `status` is the last sync's. */
  readonly hpa: HorizontalPodAutoscaler;
  readonly scale: Scale | { readonly error: string };
  /** All of the namespace: the decision applies the selector. */
  readonly pods: readonly Pod[];
  /** One for each of spec.metrics. */
  readonly metrics: readonly MetricResponse[];
  /** null: never synced. */
  readonly history: History | null;
  readonly options: Options;
  /** Other HPAs of the namespace, with their targets' selectors. */
  readonly otherHpas: readonly { readonly namespace: string; readonly name: string; readonly selector: string }[];
  /** One for each of spec.metrics. */
  readonly rules?: readonly MetricRules[];
  readonly memory?: Memory;
  /** Absent: no sync with `ebb.dev/zero` has found work yet. */
  readonly activity?: Activity;
  /** Absent: not read. */
  readonly busy?: BusyPods;
  /** Since when a smaller size has waited for busy pods. */
  readonly sparedSince?: EpochMs;
  /** Controllers have seen deletion costs. Absent: no need. */
  readonly costsSeenAt?: EpochMs;
  /** Absent: the decision's moment is a slot of its own. */
  readonly slot?: SlotTime;
}

/** Counts of the target's pods, for `ebb.dev/busy`. */
export type BusyPods =
  | {
      readonly busy: number;
      readonly unknown: number;
      readonly idle: number;
      /** Among the busy and unknown. */
      readonly notReady: number;
      /** With pods: several during a rollout. */
      readonly replicaSets: number;
      /** Why the first one is unknown. */
      readonly problem?: string;
    }
  | { readonly error: string };

export type Memory = readonly MetricMemory[];

const notNegative = Type.Number({ minimum: 0, errorMessage: "a number, 0 or more" });

export const Options = Type.Object({
  tolerance: notNegative,
  downscaleStabilizationSeconds: notNegative,
  cpuInitializationPeriodSeconds: notNegative,
  initialReadinessDelaySeconds: notNegative,
});
export type Options = TypeOf<typeof Options>;

/** One recommendation from `since` to `at`. Upstream keeps one a sync; both decide alike. */
const RecommendationSpan = Type.Object({ replicas: count, since: moment, at: moment });
export type RecommendationSpan = TypeOf<typeof RecommendationSpan>;

/**
 * `change` is positive. With `foundAt`, the write took effect between its intent (`at`) and `foundAt`; with `at` 0,
 * perhaps never: somebody set another size before it was found.
 */
const ScaleEvent = Type.Object({ change: count, at: moment, foundAt: Type.Optional(moment) });
export type ScaleEvent = TypeOf<typeof ScaleEvent>;

export const History = Type.Object({
  recommendations: Type.Array(RecommendationSpan),
  scaleUpEvents: Type.Array(ScaleEvent),
  scaleDownEvents: Type.Array(ScaleEvent),
});
export type History = TypeOf<typeof History>;

export interface HpaEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

export interface Decision {
  readonly desiredReplicas: number;
  /** null: write nothing. */
  readonly scaleTo: number | null;
  readonly status: HpaStatus;
  readonly events: readonly HpaEvent[];
  /** With this decision's scale event, if the scale write succeeds. */
  readonly history: History;
  /** Before stabilizing. null: ends the open span. */
  readonly recommendation: number | null;
  readonly steps: readonly Step[];
  readonly memory?: Memory;
  readonly activity?: Activity;
  readonly sparedSince?: EpochMs;
}
