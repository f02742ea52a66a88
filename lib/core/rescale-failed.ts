import { undoScaling } from "./undo-scaling";
import type { Decision, Situation } from "../model/situation";
import type { EpochMs } from "../k8s/time";

/** Keeps the last desiredReplicas. Upstream: reconcileAutoscaler, horizontal.go, where the update fails. */
export function rescaleFailed(situation: Situation, decision: Decision, error: string, now: EpochMs): Decision {
  const message = `the HPA controller was unable to update the target scale: ${error}`;
  const undone = undoScaling(
    situation,
    decision,
    {
      verdict: { type: "AbleToScale", status: "False", reason: "FailedUpdateScale", message },
      because: error,
      insteadOf: (rescaled) => ({
        type: "Warning",
        reason: "FailedRescale",
        message: `${rescaled.message}; error: ${error}`,
      }),
    },
    now,
  );
  const desiredReplicas = situation.hpa.status?.desiredReplicas ?? 0;
  return { ...undone, desiredReplicas, status: { ...undone.status, desiredReplicas } };
}
