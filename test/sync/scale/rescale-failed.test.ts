import type { HpaStatus } from "../../../lib/k8s/hpa";
import { evaluate } from "../../../lib/core/evaluate";
import { rescaleFailed } from "../../../lib/sync/scale/intents";
import { at, clock, external, hpaWith, noon, nothingSoFar, scaleOf, situationWith, unhindered } from "../../core/build";

const before: HpaStatus = {
  currentReplicas: 2,
  desiredReplicas: 2,
  lastScaleTime: clock(-600),
  conditions: [
    { type: "AbleToScale", status: "True", reason: "ReadyForNewScale", message: "m", lastTransitionTime: clock(-600) },
    { type: "ScaledToZero", status: "True", reason: "ScaledToZero", message: "m", lastTransitionTime: clock(-600) },
  ],
};
const history = {
  ...nothingSoFar,
  scaleUpEvents: [{ change: 1, at: at(-3600) }],
  scaleDownEvents: [{ change: 2, at: at(-9) }],
};

function failed(status: HpaStatus | undefined, known: typeof history | null = history) {
  const situation = situationWith({
    hpa: hpaWith({ behavior: unhindered }, status),
    scale: scaleOf(2),
    metrics: [external("60")],
    history: known,
  });
  const decision = evaluate(situation, noon);
  return { decision, result: rescaleFailed(situation, decision, "conflict", noon) };
}

test("nothing was scaled, and every field says so", () => {
  const { decision, result } = failed(before);
  expect(decision.scaleTo).toBe(6);
  expect(result).toMatchObject({ desiredReplicas: 2, scaleTo: null, recommendation: 6 });
  expect(result.events).toEqual([
    {
      type: "Warning",
      reason: "FailedRescale",
      message: "New size: 6; reason: external metric queue(nil) above target; error: conflict",
    },
  ]);
  expect(result.steps).toEqual([
    ...decision.steps,
    { stage: "decide", replicas: 2, limitedBy: "FailedUpdateScale", because: "conflict" },
  ]);
});

test("the status keeps the last desiredReplicas and the owner of a zero; its metrics are from this sync", () => {
  const { decision, result } = failed(before);
  expect(result.status).toEqual({
    observedGeneration: 0,
    currentReplicas: 2,
    desiredReplicas: 2,
    lastScaleTime: clock(-600),
    currentMetrics: decision.status.currentMetrics,
    conditions: [
      {
        type: "AbleToScale",
        status: "False",
        reason: "FailedUpdateScale",
        message: "the HPA controller was unable to update the target scale: conflict",
        lastTransitionTime: clock(0),
      },
      before.conditions?.[1],
      expect.objectContaining({ type: "ScalingActive", status: "True" }),
      expect.objectContaining({ type: "ScalingLimited", status: "False" }),
    ],
  });
});

test("a first sync leaves desiredReplicas at 0", () => {
  const { status, history: after } = failed(undefined, null).result;
  expect(status).toMatchObject({ desiredReplicas: 0 });
  expect(status).not.toHaveProperty("lastScaleTime");
  expect(status.conditions?.map(({ type }) => type)).toEqual(["AbleToScale", "ScalingActive", "ScalingLimited"]);
  expect(after).toMatchObject({ scaleUpEvents: [], scaleDownEvents: [] });
});

test("the history has the recommendation, and no scale event", () => {
  const { decision, result } = failed(before);
  expect(decision.history.scaleUpEvents).toEqual([{ change: 4, at: noon }]);
  expect(result.history).toEqual({ ...history, recommendations: decision.history.recommendations });
});

test("warnings of metrics stay in order", () => {
  const situation = situationWith({
    hpa: hpaWith({ metrics: [...(hpaWith().spec.metrics ?? []), { type: "Weather" }] }),
    metrics: [external("60"), external("1")],
  });
  const { events } = rescaleFailed(situation, evaluate(situation, noon), "boom", noon);
  expect(events.map(({ reason }) => reason)).toEqual(["InvalidMetricSourceType", "FailedRescale"]);
});
