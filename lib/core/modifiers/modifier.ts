import type { HorizontalPodAutoscaler } from "../../k8s/hpa";
import type { EpochMs } from "../../k8s/time";
import { setConditions, type Verdict } from "../conditions";
import type { Operations } from "../../model/entry/annotations";
import type { Decision, Situation } from "../../model/situation";

/** Before pods and metrics are observed. */
export type Unobserved = Pick<Situation, "hpa" | "scale" | "history">;

/** `prepared` has the HPA that the modifiers prepared. */
export interface ModifiedSituation {
  readonly found: Situation;
  readonly prepared: Situation;
  readonly operations: Operations;
  readonly now: EpochMs;
}

/** How one operation changes a decision. */
export interface Modifier {
  /** The decision without any stage. Undefined: the stages decide. */
  readonly instead?: (found: Situation, operations: Operations, now: EpochMs) => Decision | undefined;
  /** The HPA as the stages see it. The sync uses it to know what to observe. */
  readonly prepare: (known: Unobserved, operations: Operations, now: EpochMs) => HorizontalPodAutoscaler;
  readonly amend: (decision: Decision, modified: ModifiedSituation) => Decision;
}

export function withVerdict(hpa: HorizontalPodAutoscaler, verdict: Verdict, now: EpochMs): HorizontalPodAutoscaler {
  return { ...hpa, status: { ...hpa.status, conditions: setConditions(hpa.status?.conditions ?? [], [verdict], now) } };
}
