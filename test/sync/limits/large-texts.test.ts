import type { HpaSpec } from "../../../lib/k8s/hpa";
import { Fault } from "../../../lib/model/fault";
import type { Cluster } from "../../../lib/model/ports/cluster";
import { fitStateToItem, fitRecordToItem } from "../../../lib/model/stored/fit-to-item";
import { hpaKey } from "../../../lib/model/hpa-key";
import type { DecisionRecord, State } from "../../../lib/model/stored/state";
import { itemBytes, maxItemBytes } from "../../../lib/table/items/attributes";
import { encodeDecision, encodeState } from "../../../lib/table/items/hpa-items";
import { document, fixture, queueSpec, start } from "../sync-fixture";

/** Entries and backends with very long texts lose explanation, never the decision. */
const KB = 1_000;
const key = hpaKey("shop", "orders");
const bytesOf = (state: State | undefined) => itemBytes(encodeState("prod", key, state as State));

type Metric = NonNullable<HpaSpec["metrics"]>[number];
const external = (name: string, labels = {}): Metric => ({
  type: "External",
  external: {
    metric: { name, selector: { matchLabels: labels } },
    target: { type: "AverageValue", averageValue: "5" },
  },
});
const growing = external("depth");

/** The cluster, but metrics other than "depth" are refused in so many bytes. */
function refusing(cluster: Cluster, bytes: number): Cluster {
  return {
    ...cluster,
    externalMetric: (query, signal) =>
      query.metric.name === "depth"
        ? cluster.externalMetric(query, signal)
        : Promise.reject(new Fault("badAnswer", `${query.metric.name}: ${"refused ".repeat(bytes / 8)}`)),
  };
}

test("a Status message of 200 KB leaves a state that can be written, and the other metric scales", async () => {
  const { cluster, depth, sync, state, replicasNow, eventsNow, store } = fixture({
    spec: { ...queueSpec, metrics: [external("broken"), growing] },
  });
  depth(15);
  await sync(1, { cluster: refusing(cluster, 200 * KB) });
  expect(replicasNow()).toBe(3);
  expect(bytesOf(state())).toBeLessThan(10 * KB);
  const [first] = await eventsNow();
  expect(first).toMatch(/^FailedGetExternalMetric x1: unable to get external metric .*broken: refused .*…$/);
  expect(store.decisions.map(({ scaleTo }) => scaleTo)).toEqual([3]);
});

test("while it lasts, the state is written once, and reported once", async () => {
  const { cluster, depth, sync, state, failures } = fixture({
    spec: { ...queueSpec, metrics: [external("broken"), growing] },
  });
  depth(15);
  for (const slot of [1, 2, 3]) await sync(slot, { cluster: refusing(cluster, 200 * KB) });
  const { version } = state() as State;
  await sync(4, { cluster: refusing(cluster, 200 * KB) });
  expect(state()?.version).toBe(version);
  expect(failures).toHaveLength(1);
});

test("a condition's message has at most the 32,768 bytes of the API, whatever the backend said", async () => {
  const { cluster, sync, state, condition } = fixture();
  const getScale = () => Promise.reject(new Fault("badAnswer", "ü".repeat(100 * KB)));
  await sync(1, { cluster: { ...cluster, getScale } });
  const { message = "" } = condition("AbleToScale") ?? {};
  expect(Buffer.byteLength(message)).toBeGreaterThan(32_000);
  expect(Buffer.byteLength(message)).toBeLessThanOrEqual(32_768);
  expect(message.endsWith("ü…")).toBe(true);
  expect(bytesOf(state())).toBeLessThan(40 * KB);
});

test("a lost scale write whose answer has 200 KB can be recorded, and is settled", async () => {
  const { cluster, depth, sync, state, replicasNow } = fixture();
  depth(15);
  const putScale: Cluster["putScale"] = async (...args) => {
    await cluster.putScale(...args);
    throw new Fault("lost", "x".repeat(200 * KB));
  };
  const getScale: Cluster["getScale"] = (...args) =>
    replicasNow() === 1 ? cluster.getScale(...args) : Promise.reject(new Fault("timeout", "x".repeat(200 * KB)));
  await sync(1, { cluster: { ...cluster, putScale, getScale } });
  expect(state()?.warnings).toMatchObject([{ reason: "UnknownRescale" }]);
  expect(bytesOf(state())).toBeLessThan(10 * KB);
  await sync(2);
  expect(state()?.intent).toBeUndefined();
  expect(state()?.history?.scaleUpEvents).toHaveLength(1);
});

test("100 metrics with long labels, all refused but one: the state loses what each metric asked for, and the HPA scales", async () => {
  const label = (index: number, part: number) => [`label-${index}-${part}`, "v".repeat(60)] as const;
  const labels = (index: number) => Object.fromEntries(Array.from({ length: 10 }, (_, part) => label(index, part)));
  const metrics = [growing, ...Array.from({ length: 99 }, (_, index) => external(`m${index}`, labels(index)))];
  const { cluster, depth, sync, state, replicasNow, failures } = fixture({ spec: { ...queueSpec, metrics } });
  depth(15);
  await sync(1, { cluster: refusing(cluster, 20 * KB) });
  expect(replicasNow()).toBe(3);
  depth(50);
  await sync(2, { cluster: refusing(cluster, 20 * KB) });
  expect(replicasNow()).toBe(7);
  expect(bytesOf(state())).toBeLessThan(maxItemBytes);
  expect(failures).toHaveLength(1);
});

test("a target's name of 200 KB stops its entry, by name, and its state can be written", async () => {
  const { store, sync, condition, state } = fixture();
  const name = "x".repeat(200 * KB);
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name };
  store.documents.set("prod shop/orders", document({ ...queueSpec, scaleTargetRef }));
  await sync(1);
  expect(condition("AbleToScale")).toMatchObject({
    reason: "InvalidEntry",
    message: expect.stringMatching(
      /^spec\.scaleTargetRef\.name: expected a document of at most 131072 bytes, got 200\d\d\d, most of them here/,
    ) as unknown,
  });
  expect(bytesOf(state())).toBeLessThan(2 * KB);
});

const text = (bytes: number) => "x".repeat(bytes);
const steps = (count: number): DecisionRecord["steps"] => [
  ...Array.from({ length: count }, () => ({ stage: "metric" as const, replicas: 3, because: text(1_000) })),
  { stage: "bounds", replicas: 3, limitedBy: "TooManyReplicas", because: "b" },
];
const intent = (to: number) => ({
  ...{ from: 1, to, at: start, resourceVersion: "7", countsAsEvent: true, message: "m", scaledToZero: false },
  steps: steps(100),
});
const base: State = {
  version: 3,
  slot: start,
  targetUid: "u1",
  status: {
    desiredReplicas: 3,
    currentMetrics: Array.from({ length: 100 }, () => ({ type: text(1_000) as "External" })),
    conditions: ["AbleToScale", "ScalingActive", "ScalingLimited", "ScaledToZero"].map((type) => ({
      ...{ type, status: "True" as const, reason: "r", message: text(30_000) },
    })),
  },
  history: { recommendations: [{ replicas: 3, since: start, at: start }], scaleUpEvents: [], scaleDownEvents: [] },
  open: true,
  intent: intent(3),
  earlier: [intent(4), intent(5)],
  selector: "app=web",
  decision: { at: start, from: 1, desiredReplicas: 3, steps: steps(100) },
  warnings: Array.from({ length: 100 }, () => ({ type: "Warning", reason: "r", message: text(1_000) })),
  readings: { q: { readAt: start, response: { error: text(100_000) } } },
};

test("the largest state that can be fits, with everything that decides", () => {
  const left = fitStateToItem(base);
  expect(bytesOf(base)).toBeGreaterThan(maxItemBytes);
  expect(bytesOf(left)).toBeLessThan(maxItemBytes);
  const { steps: _, ...open } = intent(3);
  expect(left).toMatchObject({
    ...{ version: 3, slot: start, targetUid: "u1", history: base.history, open: true, selector: "app=web" },
    ...{ intent: open, earlier: [{ to: 4 }, { to: 5 }], warnings: base.warnings },
  });
  expect(left.decision?.steps).toEqual(steps(0));
  expect(left.status.conditions?.map(({ type, status }) => [type, status])).toHaveLength(4);
  expect(fitStateToItem(left)).toEqual(left);
});

test("a state that fits stays as it is", () => {
  const { intent: _, earlier: __, readings: ___, ...small } = base;
  const { steps: ____, ...explained } = small.decision ?? { at: 0, from: 0, desiredReplicas: 0, steps: [] };
  const state: State = { ...small, warnings: [], decision: { ...explained, steps: steps(20) } };
  expect(fitStateToItem(state)).toBe(state);
});

test("a record that is too large keeps its result and what limited it", () => {
  const events = Array.from({ length: 100 }, () => ({ type: "Warning" as const, reason: "r", message: text(1_000) }));
  const record: DecisionRecord = { at: start, from: 1, desiredReplicas: 3, scaleTo: 3, steps: steps(400), events };
  const left = fitRecordToItem(record);
  expect(itemBytes(encodeDecision(left, { cluster: "prod", key, expiresAt: start }))).toBeLessThan(maxItemBytes);
  expect(left).toMatchObject({ at: start, from: 1, desiredReplicas: 3, scaleTo: 3, steps: steps(0) });
});
