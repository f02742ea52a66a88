import type { HorizontalPodAutoscaler } from "../../k8s/hpa";
import type { EpochMs } from "../../k8s/time";
import { setConditions, type Verdict } from "../conditions";
import type { Operations } from "../../model/entry/annotations";
import type { Decision, Situation } from "../../model/situation";

/** Before pods and metrics. */
export type Unobserved = Pick<Situation, "hpa" | "scale" | "history">;

export interface ModifiedSituation {
  readonly found: Situation;
  readonly prepared: Situation;
  readonly operations: Operations;
  readonly now: EpochMs;
}

export interface Modifier {
  /** Undefined: the stages decide. */
  readonly instead?: (found: Situation, operations: Operations, now: EpochMs) => Decision | undefined;
  /** The sync also uses this, to know what to observe. */
  readonly prepare: (known: Unobserved, operations: Operations, now: EpochMs) => HorizontalPodAutoscaler;
  readonly amend: (decision: Decision, modified: ModifiedSituation) => Decision;
}

export function withVerdict(hpa: HorizontalPodAutoscaler, verdict: Verdict, now: EpochMs): HorizontalPodAutoscaler {
  return { ...hpa, status: { ...hpa.status, conditions: setConditions(hpa.status?.conditions ?? [], [verdict], now) } };
}
