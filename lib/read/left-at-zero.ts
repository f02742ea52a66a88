import type { State } from "../model/stored/state";

/**
 * Whether the last sync left the target at a zero that ebb did not make, so that nothing wakes it, whatever the metrics
 * say. Upstream takes such a zero for what a person wants.
 */
export function isLeftAtZero({ decision }: Pick<State, "decision">): boolean {
  if (decision === undefined || decision.desiredReplicas !== 0) return false;
  return decision.steps.some(({ limitedBy }) => limitedBy === "ScalingDisabled");
}
