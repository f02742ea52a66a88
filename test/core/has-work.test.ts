import { hasWork } from "../../lib/core/has-work";
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

test.each<[string, typeof average | typeof total, MetricRules, readonly string[], boolean]>([
  ["nothing there", average, {}, ["0"], false],
  ["no values", average, {}, [], false],
  ["one message", average, {}, ["1"], true],
  ["one message, of a total", total, {}, ["1"], true],
  ["a thousandth", average, {}, ["1m"], true],
  ["several values whose sum counts", average, {}, ["0", "1"], true],
  ["at its activation", average, { activation: "3" }, ["3"], false],
  ["beyond its activation", average, { activation: "3" }, ["4"], true],
  ["waiting to be confirmed, which is the sync's", average, { confirmWake: 3 }, ["1"], true],
  ["a number that is none", average, {}, ["many"], false],
])("%s", (...[, target, rules, values, expected]) => {
  const items = values.map((value) => ({
    metricName: "depth",
    metricLabels: {},
    timestamp: "2026-03-01T12:00:00Z",
    value,
  }));
  const read = { index: 0, response: { items, from: "sqs" } };
  expect(hasWork({ hpa: hpaOf(target), rules: [rules], options: defaultOptions }, read, now)).toBe(expected);
});

test("an unknown reading is no work, with a fallback as well", () => {
  const rules = [{ fallback: { after: 0, replicas: 5 } }];
  const read = { index: 0, response: { error: "throttled", from: "sqs" } };
  expect(hasWork({ hpa: hpaOf(average), rules, options: defaultOptions }, read, now)).toBe(false);
  expect(hasWork({ hpa: hpaOf(average), rules, options: defaultOptions }, { ...read, index: 1 }, now)).toBe(false);
});

test("of several metrics, the one that was read is weighed, by its own rules", () => {
  const hpa = hpaOf(average);
  const [metric] = hpa.spec.metrics ?? [];
  if (metric === undefined) throw new Error("expected one");
  const two = { ...hpa, spec: { ...hpa.spec, metrics: [metric, metric] } };
  const items = [{ metricName: "depth", metricLabels: {}, timestamp: "2026-03-01T12:00:00Z", value: "3" }];
  const weigh = (index: number) =>
    hasWork(
      { hpa: two, rules: [{}, { activation: "3" }], options: defaultOptions },
      { index, response: { items, from: "sqs" } },
      now,
    );
  expect([weigh(0), weigh(1), weigh(2)]).toEqual([true, false, false]);
  const { metrics: _, ...none } = two.spec;
  const read = { index: 0, response: { items, from: "sqs" } };
  expect(hasWork({ hpa: { ...two, spec: none }, rules: [], options: defaultOptions }, read, now)).toBe(false);
});
