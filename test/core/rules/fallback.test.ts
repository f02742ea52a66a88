import type { Fallback } from "../../../lib/model/metric/metric-rules";
import { evaluate } from "../../../lib/core/evaluate";
import { cpu50, clock, external, hpaWith, noon, perPod, podOf, scaledToZero, scaleOf, situationWith } from "../build";
import { play, sizes, type Slot } from "./play";

const failing = Array.from({ length: 5 }, (): Slot => "?");

test.each<[string, Fallback, number, readonly number[]]>([
  ["after its time, the number", { after: 30, replicas: 6 }, 3, [3, 3, 6, 6, 6]],
  ["it may lower the size, because somebody said so", { after: 30, replicas: 2 }, 8, [8, 8, 2, 2, 2]],
  ["at once", { after: 0, replicas: 4 }, 3, [4, 4, 4, 4, 4]],
  ["after 180 s by default", { replicas: 6 }, 3, [3, 3, 3, 3, 3]],
  ["a percentage of maxReplicas, rounded up", { after: 15, percentOfMaxReplicas: 45 }, 3, [3, 5, 5, 5, 5]],
  ["the current size", { after: 15, behavior: "currentReplicas" }, 3, [3, 3, 3, 3, 3]],
  ["the current size if higher", { after: 15, behavior: "currentReplicasIfHigher", replicas: 5 }, 8, [8, 8, 8, 8, 8]],
  ["or the number", { after: 15, behavior: "currentReplicasIfHigher", replicas: 5 }, 3, [3, 5, 5, 5, 5]],
  ["the current size if lower", { after: 15, behavior: "currentReplicasIfLower", replicas: 5 }, 3, [3, 3, 3, 3, 3]],
  ["or the number", { after: 15, behavior: "currentReplicasIfLower", replicas: 5 }, 8, [8, 5, 5, 5, 5]],
  ["zero, in so many words", { after: 15, behavior: "zero" }, 3, [3, 0, 0, 0, 0]],
  ["at zero, the number wakes the target", { after: 15, replicas: 2 }, 0, [0, 2, 2, 2, 2]],
  ["and the current size leaves it there", { after: 15, behavior: "currentReplicas" }, 0, [0, 0, 0, 0, 0]],
])("fallback: %s", (_name, fallback, replicas, expected) => {
  expect(sizes(failing, { rules: { fallback }, replicas })).toEqual(expected);
});

test("one good reading begins the time again", () => {
  const rules = { fallback: { after: 30, replicas: 6 } };
  expect(sizes(["?", "?", 30, "?", "?", "?"], { rules, replicas: 3 })).toEqual([3, 3, 3, 3, 3, 6]);
});

test("without a fallback, a metric that fails changes nothing", () => {
  expect(sizes(failing, { rules: { confirm: 2, maxReplicas: 2 }, replicas: 3 })).toEqual([3, 3, 3, 3, 3]);
});

const condition = (decision: ReturnType<typeof play>[number] | undefined) =>
  decision?.status.conditions?.find(({ type }) => type === "ExternalMetricFallbackActive");

test("the condition and the event are KEP-5679's, and the failure still shows", () => {
  const [before, begins, lasts] = play(["?", "?", "?"], {
    rules: { fallback: { after: 15, replicas: 6 } },
    replicas: 3,
  });
  expect(condition(before)).toMatchObject({
    status: "False",
    reason: "NoFallbackActive",
    message: "no external metrics are in fallback state",
  });
  expect(condition(begins)).toEqual({
    type: "ExternalMetricFallbackActive",
    status: "True",
    reason: "FallbackActive",
    message:
      "one or more external metrics are currently using fallback values due to retrieval failures: fallback of queue",
    lastTransitionTime: clock(15),
  });
  expect(begins?.events).toEqual([
    {
      type: "Warning",
      reason: "FailedGetExternalMetric",
      message: expect.stringContaining("connection refused") as string,
    },
    {
      type: "Normal",
      reason: "ExternalMetricFallbackActivated",
      message:
        "Fallback activated for external metric 'queue' after 15s of consecutive failures, using fallback replica count: 6",
    },
    { type: "Normal", reason: "SuccessfulRescale", message: "New size: 6; reason: fallback of queue above target" },
  ]);
  expect(lasts?.events.map(({ reason }) => reason)).toEqual(["FailedGetExternalMetric"]);
  expect(begins?.status.currentMetrics).toEqual([{ type: "" }]);
  expect(begins?.steps.slice(0, 2)).toEqual([
    {
      stage: "metric",
      replicas: null,
      limitedBy: "FailedGetExternalMetric",
      because: expect.stringContaining("connection refused") as string,
    },
    {
      stage: "fallback",
      replicas: 6,
      limitedBy: "FallbackActive",
      because: "the metric could not be read for 15 s: its fallback is 6",
      detail: { rule: 15, found: 15 },
    },
  ]);
});

test.each([
  [3600, "1h0m0s"],
  [200, "3m20s"],
  [180, "3m0s"],
])("%d s are %s, as Go prints them", (after, text) => {
  const decision = evaluate(
    situationWith({
      metrics: [{ error: "x" }],
      rules: [{ fallback: { after, replicas: 6 } }],
      memory: [{ failing: { since: noon - after * 1000 } }],
    }),
    noon,
  );
  expect(decision.events[1]?.message).toContain(` after ${text} of`);
});

test("the highest of the fallback and the other metrics wins", () => {
  const other = { ...perPod, external: { ...perPod.external!, metric: { name: "other" } } };
  const decide = (value: string) =>
    evaluate(
      situationWith({
        hpa: hpaWith({ metrics: [perPod, other] }),
        scale: scaleOf(5),
        metrics: [{ error: "x" }, external(value)],
        rules: [{ fallback: { after: 0, replicas: 6 } }, {}],
      }),
      noon,
    ).desiredReplicas;
  expect([decide("10"), decide("90")]).toEqual([6, 9]);
});

test("at zero, a metric of pods has no fallback: it always fails there", () => {
  const decide = (replicas: number) =>
    evaluate(
      situationWith({
        hpa: hpaWith({ minReplicas: 0, metrics: [cpu50, perPod] }, scaledToZero),
        scale: scaleOf(replicas),
        pods: replicas === 0 ? [] : [podOf("a")],
        metrics: [{ error: "x" }, external("0")],
        rules: [{ fallback: { after: 0, replicas: 4 } }, {}],
      }),
      noon,
    );
  expect(decide(0).desiredReplicas).toBe(0);
  expect(decide(0).memory).toBeUndefined();
  expect(decide(1).desiredReplicas).toBe(4);
});

test("while the metrics are not read, the condition is Unknown, and without a fallback it ends as False", () => {
  const fallback = { after: 0, replicas: 4 };
  const [active] = play(["?"], { rules: { fallback }, replicas: 3 });
  const hpa = hpaWith({}, active!.status);
  const conditionOf = (given: Parameters<typeof situationWith>[0]) =>
    condition(evaluate(situationWith({ hpa, ...given }), noon));
  expect(conditionOf({ scale: scaleOf(40), rules: [{ fallback }] })?.status).toBe("Unknown");
  expect(conditionOf({ scale: scaleOf(2, 2, ""), rules: [{ fallback }] })?.status).toBe("Unknown");
  expect(conditionOf({})?.status).toBe("False");
  expect(condition(evaluate(situationWith(), noon))).toBeUndefined();
});

test("without a scale, what is remembered stays", () => {
  const memory = [{ failing: { since: noon - 60_000 } }];
  const rules = [{ fallback: { replicas: 4 } }];
  expect(evaluate(situationWith({ scale: { error: "gone" }, memory, rules }), noon).memory).toEqual(memory);
});

test("a failure that began in the future began now", () => {
  const memory = [{ failing: { since: noon + 3_600_000 } }];
  const rules = [{ fallback: { after: 60, replicas: 4 } }];
  const decision = evaluate(situationWith({ metrics: [{ error: "x" }], memory, rules }), noon);
  expect(decision.memory).toEqual([{ failing: { since: noon } }]);
});
