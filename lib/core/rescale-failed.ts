import { setConditions, withFormer, type Verdict } from "./conditions";
import { noHistory } from "./history";
import type { Decision, HpaEvent, Situation } from "../model/situation";
import type { EpochMs } from "../k8s/time";

/**
 * `decision` after its scale write failed with `error`: nothing was scaled, so no event is counted, and who owns a zero, the
 * desired size and the time of the last scaling stay as they were. The recommendation was made all the same.
 * Upstream: reconcileAutoscaler, horizontal.go, where the update of the scale returns an error.
 */
export function rescaleFailed(situation: Situation, decision: Decision, error: string, now: EpochMs): Decision {
  const before = situation.hpa.status ?? {};
  const { scaleUpEvents, scaleDownEvents } = situation.history ?? noHistory;
  const { lastScaleTime: _scaledNow, ...status } = decision.status;
  const desiredReplicas = before.desiredReplicas ?? 0;
  const message = `the HPA controller was unable to update the target scale: ${error}`;
  const verdict: Verdict = { type: "AbleToScale", status: "False", reason: "FailedUpdateScale", message };
  const conditions = withFormer("ScaledToZero", before.conditions ?? [], decision.status.conditions ?? []);
  return {
    ...decision,
    desiredReplicas,
    scaleTo: null,
    status: {
      ...status,
      ...(before.lastScaleTime === undefined ? {} : { lastScaleTime: before.lastScaleTime }),
      desiredReplicas,
      conditions: setConditions(conditions, [verdict], now),
    },
    events: decision.events.map((event) => (event.reason === "SuccessfulRescale" ? failed(event, error) : event)),
    history: { ...decision.history, scaleUpEvents, scaleDownEvents },
    steps: [
      ...decision.steps,
      { stage: "decide", replicas: status.currentReplicas ?? null, limitedBy: verdict.reason, because: error },
    ],
  };
}

/** The event that was to say "New size: 4; reason: …" says why it did not come to it. */
function failed({ message }: HpaEvent, error: string): HpaEvent {
  return { type: "Warning", reason: "FailedRescale", message: `${message}; error: ${error}` };
}
