import type { HpaStatus } from "../../lib/k8s/hpa";
import { hpaKey } from "../../lib/model/hpa-key";
import type { LatestValues } from "../../lib/model/stored/latest";
import type { State } from "../../lib/model/stored/state";
import { Fault } from "../../lib/model/fault";
import { loadWithLatest } from "../../lib/read/hpa-facts";
import { type Novelty, noveltyOf } from "../../lib/sync/hpa/next-state";
import type { HpaResult } from "../../lib/sync/hpa/hpa-result";
import { writeLatestValues } from "../../lib/sync/slot/write-latest-values";
import { fixture, slotAt, start } from "./sync-fixture";

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

const novelty = (change: Partial<State>): Novelty =>
  noveltyOf(state, { ...state, version: 4, slot: slotAt(1), ...change });

test.each<[string, Partial<State>]>([
  ["nothing", {}],
  ["the explanation alone", { decision: { at: 1, from: 2, desiredReplicas: 2, steps: [] } }],
])("%s: is neither written nor shown", (_, change) => {
  expect(novelty(change)).toBe("nothing");
});

test.each<[string, Partial<State>]>([
  ["a metric's value", depth("8")],
  [
    "a utilization",
    withMetric(1, { resource: { name: "cpu", current: { averageUtilization: 41, averageValue: "21m" } } }),
  ],
  ["a condition's message", withCondition({ message: "from another metric" })],
  ["the numbers in a warning", warns("FailedGetPodsMetric", "no datapoint since 12:04:00, 15 tries")],
])("%s: is shown beside the state", (_, change) => {
  expect(novelty(change)).toBe("show");
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
  expect(novelty(change)).toBe("write");
});

type Day = ReturnType<typeof fixture>;
const everything = { cluster: "prod", from: "", to: null };
const { signal } = new AbortController();

describe("in a sync", () => {
  const depthOf = (shown: State | LatestValues | undefined) =>
    shown?.status.currentMetrics?.[0]?.external?.current.averageValue;
  const latest = async (day: Day) => (await day.store.latest(everything, signal))[hpaKey("shop", "orders")];
  /** A depth within the tolerance of one replica. */
  const move = async (day: Day, index: number) => {
    day.depth(4.6 + (index % 6) / 10);
    await day.sync(index);
  };

  test("a queue whose depth always moves costs one state, and one item of its shard a minute", async () => {
    const day = fixture();
    for (let index = 1; index <= 41; index++) await move(day, index);
    expect(day.store.calls).toMatchObject({ putState: 1, putLatest: 10 });
    expect(depthOf(day.state())).toBe("4700m");
    expect(depthOf(await latest(day))).toBe("4800m"); // of slot 38, three slots ago
    const { states } = await loadWithLatest(day.store, everything, signal);
    expect(depthOf(states["shop/orders"])).toBe("4800m");
    expect(states["shop/orders"]).toMatchObject({ history: day.state()?.history, decision: { at: slotAt(38) + 200 } });
  });

  test.each([
    [3_000, 20],
    [15_000, 4],
    [20_000, 3],
    [45_000, 1],
    [60_000, 1],
    [300_000, 1],
  ])("with slots of %d ms, what is shown is at most a minute old, or a slot: every %d slots", async (period, slots) => {
    const day = fixture();
    let latest: number | undefined;
    const written: number[] = [];
    const moved: HpaResult = {
      ...{ key: hpaKey("shop", "orders"), recorded: true, scaled: false, warnings: [], recovered: false, events: [] },
      latest: { version: 1, status: {} },
    };
    for (let index = 0; index < 2 * slots + 3; index++) {
      const [from, until] = [start + index * period, start + (index + 1) * period];
      const shard = { ...day.shardNow()!, ...(latest !== undefined && { latest }) };
      latest = await writeLatestValues(day, {
        shard,
        results: [moved],
        slotTasks: { tasks: [], resting: [] },
        message: { cluster: "prod", from: "", slot: from, until },
        now: from,
        context: { now: () => from, workedMs: () => 0, deadline: until, signal },
      });
      if (latest === from) written.push(index);
    }
    expect(written.slice(0, 3)).toEqual([0, slots, 2 * slots]);
    expect(day.store.calls.putLatest).toBe(written.length);
  });

  test("values that no longer move cost one more item, which is empty", async () => {
    const day = fixture();
    for (let index = 1; index <= 5; index++) await move(day, index);
    day.depth(4.7); // as in the state
    for (let index = 6; index <= 40; index++) await day.sync(index);
    expect(day.store.calls).toMatchObject({ putState: 1, putLatest: 2 });
    expect(await latest(day)).toBeUndefined();
  });

  test("a state that is written takes the place of what was shown before", async () => {
    const day = fixture();
    for (let index = 1; index <= 3; index++) await move(day, index);
    day.depth(30);
    await day.sync(4);
    const { states } = await loadWithLatest(day.store, everything, signal);
    expect(states["shop/orders"]).toEqual(day.state());
    expect(await latest(day)).toMatchObject({ version: (day.state()?.version ?? 0) - 2 });
  });

  test("a scale that cannot be read keeps the metrics that were shown last", async () => {
    const day = fixture();
    for (let index = 1; index <= 2; index++) await move(day, index);
    day.cluster.mishaps.nextAnswer({ status: 503, message: "the API server is away" });
    await move(day, 3);
    expect(day.condition("AbleToScale")).toMatchObject({ status: "False" });
    expect(depthOf(day.state())).toBe("4800m");
  });

  test("an item that cannot be written is reported, tried again, and stops nothing", async () => {
    const day = fixture();
    await move(day, 1);
    day.depth(4.8);
    const putLatest = () => Promise.reject(new Fault("throttled", "the table is slow"));
    expect(await day.sync(2, { store: { ...day.store, putLatest } })).toMatchObject({ outcome: "synced" });
    expect(day.lines).toEqual(["prod: LatestNotWritten"]);
    await move(day, 3);
    expect(depthOf(await latest(day))).toBe("4900m");
  });

  test("a failure whose text counts up is reported once", async () => {
    const day = fixture();
    for (let index = 1; index <= 9; index++) {
      day.cluster.external.set("depth", new Fault("badAnswer", `no datapoint for ${index * 15} s`));
      await day.sync(index);
    }
    expect(day.lines).toEqual(["shop/orders: FailedGetExternalMetric"]);
    expect(day.store.calls).toMatchObject({ putState: 1, putLatest: 2 }); // slots 2 and 6
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
