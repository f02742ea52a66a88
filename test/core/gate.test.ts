import type { HpaSpec, HpaStatus, MetricSpec } from "../../lib/k8s/hpa";
import { evaluate } from "../../lib/core/evaluate";
import { checkGate, needsMetrics, needsPods } from "../../lib/core/gate";
import { cpu50, hpaWith, noon, perPod, scaledToZero, scaleOf, situationWith } from "./build";

const notScaledToZero: HpaStatus = {
  conditions: [{ type: "ScaledToZero", status: "False", reason: "NotScaledToZero", message: "" }],
};

const disabled = {
  kind: "disabled",
  replicas: 0,
  limitedBy: "ScalingDisabled",
  because: "scaling is disabled since the replica count of the target is zero",
};
const open = { kind: "open" };
const above = {
  kind: "outOfBounds",
  replicas: 10,
  limitedBy: "TooManyReplicas",
  because: "Current number of replicas above Spec.MaxReplicas",
};
const below = {
  kind: "outOfBounds",
  replicas: 3,
  limitedBy: "TooFewReplicas",
  because: "Current number of replicas below Spec.MinReplicas",
};

test.each<[string, number, Partial<HpaSpec>, HpaStatus | undefined, object]>([
  ["zero that a human made", 0, { minReplicas: 0 }, undefined, disabled],
  ["zero that a human made again after ours", 0, { minReplicas: 0 }, notScaledToZero, disabled],
  ["zero that a human made, minReplicas 1", 0, { minReplicas: 1 }, undefined, disabled],
  ["zero of ours", 0, { minReplicas: 0 }, scaledToZero, open],
  ["zero of ours, minReplicas raised since", 0, { minReplicas: 2 }, scaledToZero, open],
  ["zero of ours, but only CPU is left to look at", 0, { minReplicas: 0, metrics: [cpu50] }, scaledToZero, disabled],
  ["zero of ours, CPU only, minReplicas raised", 0, { minReplicas: 1, metrics: [cpu50] }, scaledToZero, open],
  ["above maxReplicas", 11, {}, undefined, above],
  ["at maxReplicas", 10, {}, undefined, open],
  ["below minReplicas", 2, { minReplicas: 3 }, undefined, below],
  ["at minReplicas", 3, { minReplicas: 3 }, undefined, open],
])("%s", (...[_, replicas, spec, status, gate]) => {
  const hpa = hpaWith(spec, status);
  expect(checkGate(hpa, scaleOf(replicas))).toEqual(gate);
  expect(needsMetrics(hpa, scaleOf(replicas))).toBe(gate === open);
});

test("a scale without spec.replicas is at zero", () => {
  expect(checkGate(hpaWith(), { metadata: { name: "web" }, spec: {}, status: { replicas: 0 } })).toEqual(disabled);
});

test("an absent minReplicas is 1", () => {
  const { minReplicas: _, ...spec } = hpaWith({}, scaledToZero).spec;
  const hpa = { ...hpaWith({ metrics: [cpu50] }, scaledToZero), spec: { ...spec, metrics: [cpu50] } };
  expect(checkGate(hpa, scaleOf(0))).toEqual(open);
});

const target = { type: "Value", value: "5", averageValue: "5" };
const object = (type: string): MetricSpec => ({
  type: "Object",
  object: { describedObject: { kind: "Ingress", name: "i" }, metric: { name: "m" }, target: { ...target, type } },
});
const externalValue: MetricSpec = {
  type: "External",
  external: { metric: { name: "m" }, target: { type: "Value", value: "5" } },
};

test.each<[string, MetricSpec, number, boolean]>([
  ["Resource", cpu50, 2, true],
  ["Resource from zero", cpu50, 0, true],
  ["ContainerResource", { type: "ContainerResource" }, 2, true],
  ["Pods", { type: "Pods" }, 2, true],
  ["Object Value", object("Value"), 2, true],
  ["Object Value from zero", object("Value"), 0, false],
  ["Object AverageValue", object("AverageValue"), 2, false],
  ["External Value", externalValue, 2, true],
  ["External Value from zero", externalValue, 0, false],
  ["External AverageValue", perPod, 2, false],
  ["an unknown type", { type: "Weather" }, 2, false],
])("%s at %#: reads pods", (_, metric, replicas, reads) => {
  expect(needsPods(metric, scaleOf(replicas))).toBe(reads);
});

test.each<[string, number, Partial<HpaSpec>, number | null, string, string]>([
  ["disabled", 0, {}, null, "ScalingDisabled", "scaling is disabled since the replica count of the target is zero"],
  ["above", 12, {}, 10, "TooManyReplicas", "Current number of replicas above Spec.MaxReplicas"],
  ["below", 1, { minReplicas: 3 }, 3, "TooFewReplicas", "Current number of replicas below Spec.MinReplicas"],
])(
  "without metrics (%s) the step says why, and nothing is recommended",
  (...[_, replicas, spec, scaleTo, limitedBy, because]) => {
    const decision = evaluate(situationWith({ hpa: hpaWith(spec), scale: scaleOf(replicas), metrics: [] }), noon);
    expect(decision.scaleTo).toBe(scaleTo);
    expect(decision.recommendation).toBeNull();
    expect(decision.status.currentMetrics).toEqual([]);
    const detail = { current: replicas, minReplicas: spec.minReplicas ?? 1, maxReplicas: 10 };
    expect(decision.steps[0]).toEqual({ stage: "gate", replicas: scaleTo ?? 0, limitedBy, because, detail });
  },
);
