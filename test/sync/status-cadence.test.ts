import type { HpaStatus } from "../../lib/k8s/hpa";
import type { State } from "../../lib/model/state";
import { Fault } from "../../lib/model/fault";
import { needsWriting } from "../../lib/sync/act/remember";
import { fixture, periodMs, slotAt } from "./sync-fixture";

const status: HpaStatus = {
  observedGeneration: 1,
  currentReplicas: 2,
  desiredReplicas: 2,
  lastScaleTime: "2026-03-01T11:00:00Z",
  currentMetrics: [
    { type: "External", external: { metric: { name: "depth" }, current: { averageValue: "7" } } },
    { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 40, averageValue: "20m" } } },
    { type: "Pods", pods: { metric: { name: "hits" }, current: { averageValue: "3" } } },
    { type: "ContainerResource", containerResource: { name: "cpu", container: "app", current: { averageValue: "0" } } },
    {
      type: "Object",
      object: { metric: { name: "rps" }, describedObject: { kind: "Ingress", name: "i" }, current: { value: "9" } },
    },
  ],
  conditions: [
    { type: "AbleToScale", status: "True", reason: "ReadyForNewScale", message: "m", lastTransitionTime: "t" },
    { type: "ScalingActive", status: "True", reason: "ValidMetricFound", message: "m", lastTransitionTime: "t" },
  ],
};
const state: State = {
  version: 3,
  slot: slotAt(0),
  targetUid: "uid",
  status,
  history: { recommendations: [{ replicas: 2, since: 0, at: 0 }], scaleUpEvents: [], scaleDownEvents: [] },
  open: true,
  selector: "app=orders",
  warnings: [{ type: "Warning", reason: "FailedGetPodsMetric", message: "no datapoint since 12:03:15, 4 tries" }],
  readings: { q: { response: { items: [] }, readAt: slotAt(0) } },
};

const withMetric = (index: number, metric: object): Partial<State> => ({
  status: {
    ...status,
    currentMetrics: (status.currentMetrics ?? []).with(index, {
      ...status.currentMetrics?.[index],
      ...metric,
    } as never),
  },
});
const withCondition = (change: object): Partial<State> => ({
  status: {
    ...status,
    conditions: (status.conditions ?? []).with(1, { ...status.conditions?.[1], ...change } as never),
  },
});
const depth = (averageValue: string) =>
  withMetric(0, { external: { metric: { name: "depth" }, current: { averageValue } } });
const warns = (reason: string, message: string): Partial<State> => ({
  warnings: [{ type: "Warning", reason, message }],
});

const slot = (index: number) => ({ cluster: "prod", from: "", slot: slotAt(index), until: slotAt(index) + periodMs });
const written = (change: Partial<State>, index: number) =>
  needsWriting(state, { ...state, version: 4, slot: slotAt(index), ...change }, slot(index));

test.each<[string, Partial<State>]>([
  ["nothing", {}],
  ["the explanation alone", { decision: { at: 1, from: 2, desiredReplicas: 2, steps: [] } }],
])("%s: is not written", (_, change) => {
  expect([1, 4, 400].map((index) => written(change, index))).toEqual([false, false, false]);
});

test.each<[string, Partial<State>]>([
  ["a metric's value", depth("8")],
  [
    "a utilization",
    withMetric(1, { resource: { name: "cpu", current: { averageUtilization: 41, averageValue: "21m" } } }),
  ],
  ["a condition's message", withCondition({ message: "from another metric" })],
  ["the numbers in a warning", warns("FailedGetPodsMetric", "no datapoint since 12:04:00, 15 tries")],
])("%s: is written once the state is a minute old", (_, change) => {
  expect([1, 2, 3, 4, 5].map((index) => written(change, index))).toEqual([false, false, false, true, true]);
});

test.each<[string, Partial<State>]>([
  ["a metric is zero", depth("0")],
  [
    "a metric is zero no more",
    withMetric(3, { containerResource: { name: "cpu", container: "app", current: { averageValue: "1m" } } }),
  ],
  [
    "a utilization is zero",
    withMetric(1, { resource: { name: "cpu", current: { averageUtilization: 0, averageValue: "20m" } } }),
  ],
  ["a metric is not known", withMetric(2, { type: "", pods: undefined })],
  ["the metrics are not known", { status: { ...status, currentMetrics: [] } }],
  ["another metric", withMetric(0, { external: { metric: { name: "lag" }, current: { averageValue: "7" } } })],
  ["a condition's reason", withCondition({ reason: "FailedGetExternalMetric" })],
  ["a condition's status", withCondition({ status: "False", lastTransitionTime: "u" })],
  ["currentReplicas", { status: { ...status, currentReplicas: 3 } }],
  ["desiredReplicas", { status: { ...status, desiredReplicas: 3 } }],
  ["lastScaleTime", { status: { ...status, lastScaleTime: "2026-03-01T11:00:15Z" } }],
  ["observedGeneration", { status: { ...status, observedGeneration: 2 } }],
  ["another warning", warns("FailedGetPodsMetric", "no such metric")],
  ["a warning of another kind", warns("FailedGetScale", "no datapoint since 12:03:15, 4 tries")],
  ["no warning any more", { warnings: [] }],
  ["another recommendation", { history: { ...state.history!, recommendations: [{ replicas: 3, since: 9, at: 9 }] } }],
  ["no recommendation", { open: false }],
  ["a scale event", { history: { ...state.history!, scaleUpEvents: [{ change: 1, at: 9 }] } }],
  ["the selector", { selector: "app=other" }],
  ["a reading that may not be asked again", { readings: { q: { response: { items: [] }, readAt: slotAt(1) } } }],
  ["the target", { targetUid: "another" }],
])("%s: is written at once", (_, change) => {
  expect(written(change, 1)).toBe(true);
});

test.each([
  [3_000, 20],
  [15_000, 4],
  [20_000, 3],
  [45_000, 1],
  [60_000, 1],
  [300_000, 1],
])("with slots of %d ms a value is at most a minute old, or a slot: written after %d", (period, slots) => {
  const inSlots = Array.from({ length: 25 }, (_, i) => {
    const message = { ...slot(0), slot: slotAt(0) + i * period, until: slotAt(0) + (i + 1) * period };
    return i > 0 && needsWriting(state, { ...state, version: 4, ...depth("8") }, message);
  });
  expect(inSlots.indexOf(true)).toBe(slots);
});

test("a wake that wrote in between counts as a write", () => {
  const woken = { ...state, wake: { at: slotAt(2), done: true } };
  const inSlots = [3, 4, 5, 6].map((index) =>
    needsWriting(woken, { ...woken, version: 4, ...depth("8") }, slot(index)),
  );
  expect(inSlots).toEqual([false, false, false, true]);
});

describe("in a sync", () => {
  test("a queue whose depth always moves costs one write a minute", async () => {
    const day = fixture();
    for (let index = 1; index <= 41; index++) {
      day.depth(4.6 + (index % 7) / 10); // within the tolerance of one replica
      await day.sync(index);
    }
    expect(day.store.calls.putState).toBe(11); // ten minutes, both ends included
    expect(day.state()?.status.currentMetrics).toMatchObject([{ external: { current: { averageValue: "5200m" } } }]);
  });

  test("a failure whose text counts up is reported once", async () => {
    const day = fixture();
    for (let index = 1; index <= 9; index++) {
      day.cluster.external.set("depth", new Fault("badAnswer", `no datapoint for ${index * 15} s`));
      await day.sync(index);
    }
    expect(day.lines).toEqual(["shop/orders: FailedGetExternalMetric"]);
    expect(day.store.calls.putState).toBe(3); // slots 1, 5 and 9
  });

  test("decisions do not depend on what was not written", async () => {
    const day = fixture({ replicas: 2 });
    const sizes: (number | undefined)[] = [];
    for (const depth of [8, 9, 10, 9, 8, 9, 30, 31, 29, 1, 2, 3, 4, 5, 4, 3]) {
      day.depth(depth);
      await day.sync(sizes.length + 1);
      sizes.push(day.replicasNow());
    }
    expect(sizes).toEqual([2, 2, 2, 2, 2, 2, 6, 6, 6, 6, 6, 6, 1, 1, 1, 1]);
  });
});
