import type { HorizontalPodAutoscaler } from "../../k8s/hpa";
import { isTrue, type Verdict } from "../conditions";
import { canReachZero, currentReplicas, minReplicas } from "../gate";
import { undoScaling } from "../undo-scaling";
import type { Decision } from "../../model/situation";
import { withVerdict, type ModifiedSituation, type Modifier, type Unobserved } from "./modifier";

const DRY_RUN = "DryRun";
const NOT_APPLIED = "not applied (dry run)";

export const dryRun: Modifier = {
  prepare: (known, operations, now) => {
    const zero = operations.dryRun ? adoptedZero(known) : undefined;
    return zero === undefined ? known.hpa : withVerdict(known.hpa, zero, now);
  },
  amend: (decision, modified) => (modified.operations.dryRun ? withoutEffect(decision, modified) : decision),
};

/** desiredReplicas stays. An event reports it only when it changes. */
function withoutEffect(decision: Decision, { prepared, now }: ModifiedSituation): Decision {
  const { scaleTo } = decision;
  if (scaleTo === null) return decision;
  const message = `the HPA controller would update the target scale to ${scaleTo}; ${NOT_APPLIED}`;
  const isRepeated = wantedBefore(prepared.hpa) === scaleTo;
  return undoScaling(
    prepared,
    decision,
    {
      verdict: { type: "AbleToScale", status: "True", reason: DRY_RUN, message },
      because: NOT_APPLIED,
      insteadOf: (rescaled) =>
        isRepeated
          ? undefined
          : { type: "Normal", reason: "DryRunRescale", message: `${rescaled.message}; ${NOT_APPLIED}` },
    },
    now,
  );
}

function wantedBefore({ status }: HorizontalPodAutoscaler): number | undefined {
  const able = status?.conditions?.find(({ type }) => type === "AbleToScale");
  return able?.reason === DRY_RUN ? status?.desiredReplicas : undefined;
}

/**
 * A zero of another controller counts as ours if our last recommendation was zero: otherwise the HPA would stay at zero
 * for good.
 *
 *     recommended  2 ─ 0 ─ 0 ─                   the other controller's window was shorter, or it synced first:
 *     replicas     2 ─ 2 ─ 0 ─                   from here on the zero is ours to wake
 */
function adoptedZero({ hpa, scale, history }: Unobserved): Verdict | undefined {
  if ("error" in scale) return undefined;
  const { status } = hpa;
  const current = currentReplicas(scale);
  const isOurs = isTrue(status?.conditions, "ScaledToZero");
  if (current > 0) return isOurs ? wokenByAnother : undefined;
  const ran = (status?.currentReplicas ?? 0) > 0;
  const wantedZero = history?.recommendations.at(-1)?.replicas === 0;
  const mayBeZero = minReplicas(hpa) === 0 && canReachZero(hpa);
  return !isOurs && ran && wantedZero && mayBeZero ? zeroedByAnother : undefined;
}

const zeroedByAnother: Verdict = {
  type: "ScaledToZero",
  status: "True",
  reason: "ScaledToZero",
  message: "another controller scaled the workload to zero, as was recommended (dry run)",
};

const wokenByAnother: Verdict = {
  type: "ScaledToZero",
  status: "False",
  reason: "NotScaledToZero",
  message: "another controller scaled the workload from zero (dry run)",
};
