import { evaluate } from "../../lib/core/evaluate";
import {
  at,
  clock,
  cpu50,
  cpuUse,
  external,
  hpaWith,
  noon,
  nothingSoFar,
  options,
  perPod,
  podOf,
  scaleOf,
  situationWith,
  unhindered,
} from "./build";

const four = ["a", "b", "c", "d"].map((name) => podOf(name));
const all = { a: "1", b: "1", c: "1", d: "1" };

test("a rescale is explained from the metrics to the answer, and says nothing else anywhere", () => {
  const situation = situationWith({
    hpa: hpaWith({ metrics: [cpu50, perPod], maxReplicas: 7 }),
    scale: scaleOf(4),
    pods: four,
    metrics: [cpuUse(all), external("45")],
  });
  const { steps, status, events } = evaluate(situation, noon);
  expect(steps).toEqual([
    {
      stage: "metric",
      replicas: 8,
      because: "cpu resource utilization (percentage of request): usage ratio 2 × 4 ready pods",
      detail: {
        name: "cpu resource utilization (percentage of request)",
        averageUtilization: 100,
        target: 50,
        ratio: 2,
        ready: 4,
        unready: 0,
        missing: 0,
        ignored: 0,
      },
    },
    {
      stage: "metric",
      replicas: 5,
      because: "external metric queue(nil): the total divided by the target of one pod",
      detail: {
        name: "external metric queue(nil)",
        value: "45",
        averageValue: "11250m",
        target: "10",
        ratio: 1.125,
      },
    },
    {
      stage: "combine",
      replicas: 8,
      because: "the highest of 2: cpu resource utilization (percentage of request)",
      detail: { blind: 0 },
    },
    { stage: "stabilize", replicas: 8, because: "no recent recommendation says otherwise" },
    {
      stage: "bounds",
      replicas: 7,
      limitedBy: "TooManyReplicas",
      because: "spec.maxReplicas is 7",
      detail: { minReplicas: 1, maxReplicas: 7 },
    },
    { stage: "decide", replicas: 7, because: "from 4 to 7" },
  ]);
  expect(status.conditions?.map(({ type, reason, message }) => [type, reason, message])).toEqual([
    ["AbleToScale", "SucceededRescale", "the HPA controller was able to update the target scale to 7"],
    [
      "ScalingActive",
      "ValidMetricFound",
      "the HPA was able to successfully calculate a replica count from cpu resource utilization (percentage of request)",
    ],
    ["ScalingLimited", "TooManyReplicas", "the desired replica count is more than the maximum replica count"],
    ["ScaledToZero", "NotScaledToZero", "the HPA controller did not scale the workload to zero"],
  ]);
  expect(events).toEqual([
    {
      type: "Normal",
      reason: "SuccessfulRescale",
      message: "New size: 7; reason: cpu resource utilization (percentage of request) above target",
    },
  ]);
});

test.each([
  ["ready", [], "ReadyForNewScale", "recommended size matches current size"],
  [
    "held down",
    [{ replicas: 9, since: at(-30), at: at(-30) }],
    "ScaleDownStabilized",
    "recent recommendations were higher than current one, applying the highest recent recommendation",
  ],
  [
    "held up",
    [{ replicas: 1, since: at(-30), at: at(-30) }],
    "ScaleUpStabilized",
    "recent recommendations were lower than current one, applying the lowest recent recommendation",
  ],
])("%s: AbleToScale says why, and a step says that there is nothing to do", (_, recommendations, reason, message) => {
  const behavior = {
    scaleUp: { ...unhindered.scaleUp, stabilizationWindowSeconds: 60 },
    scaleDown: { ...unhindered.scaleDown, stabilizationWindowSeconds: 60 },
  };
  const value = reason === "ScaleUpStabilized" ? "80" : reason === "ScaleDownStabilized" ? "20" : "40";
  const { status, steps, events } = evaluate(
    situationWith({
      hpa: hpaWith({ behavior }),
      scale: scaleOf(4),
      metrics: [external(value)],
      history: { ...nothingSoFar, recommendations: [{ replicas: 4, since: at(-10), at: at(-10) }, ...recommendations] },
    }),
    noon,
  );
  expect(status.conditions?.slice(0, 1)).toEqual([
    { type: "AbleToScale", status: "True", reason, message, lastTransitionTime: clock(0) },
  ]);
  expect(status.conditions?.[2]).toMatchObject({
    status: "False",
    reason: "DesiredWithinRange",
    message: "the desired count is within the acceptable range",
  });
  expect(events).toEqual([]);
  expect(steps.at(-1)).toEqual({ stage: "decide", replicas: 4, because: "4 replicas are right" });
});

test("all metrics below target", () => {
  const situation = situationWith({ hpa: hpaWith({ behavior: unhindered }), scale: scaleOf(4) });
  const { events, steps } = evaluate(situation, noon);
  expect(events[0]?.message).toBe("New size: 2; reason: All metrics below target");
  expect(steps.at(-1)?.because).toBe("from 4 to 2");
});

test("a disabled HPA says so, and keeps its other conditions", () => {
  const before = {
    type: "ScalingLimited",
    status: "False" as const,
    reason: "r",
    message: "m",
    lastTransitionTime: clock(-9),
  };
  const hpa = hpaWith({}, { conditions: [before] });
  const { status, events } = evaluate(situationWith({ hpa, scale: scaleOf(0) }), noon);
  expect(status.conditions).toEqual([
    before,
    {
      type: "AbleToScale",
      status: "True",
      reason: "SucceededGetScale",
      message: "the HPA controller was able to get the target's current scale",
      lastTransitionTime: clock(0),
    },
    {
      type: "ScalingActive",
      status: "False",
      reason: "ScalingDisabled",
      message: "scaling is disabled since the replica count of the target is zero",
      lastTransitionTime: clock(0),
    },
  ]);
  expect(events).toEqual([]);
});

test("with an unreadable scale, an HPA without a status gets only that condition", () => {
  const { status } = evaluate(situationWith({ scale: { error: "gone" } }), noon);
  expect(status.conditions).toHaveLength(1);
});

test.each<[string, Record<string, string>, number, string]>([
  ["within tolerance", { a: "500m", b: "500m", c: "500m", d: "500m" }, 4, "the usage ratio is within tolerance"],
  [
    "within it once filled in",
    { a: "1", b: "1" },
    4,
    "with missing and unready pods filled in, the usage ratio is within tolerance",
  ],
  ["reversed, growing", { a: "1" }, 4, "filling in missing and unready pods would reverse the change"],
  ["reversed, shrinking", { a: "100m" }, 4, "filling in missing and unready pods would reverse the change"],
  [
    "more pods than replicas",
    { a: "100m", b: "100m", c: "100m" },
    2,
    "filling in missing and unready pods would reverse the change",
  ],
  [
    "fewer pods than replicas",
    { a: "1", b: "1", c: "1" },
    9,
    "filling in missing and unready pods would reverse the change",
  ],
])("the size stays: %s", (_, use, replicas, because) => {
  const situation = situationWith({
    hpa: hpaWith({ metrics: [cpu50], behavior: unhindered }),
    scale: scaleOf(replicas),
    pods: four,
    metrics: [cpuUse(use)],
    options,
  });
  expect(evaluate(situation, noon).steps[0]).toMatchObject({
    replicas,
    because: `cpu resource utilization (percentage of request): ${because}`,
  });
});
