import { isPaused, pausedAnnotation, pausedUntilAnnotation, type Operations } from "../../model/entry/annotations";
import type { HorizontalPodAutoscaler } from "../../k8s/hpa";
import { formatSeconds } from "../../k8s/time";
import { setConditions, type Verdict } from "../conditions";
import { currentReplicas } from "../gate";
import { noHistory } from "../history";
import type { Decision, HpaEvent, Situation } from "../../model/situation";
import type { EpochMs } from "../../k8s/time";
import type { Step } from "../../model/step";
import { withVerdict, type Modifier } from "./modifier";

const PAUSED = "Paused";

/** The first sync after a pause reports its end. */
export const paused: Modifier = {
  instead: (found, operations, now) => (isPaused(operations, now) ? pausedDecision(found, operations, now) : undefined),
  prepare: ({ hpa }, _operations, now) => (wasPaused(hpa) ? withVerdict(hpa, resumed, now) : hpa),
  amend: (decision, { found }) =>
    wasPaused(found.hpa) ? { ...decision, events: [resumedEvent, ...decision.events] } : decision,
};

/** Makes no recommendation, which ends the open span. */
function pausedDecision({ hpa, scale, history }: Situation, operations: Operations, now: EpochMs): Decision {
  const before = hpa.status ?? {};
  const { generation: observedGeneration = 0 } = hpa.metadata;
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
      observedGeneration,
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

function describe({ paused: pause }: Operations): string {
  return typeof pause === "boolean"
    ? `paused by the annotation ${pausedAnnotation}`
    : `paused until ${formatSeconds(pause.until)} by the annotation ${pausedUntilAnnotation}`;
}

/** Only the condition remembers a pause. */
export function wasPaused({ status }: HorizontalPodAutoscaler): boolean {
  return status?.conditions?.find(({ type }) => type === "ScalingActive")?.reason === PAUSED;
}

/** Unknown until a sync reads the metrics. */
const resumed: Verdict = {
  type: "ScalingActive",
  status: "Unknown",
  reason: "Resumed",
  message: "resumed; no metric has been read since",
};

const resumedEvent: HpaEvent = { type: "Normal", reason: resumed.reason, message: "resumed" };
