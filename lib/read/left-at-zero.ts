import type { State } from "../model/stored/state";

/** True at a zero that ebb did not make: as upstream, ebb assumes that a person wants it, and no metric ends it. */
export function isLeftAtZero({ decision }: Pick<State, "decision">): boolean {
  if (decision === undefined || decision.desiredReplicas !== 0) return false;
  return decision.steps.some(({ limitedBy }) => limitedBy === "ScalingDisabled");
}
