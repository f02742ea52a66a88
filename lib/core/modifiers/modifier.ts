import type { HorizontalPodAutoscaler } from "../../k8s/hpa";
import type { EpochMs } from "../../k8s/time";
import { setConditions, type Verdict } from "../conditions";
import type { Operations } from "../../model/entry/annotations";
import type { Decision, Situation } from "../../model/situation";

/** What is known before pods and metrics are observed. */
export type Unobserved = Pick<Situation, "hpa" | "scale" | "history">;

/** The situation as it was found, and the same with the HPA that the modifiers prepared. */
export interface ModifiedSituation {
  readonly found: Situation;
  readonly prepared: Situation;
  readonly operations: Operations;
  readonly now: EpochMs;
}

/** How one operation changes a decision, in pure functions. */
export interface Modifier {
  /** The decision without any stage. undefined: the stages decide. */
  readonly instead?: (found: Situation, operations: Operations, now: EpochMs) => Decision | undefined;
  /** The HPA as the stages see it. The sync also asks this to know what to observe. */
  readonly prepare: (known: Unobserved, operations: Operations, now: EpochMs) => HorizontalPodAutoscaler;
  /** The stages' decision as the operation leaves it. */
  readonly amend: (decision: Decision, modified: ModifiedSituation) => Decision;
}

/** The HPA as if its last sync had also said this. */
export function withVerdict(hpa: HorizontalPodAutoscaler, verdict: Verdict, now: EpochMs): HorizontalPodAutoscaler {
  return { ...hpa, status: { ...hpa.status, conditions: setConditions(hpa.status?.conditions ?? [], [verdict], now) } };
}
