import { findWork, type FoundWork } from "../../lib/poller/poll";
import type { HorizontalPodAutoscaler, MetricSpec } from "../../lib/k8s/hpa";
import { defaultOptions } from "../../lib/model/entry/options";
import type { MetricRules } from "../../lib/model/metric/metric-rules";

const now = Date.parse("2026-03-01T12:00:00Z");

const hpaOf = (target: NonNullable<MetricSpec["external"]>["target"]): HorizontalPodAutoscaler => ({
  ...{ apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", metadata: { namespace: "shop", name: "orders" } },
  spec: {
    ...{
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "orders" },
      minReplicas: 0,
      maxReplicas: 9,
    },
    metrics: [{ type: "External", external: { metric: { name: "depth" }, target } }],
  },
});
const average = { type: "AverageValue", averageValue: "5" } as const;
const total = { type: "Value", value: "5" } as const;

test.each<[string, typeof average | typeof total, MetricRules, readonly string[], FoundWork]>([
  ["nothing there", average, {}, ["0"], "none"],
  ["no values", average, {}, [], "none"],
  ["one message", average, {}, ["1"], "certain"],
  ["one message, of a total", total, {}, ["1"], "certain"],
  ["a thousandth", average, {}, ["1m"], "certain"],
  ["several values whose sum counts", average, {}, ["0", "1"], "certain"],
  ["at its activation", average, { activation: "3" }, ["3"], "none"],
  ["beyond its activation", average, { activation: "3" }, ["4"], "certain"],
  ["waiting to be confirmed, which is the sync's", average, { confirmWake: 3 }, ["1"], "certain"],
  ["below zero", average, {}, ["-5"], "none"],
  ["a thousandth below zero", average, {}, ["-1m"], "none"],
  ["below zero, of a total", total, {}, ["-5"], "none"],
  ["several values, of which one is work and one is below zero", average, {}, ["-5", "1"], "certain"],
  ["a number that is none", average, {}, ["many"], "none"],
])("%s", (...[, target, rules, values, expected]) => {
  const items = values.map((value) => ({
    metricName: "depth",
    metricLabels: {},
    timestamp: "2026-03-01T12:00:00Z",
    value,
  }));
  const read = { index: 0, response: { items, from: "sqs" } };
  expect(findWork({ hpa: hpaOf(target), rules: [rules], options: defaultOptions }, read, now)).toBe(expected);
});

test.each<[number, MetricRules, FoundWork]>([
  [1, {}, "certain"],
  [3, { activation: 3 }, "none"],
  [0, {}, "none"],
])("an unknown reading of at least %d with the rules %j is %s work", (atLeast, rules, expected) => {
  const read = { index: 0, response: { error: "the rest is unknown", from: "redis", atLeast } };
  expect(findWork({ hpa: hpaOf(average), rules: [rules], options: defaultOptions }, read, now)).toBe(expected);
});

test("an unknown reading is no work, with a fallback as well", () => {
  const rules = [{ fallback: { after: 0, replicas: 5 } }];
  const read = { index: 0, response: { error: "throttled", from: "sqs" } };
  expect(findWork({ hpa: hpaOf(average), rules, options: defaultOptions }, read, now)).toBe("none");
  expect(findWork({ hpa: hpaOf(average), rules, options: defaultOptions }, { ...read, index: 1 }, now)).toBe("none");
});

test("of several metrics, the one that was read is weighed, by its own rules", () => {
  const hpa = hpaOf(average);
  const [metric] = hpa.spec.metrics ?? [];
  if (metric === undefined) throw new Error("expected one");
  const two = { ...hpa, spec: { ...hpa.spec, metrics: [metric, metric] } };
  const items = [{ metricName: "depth", metricLabels: {}, timestamp: "2026-03-01T12:00:00Z", value: "3" }];
  const weigh = (index: number) =>
    findWork(
      { hpa: two, rules: [{}, { activation: "3" }], options: defaultOptions },
      { index, response: { items, from: "sqs" } },
      now,
    );
  expect([weigh(0), weigh(1), weigh(2)]).toEqual(["certain", "none", "none"]);
  const { metrics: _, ...none } = two.spec;
  const read = { index: 0, response: { items, from: "sqs" } };
  expect(findWork({ hpa: { ...two, spec: none }, rules: [], options: defaultOptions }, read, now)).toBe("none");
});

test.each<[string, MetricRules, string, FoundWork]>([
  ["nothing of it is certain", { confirm: 5 }, "0", "possible"],
  ["one of it is certain", { confirm: 5 }, "1", "certain"],
  ["at its activation, what is certain is no work", { confirm: 5, activation: "2" }, "2", "possible"],
  ["confirmWake does not make it certain", { confirm: 5, confirmWake: 1 }, "0", "possible"],
  ["with confirm 1, the count is exact", { confirm: 1 }, "0", "certain"],
  ["without rules as well", {}, "0", "certain"],
  ["below its activation, it is no work at all", { confirm: 5, activation: "3" }, "0", "none"],
])("of 3 messages in all: %s", (_name, rules, certain, expected) => {
  const items = [{ metricName: "depth", metricLabels: {}, timestamp: "2026-03-01T12:00:00Z", value: "3" }];
  const read = { index: 0, response: { items, from: "sqs", certain } };
  expect(findWork({ hpa: hpaOf(average), rules: [rules], options: defaultOptions }, read, now)).toBe(expected);
});
