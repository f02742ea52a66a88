import { evaluate } from "../../../lib/core/evaluate";
import { digest } from "../../../lib/core/explain/digest";
import type { Situation } from "../../../lib/model/situation";
import {
  cpu50,
  cpuUse,
  external,
  hpaWith,
  noon,
  options,
  perPod,
  podOf,
  scaledToZero,
  scaleOf,
  situationWith,
} from "../build";

const four = ["a", "b", "c", "d"].map((name) => podOf(name));

function readingsOf(given: Partial<Situation>, hpa = situationWith(given).hpa) {
  const situation = situationWith(given);
  const { steps } = evaluate(situation, noon);
  const from = "error" in situation.scale ? 0 : (situation.scale.spec.replicas ?? 0);
  return digest({ from, steps }, { hpa, options }).metrics;
}

const ofCpu = (pods: Situation["pods"], use: Record<string, string>) => ({
  hpa: hpaWith({ metrics: [cpu50] }),
  scale: scaleOf(4),
  pods,
  metrics: [cpuUse(use)],
});

test("a total is shown with the share per pod, in readable numbers", () => {
  expect(readingsOf({ scale: scaleOf(4), metrics: [external("45")] })).toEqual([
    { metric: "queue", read: "45 in all, 11.25 a pod (target 10)", asksFor: 5, notes: [] },
  ]);
});

test("a value that was made of others says of which", () => {
  const made = { ...external("45"), madeOf: "orders=40, mail=missing" };
  expect(readingsOf({ scale: scaleOf(4), metrics: [made] })[0]?.read).toBe(
    "45 in all, 11.25 a pod (target 10), made of orders=40, mail=missing",
  );
  const hpa = hpaWith({
    metrics: [{ type: "External", external: { metric: { name: "queue" }, target: { type: "Value", value: "90" } } }],
  });
  expect(readingsOf({ hpa, scale: scaleOf(4), pods: four, metrics: [made] })[0]?.read).toBe(
    "45 (target 90), made of orders=40, mail=missing",
  );
});

test("a value below zero of ebb's own source says that it counts as 0", () => {
  const below = { ...external("-2500m", "4"), from: "http" };
  expect(readingsOf({ scale: scaleOf(4), metrics: [below] })).toEqual([
    { metric: "queue", read: "4 in all, 1 a pod (target 10)", asksFor: 1, notes: ["-2.5 counts as 0"] },
  ]);
  const hpa = hpaWith({
    metrics: [{ type: "External", external: { metric: { name: "queue" }, target: { type: "Value", value: "90" } } }],
  });
  expect(readingsOf({ hpa, scale: scaleOf(4), pods: four, metrics: [below] })[0]?.notes).toEqual(["-2.5 counts as 0"]);
  expect(readingsOf({ scale: scaleOf(4), metrics: [{ ...external("0"), from: "http" }] })[0]?.notes).toEqual([]);
});

test("a value of which only a part is known says why", () => {
  const hpa = hpaWith({}, scaledToZero);
  const [reading] = readingsOf({ hpa, scale: scaleOf(0), metrics: [{ error: "gone", from: "redis", atLeast: 4 }] });
  expect(reading).toMatchObject({ read: "4 in all (target 10 a pod)", notes: ["at least so much: gone"] });
});

test("a metric within tolerance says so", () => {
  const [reading] = readingsOf(ofCpu(four, { a: "0.5", b: "0.5", c: "0.5", d: "0.54" }));
  expect(reading).toEqual({
    metric: "cpu",
    read: "51% of requests (target 50%)",
    asksFor: 4,
    notes: ["within tolerance"],
    pods: { ready: 4, unready: 0, missing: 0, ignored: 0 },
  });
});

test.each([
  ["more than the size, during a rollout", 21, "200"],
  ["fewer, while a quota refuses them", 19, "190"],
])("a total within tolerance says which pods it keeps: %s", (_, reported, total) => {
  const [reading] = readingsOf({
    hpa: hpaWith({ maxReplicas: 50 }),
    scale: scaleOf(20, reported),
    metrics: [external(total)],
  });
  expect(reading).toMatchObject({
    asksFor: reported,
    notes: [`within tolerance, for the ${reported} pods that the target reports`],
  });
});

test("the pods that count, and those that do not, by name", () => {
  const pods = [...four.slice(0, 2), podOf("c", { phase: "Pending" }), podOf("d"), podOf("e", { deleted: true })];
  const [reading] = readingsOf(ofCpu(pods, { a: "1", b: "1" }));
  expect(reading?.notes).toEqual(["no change once pods without a sample are filled in"]);
  expect(reading?.pods).toEqual({
    ...{ ready: 2, unready: 1, missing: 1, ignored: 1 },
    ...{ unreadyPods: "c", missingPods: "d", ignoredPods: "e" },
  });
});

test("if no pod has a sample that counts, they are named all the same", () => {
  const pods = [podOf("b", { phase: "Pending" }), podOf("a", { phase: "Pending" }), podOf("c")];
  const [reading] = readingsOf(ofCpu(pods, { a: "1" }));
  expect(reading).toMatchObject({
    asksFor: null,
    failure: { message: expect.stringContaining("pods might be unready") as string },
    pods: { ready: 0, unready: 2, missing: 1, ignored: 0, unreadyPods: "a, b", missingPods: "c" },
  });
});

test("a metric that cannot be read says why, and asks for no size", () => {
  const hpa = hpaWith({ metrics: [cpu50, perPod] });
  const readings = readingsOf({ hpa, scale: scaleOf(4), pods: four, metrics: [cpuUse({ a: "1" }), { error: "gone" }] });
  expect(readings[1]).toMatchObject({ metric: "queue", asksFor: null, failure: { reason: "FailedGetExternalMetric" } });
  expect(readings[1]?.failure?.message).toMatch(/gone$/);
});

test("if the spec has other metrics by now, the recorded names are shown", () => {
  const [reading] = readingsOf({ metrics: [external("45")] }, hpaWith({ metrics: [cpu50, perPod] }));
  expect(reading?.metric).toBe("external metric queue(nil)");
});
