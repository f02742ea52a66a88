import type { HorizontalPodAutoscaler } from "../../k8s/hpa";
import { isTrue, setConditions, withFormer, type Verdict } from "../conditions";
import { canReachZero, currentReplicas, minReplicas } from "../gate";
import { noHistory } from "../history";
import type { Decision, HpaEvent, Situation } from "../../model/situation";
import type { EpochMs } from "../../k8s/time";
import type { Step } from "../../model/step";

const DRY_RUN = "DryRun";
const NOT_APPLIED = "not applied (dry run)";

/**
 * `decision` as a dry run leaves it: recommended, explained and shown as desired, but not written, so that no scale event is counted and who
 * owns a zero stays as it was. A wish is an event once, however many syncs have it.
 */
export function withoutEffect(situation: Situation, decision: Decision, now: EpochMs): Decision {
  if (decision.scaleTo === null) return decision;
  const before = situation.hpa.status ?? {};
  const { scaleUpEvents, scaleDownEvents } = situation.history ?? noHistory;
  const { lastScaleTime: _scaledNow, ...status } = decision.status;
  const message = `the HPA controller would update the target scale to ${decision.scaleTo}; ${NOT_APPLIED}`;
  const verdict: Verdict = { type: "AbleToScale", status: "True", reason: DRY_RUN, message };
  const conditions = withFormer("ScaledToZero", before.conditions ?? [], decision.status.conditions ?? []);
  const isNews = !wished(situation.hpa, decision.scaleTo);
  const step: Step = {
    stage: "decide",
    replicas: status.currentReplicas ?? null,
    limitedBy: DRY_RUN,
    because: NOT_APPLIED,
  };
  return {
    ...decision,
    scaleTo: null,
    status: {
      ...status,
      ...(before.lastScaleTime === undefined ? {} : { lastScaleTime: before.lastScaleTime }),
      conditions: setConditions(conditions, [verdict], now),
    },
    events: decision.events.flatMap((event) =>
      event.reason === "SuccessfulRescale" ? (isNews ? [notApplied(event)] : []) : [event],
    ),
    history: { ...decision.history, scaleUpEvents, scaleDownEvents },
    steps: [...decision.steps, step],
  };
}

function wished({ status }: HorizontalPodAutoscaler, size: number): boolean {
  const able = status?.conditions?.find(({ type }) => type === "AbleToScale");
  return able?.reason === DRY_RUN && status?.desiredReplicas === size;
}

function notApplied({ message }: HpaEvent): HpaEvent {
  return { type: "Normal", reason: "DryRunRescale", message: `${message}; ${NOT_APPLIED}` };
}

/**
 * Whose zero it is, while another controller scales the target. One that it scaled to zero when our last recommendation was zero, too, is
 * taken for ours, as it would be had we written it: else the dry run, and whoever ends it, would wait at that zero for ever. Once the target
 * runs again nobody owns a zero. undefined: nothing changes.
 *
 *     recommended  2 ─ 0 ─ 0 ─                   the other controller's window was shorter, or it came first:
 *     replicas     2 ─ 2 ─ 0 ─                   from here on the zero is ours to wake
 */
export function adoptedZero({
  hpa,
  scale,
  history,
}: Pick<Situation, "hpa" | "scale" | "history">): Verdict | undefined {
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
