import { setConditions } from "../core/conditions";
import type { Decision, EpochMs, HpaEvent } from "../core/situation";
import type { State } from "../core/state";

/** An entry that is no usable HPA stops itself alone: nothing is guessed, nothing is scaled, and a condition names the fields. */
export function invalidEntry(state: State, errors: readonly string[], now: EpochMs) {
  const message = errors.join("; ");
  const verdict = { type: "AbleToScale", status: "False", reason: "InvalidEntry", message } as const;
  const decision: Pick<Decision, "status" | "history" | "recommendation"> = {
    status: { ...state.status, conditions: setConditions(state.status.conditions ?? [], [verdict], now) },
    history: state.history ?? { recommendations: [], scaleUpEvents: [], scaleDownEvents: [] },
    recommendation: null,
  };
  const warning: HpaEvent = { type: "Warning", reason: "InvalidEntry", message };
  return { state, decision, warnings: [warning], events: [warning], selector: state.selector };
}
