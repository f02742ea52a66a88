import { setConditions } from "../core/conditions";
import { noHistory } from "../core/history";
import type { Decision, EpochMs, HpaEvent } from "../core/situation";
import type { State } from "../core/state";

/** Errors quote what stands, which may be all of an item: 400 KB, and the state is an item itself. */
const longestMessage = 2_000;

/** An entry that is no usable HPA stops itself alone: nothing is guessed, nothing is scaled, and a condition names the fields. */
export function invalidEntry(state: State, errors: readonly string[], now: EpochMs) {
  const all = errors.join("; ");
  const message = all.length > longestMessage ? `${all.slice(0, longestMessage)}…` : all;
  const verdict = { type: "AbleToScale", status: "False", reason: "InvalidEntry", message } as const;
  const warning: HpaEvent = { type: "Warning", reason: "InvalidEntry", message };
  const decision: Decision = {
    desiredReplicas: state.status.desiredReplicas ?? 0,
    scaleTo: null,
    status: { ...state.status, conditions: setConditions(state.status.conditions ?? [], [verdict], now) },
    events: [warning],
    history: state.history ?? noHistory,
    recommendation: null,
    steps: [{ stage: "gate", replicas: null, limitedBy: "InvalidEntry", because: message }],
  };
  return { state, decision, warnings: [warning], events: [warning], selector: state.selector };
}
