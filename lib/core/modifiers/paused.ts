import { pausedAnnotation, pausedUntilAnnotation, type Operations } from "../../model/annotations";
import type { HorizontalPodAutoscaler } from "../../k8s/hpa";
import { formatSeconds } from "../../k8s/time";
import { setConditions, type Verdict } from "../conditions";
import { currentReplicas } from "../gate";
import { noHistory } from "../history";
import type { Decision, HpaEvent, Situation } from "../../model/situation";
import type { EpochMs } from "../../k8s/time";
import type { Step } from "../../model/step";

const PAUSED = "Paused";

/**
 * While it is paused an HPA decides nothing and reads no metric: no recommendation is made, which ends the open run, and what it asks for
 * stays as it was last. A scale that could be read is shown; one that could not is nobody's concern now.
 */
export function pausedDecision({ hpa, scale, history }: Situation, operations: Operations, now: EpochMs): Decision {
  const before = hpa.status ?? {};
  const { generation } = hpa.metadata;
  const seen = "error" in scale ? {} : { currentReplicas: currentReplicas(scale) };
  const message = describe(operations);
  const verdict: Verdict = { type: "ScalingActive", status: "False", reason: PAUSED, message };
  const event: HpaEvent = { type: "Normal", reason: PAUSED, message };
  const step: Step = { stage: "gate", replicas: seen.currentReplicas ?? null, limitedBy: PAUSED, because: message };
  return {
    desiredReplicas: before.desiredReplicas ?? 0,
    scaleTo: null,
    status: {
      ...before,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      ...seen,
      currentMetrics: [],
      conditions: setConditions(before.conditions ?? [], [verdict], now),
    },
    events: wasPaused(hpa) ? [] : [event],
    history: history ?? noHistory,
    recommendation: null,
    steps: [step],
  };
}

function describe({ paused }: Operations): string {
  return typeof paused === "boolean"
    ? `paused by the annotation ${pausedAnnotation}`
    : `paused until ${formatSeconds(paused.until)} by the annotation ${pausedUntilAnnotation}`;
}

/** The condition alone remembers it. */
export function wasPaused({ status }: HorizontalPodAutoscaler): boolean {
  return status?.conditions?.find(({ type }) => type === "ScalingActive")?.reason === PAUSED;
}

/** After a pause: until a sync has read the metrics it is not known whether scaling is active. */
export const resumed: Verdict = {
  type: "ScalingActive",
  status: "Unknown",
  reason: "Resumed",
  message: "resumed; no metric has been read since",
};
