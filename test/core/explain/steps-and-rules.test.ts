import { digest } from "../../../lib/core/explain/digest";
import type { MetricRules } from "../../../lib/model/metric/metric-rules";
import type { Step } from "../../../lib/model/step";
import { hpaWith, options } from "../build";
import { type Play, play, type Slot } from "../rules/play";

/** What is said of the last slot of a story. */
function saidOf(slots: readonly Slot[], given: Play, from = 3) {
  const steps = play(slots, given).at(-1)?.steps ?? [];
  return digest({ from, steps }, { hpa: hpaWith(given.spec), options });
}

const ruled = (read: number, rules: MetricRules) => saidOf([read], { replicas: 3, rules }).metrics[0];

test.each<[string, number, MetricRules, { asksFor: number; notes: readonly string[] }]>([
  ["no rule", 30, {}, { asksFor: 3, notes: ["within tolerance"] }],
  ["a cap", 90, { maxReplicas: 4 }, { asksFor: 4, notes: ["the metric's own maxReplicas is 4"] }],
  [
    "an activation",
    30,
    { activation: "40" },
    { asksFor: 0, notes: ["within tolerance", "30 is no work: the metric's activation is 40"] },
  ],
])("a metric under %s says what its rules made of it", (_name, read, rules, expected) => {
  expect(ruled(read, rules)).toEqual({
    metric: "queue",
    read: `${read} in all, ${read / 3} a pod (target 10)`,
    ...expected,
  });
});

test("a wake that is not confirmed says in how many more slots it may be", () => {
  const said = saidOf([25], { rules: { confirmWake: 3 } }, 0);
  expect(said).toMatchObject({ slotsToWake: 2, proposed: 0, metrics: [{ asksFor: 0 }] });
  expect(said).not.toHaveProperty("slotsToZero");
  expect(saidOf([25, 25], { rules: { confirmWake: 3 } }, 0).slotsToWake).toBe(1);
  expect(saidOf([25, 25, 25], { rules: { confirmWake: 3 } }, 0)).not.toHaveProperty("slotsToWake");
});

test("of several metrics that wait, the nearest wake counts", () => {
  const rules = (found: number): readonly Step[] => [
    { stage: "metric", replicas: 3, because: "" },
    {
      ...{ stage: "confirmWake", replicas: 0, limitedBy: "WakeNotConfirmed", because: "" },
      detail: { rule: 5, found },
    },
  ];
  const combined: Step = { stage: "combine", replicas: 0, because: "" };
  const steps = [...rules(1), ...rules(3), combined];
  expect(digest({ from: 0, steps }, { hpa: undefined, options }).slotsToWake).toBe(2);
});

test("a zero that is not confirmed is a hold, which names its metric", () => {
  const said = saidOf([0], { replicas: 4, rules: { confirm: 3 } }, 4);
  expect(said.slotsToZero).toBe(2);
  expect(said.holds).toEqual([{ by: "confirm", replicas: 1, metric: "external metric queue(nil)", slotsToZero: 2 }]);
});

test("a fallback shows why the metric could not be read, and what it asks for", () => {
  const rules = { fallback: { after: 0, replicas: 6 } };
  const [metric] = saidOf(["?"], { replicas: 3, rules }).metrics;
  expect(metric).toMatchObject({ asksFor: 6, failure: { reason: "FailedGetExternalMetric" } });
  expect(metric?.notes).toHaveLength(1);
});

describe("a hold has the direction of what it holds up", () => {
  const hold = (stage: "stabilize" | "limitRate", limitedBy: string): Step => ({
    stage,
    replicas: 5,
    limitedBy,
    because: "4 pods in 15 s",
  });
  const combined: Step = { stage: "combine", replicas: 5, because: "" };
  const holdsOf = (step: Step) => digest({ from: 5, steps: [combined, step] }, { hpa: undefined, options }).holds;

  test.each([
    ["ScaleUpStabilized", "up"],
    ["ScaleDownStabilized", "down"],
  ])("%s: %s", (limitedBy, direction) => {
    const unknown = { windowSeconds: 0, recommendation: null, lastSeen: null, until: null };
    expect(holdsOf(hold("stabilize", limitedBy))).toEqual([
      { by: "stabilization", direction, replicas: 5, ...unknown },
    ]);
  });

  test.each([
    ["ScaleUpLimit", "up"],
    ["ScaleDownLimit", "down"],
  ])("%s: %s", (limitedBy, direction) => {
    expect(holdsOf(hold("limitRate", limitedBy))).toEqual([
      { by: "rate", direction, replicas: 5, policy: "4 pods in 15 s", until: null },
    ]);
  });

  test.each([
    ["TooManyReplicas", "maxReplicas"],
    ["TooFewReplicas", "minReplicas"],
  ])("%s: %s", (limitedBy, by) => {
    const bounds = { stage: "bounds", replicas: 5, limitedBy, because: "" } as Step;
    expect(holdsOf(bounds)).toEqual([{ by, replicas: 5 }]);
  });

  test("a step that held nothing up, or has no size, is no hold", () => {
    expect(holdsOf({ stage: "stabilize", replicas: 5, because: "" })).toEqual([]);
    expect(holdsOf({ ...hold("stabilize", "ScaleUpStabilized"), replicas: null })).toEqual([]);
    expect(holdsOf({ ...hold("stabilize", "Other"), stage: "decide" } as Step)).toEqual([]);
  });
});

describe("what stands in the way", () => {
  const decide = (more: object): Step => ({ stage: "decide", replicas: 3, because: "why", ...more });
  const combined = (replicas: number | null): Step => ({ stage: "combine", replicas, because: "" });
  const obstacle = (...steps: readonly Step[]) => digest({ from: 3, steps }, { hpa: undefined, options }).obstacle;

  test.each<[string, readonly Step[], object | undefined]>([
    ["a gate", [decide({ limitedBy: "ScalingDisabled" })], { reason: "ScalingDisabled", message: "why" }],
    ["nothing", [combined(3), decide({})], undefined],
    ["a decision that failed", [combined(3), decide({ limitedBy: "Failed" })], { reason: "Failed", message: "why" }],
    ["metrics that cannot be read, which say so themselves", [combined(null), decide({ limitedBy: "F" })], undefined],
    [
      "a limit before the end",
      [combined(3), { stage: "bounds", replicas: 3, limitedBy: "TooFewReplicas", because: "" }],
      undefined,
    ],
    ["no step at all", [], undefined],
  ])("%s", (_name, steps, expected) => {
    expect(obstacle(...steps)).toEqual(expected);
  });
});

test("without a decision on sizes, no metric is shown", () => {
  const metric: Step = { stage: "metric", replicas: 3, because: "" };
  const steps = [metric, { stage: "decide", replicas: 3, limitedBy: "Failed", because: "" } as Step];
  expect(digest({ from: 3, steps }, { hpa: undefined, options })).toMatchObject({
    metrics: [],
    proposed: null,
    holds: [],
  });
});

test("without an HPA, the recorded names are shown; a step without one is a metric", () => {
  const steps = play([30], { replicas: 3 }).at(-1)?.steps ?? [];
  expect(digest({ from: 3, steps }, { hpa: undefined, options }).metrics[0]?.metric).toBe("external metric queue(nil)");
  const bare: readonly Step[] = [
    { stage: "metric", replicas: null, because: "gone" },
    { stage: "combine", replicas: null, because: "" },
  ];
  expect(digest({ from: 3, steps: bare }, { hpa: undefined, options }).metrics).toEqual([
    { metric: "a metric", asksFor: null, notes: [], failure: { reason: "", message: "gone" } },
  ]);
});
