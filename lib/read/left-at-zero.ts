import type { State } from "../model/stored/state";

/**
 * True if the target is at a zero that ebb did not make: no metric ends it. As upstream, ebb assumes that a person
 * wants it.
 */
export function isLeftAtZero({ decision }: Pick<State, "decision">): boolean {
  if (decision === undefined || decision.desiredReplicas !== 0) return false;
  return decision.steps.some(({ limitedBy }) => limitedBy === "ScalingDisabled");
}
