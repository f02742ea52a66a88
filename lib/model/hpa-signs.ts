import type { HoldKind, HpaSigns } from "./hpa-states";
import type { Step } from "./step";
import type { Explained, State } from "./stored/state";

type Synced = Pick<State, "status" | "decision" | "warnings" | "intent">;

/** Only for an HPA that is synced, and not paused. */
export function signsOf({ status, decision, warnings = [], intent }: Synced, isDryRun: boolean): HpaSigns {
  const { currentReplicas = 0, desiredReplicas } = status;
  return {
    isFailing: warnings.length > 0,
    isLeftAtZero: isLeftAtZero(decision),
    isDryRun,
    isScaling: intent !== undefined || currentReplicas !== desiredReplicas,
    holds: holdsIn(decision?.steps ?? []),
    size: currentReplicas,
  };
}

/** In the order of the steps. */
export function holdsIn(steps: readonly Step[]): readonly HoldKind[] {
  return steps.flatMap((step) => holdOf(step) ?? []);
}

export function holdOf(step: Step): HoldKind | undefined {
  const { stage, limitedBy, replicas, detail } = step;
  if (stage === "combine") return replicas === null || (detail?.blind ?? 0) > 0 ? "unknownMetric" : undefined;
  if (limitedBy === undefined || replicas === null) return undefined;
  switch (stage) {
    case "stabilize":
      return "stabilization";
    case "limitRate":
      return "rate";
    case "confirm":
      return "confirm";
    case "idle":
      return replicas === 0 ? undefined : "cooldown";
    case "spare":
      return "busy";
    case "bounds":
      if (detail?.from !== undefined) return "from";
      return limitedBy === "TooManyReplicas" ? "maxReplicas" : "minReplicas";
    default:
      return undefined;
  }
}

/** At a zero that ebb did not make: as upstream, ebb assumes that a person wants it, and no metric ends it. */
export function isLeftAtZero(decision: Pick<Explained, "desiredReplicas" | "steps"> | undefined): boolean {
  if (decision === undefined || decision.desiredReplicas !== 0) return false;
  return decision.steps.some(({ limitedBy }) => limitedBy === "ScalingDisabled");
}
