import { Fault } from "../../../lib/model/fault";
import type { ReadContext } from "../../../lib/model/ports/sources";
import type { Store } from "../../../lib/model/ports/store";
import type { SyncPorts } from "../../../lib/sync/ports";
import { syncShard } from "../../../lib/sync/slot/sync-shard";
import { document, fixture, metricValue, queueSpec, slotAt, sourceOf } from "../sync-fixture";

/** What the HPAs of a run are given to read with: memory, a cluster for sources, neighbours, and what was shown. */
const { signal } = new AbortController();
const cpu = {
  ...{ scaleTargetRef: queueSpec.scaleTargetRef, maxReplicas: 10 },
  metrics: [
    { type: "Resource", resource: { name: "cpu", target: { type: "AverageValue", averageValue: "1" } } },
  ] as const,
};

function setUp() {
  const day = fixture();
  day.depth(5);
  const { store, reporter, cluster } = day;
  const events = { record: () => Promise.resolve(), forget: () => undefined };
  const clusters = { connect: () => Promise.resolve(cluster) };
  const slot = (index: number, more: Partial<SyncPorts>) =>
    syncShard(
      { store, reporter, events, sources: {}, clusters, ...more },
      { cluster: "prod", from: "", slot: slotAt(index), until: slotAt(index + 1) },
      { now: () => slotAt(index) + 200, workedMs: () => 0, deadline: slotAt(99), signal },
    );
  return { ...day, slot };
}

test("the memory of a run bounds its queries: one that is too large for it is refused by name", async () => {
  const { slot, store, condition } = setUp();
  const selector = { matchLabels: { queue: "q".repeat(3_000) } };
  const target = { type: "AverageValue", averageValue: "5" } as const;
  const metrics = [{ type: "External", external: { metric: { name: "sqs", selector }, target } }] as const;
  store.documents.set("prod shop/orders", document({ ...queueSpec, metrics }));
  const sources = { sqs: sourceOf(() => ({ items: [metricValue("sqs", 5)] })) };
  await slot(1, { sources });
  expect(condition("ScalingActive")).toMatchObject({ status: "True" });
  await slot(2, { sources, runMemory: 2_000 });
  expect(condition("ScalingActive")?.message).toMatch(
    "expected the queries of a shard's HPAs to take at most 1 KB of memory, got",
  );
});

test("a source reads through the run's own connection, and knows its cluster by name", async () => {
  const { slot, cluster } = setUp();
  const opened: ReadContext["cluster"][] = [];
  const depth = sourceOf(() => ({ items: [metricValue("depth", 5)] }));
  const open = (context: ReadContext) => {
    opened.push(context.cluster);
    return depth.open(context);
  };
  await slot(1, { sources: { depth: { ...depth, open } } });
  expect(opened.map(({ name }) => name)).toEqual(["prod"]);
  expect(await opened[0]?.api()).toBe(cluster);
});

test("two HPAs that select the same pods halt each other until one of them is deleted", async () => {
  const { slot, store, cluster, condition } = setUp();
  store.documents.set("prod shop/orders", document(cpu));
  const rival = { ...cpu, scaleTargetRef: { ...cpu.scaleTargetRef, name: "rival" } };
  store.documents.set("prod shop/rival", document(rival, "shop/rival"));
  cluster.add("shop/rival", 1, { selector: "app=orders" });
  const metadata = { name: "orders-1", namespace: "shop", labels: { app: "orders" } };
  cluster.pods = [{ metadata, spec: {}, status: {} }];
  await slot(1, {});
  await slot(2, {});
  expect(condition("ScalingActive")).toMatchObject({ status: "False", reason: "AmbiguousSelector" });
  store.documents.delete("prod shop/rival");
  await slot(3, { store: { ...store, deleteState: () => Promise.resolve(false) } });
  expect(store.stateItems.has("prod shop/rival")).toBe(true);
  expect(condition("ScalingActive")?.reason).not.toBe("AmbiguousSelector");
});

test("a reading counts for the slot that it was read in, also within a wake between two slots", async () => {
  const { slot, wake, store, state } = setUp();
  const sources = { depth: sourceOf(() => ({ items: [metricValue("depth", 0)] })) };
  const entry = document(queueSpec) as { readonly metadata: object };
  const annotations = { "ebb.dev/metric-rules": '{"depth": {"confirm": 3}}' };
  store.documents.set("prod shop/orders", { ...entry, metadata: { ...entry.metadata, annotations } });
  const counted = () => Object.values(state()?.memory ?? {}).map(({ readings }) => [readings?.slots, readings?.slot]);
  await slot(1, { sources });
  expect(counted()).toEqual([[1, slotAt(1)]]);
  await wake(slotAt(1) + 9_000, { sources });
  expect(counted()).toEqual([[1, slotAt(1)]]);
  await slot(2, { sources });
  expect(counted()).toEqual([[2, slotAt(2)]]);
});

describe("an HPA whose scale cannot be read shows the metrics that it showed", () => {
  /** Values that move are shown beside the state: "30" in the state, "35" shown. */
  async function shownAfter(latest: Store["latest"] | undefined) {
    const { sync, store, cluster, depth, state, failures } = setUp();
    const shown = () => state()?.status.currentMetrics?.[0]?.external?.current.averageValue;
    cluster.scales.get("shop/orders")!.replicas = 10;
    depth(49);
    await sync(1);
    await sync(2);
    depth(50);
    await sync(3);
    const before = shown();
    const asked: unknown[] = [];
    const counting: Store["latest"] = (range, within) => {
      asked.push(range);
      return (latest ?? store.latest)(range, within);
    };
    const getScale = () => Promise.reject(new Fault("timeout", "no answer"));
    await sync(4, { cluster: { ...cluster, getScale }, store: { ...store, latest: counting } });
    const isWritten = state()?.slot === slotAt(4);
    return { before, after: shown(), asked, isWritten, reasons: failures.map(({ reason }) => reason) };
  }

  test("from the latest values, which are read once for the range of the run's HPAs", async () => {
    expect(await shownAfter(undefined)).toMatchObject({
      ...{ before: "4900m", after: "5" },
      asked: [{ cluster: "prod", from: "shop/orders", to: "shop/orders\0" }],
    });
  });

  test("from its state, if the table does not answer", async () => {
    const busy = await shownAfter(() => Promise.reject(new Fault("throttled", "busy")));
    expect(busy).toMatchObject({ after: "4900m", isWritten: true });
  });

  test("from its state, if the latest values have none of it", async () => {
    expect(await shownAfter(() => Promise.resolve({}))).toMatchObject({ after: "4900m", isWritten: true });
  });

  test("a defect stays visible", async () => {
    const defect = await shownAfter(() => Promise.reject(new TypeError("x is not a function")));
    expect(defect).toMatchObject({ isWritten: false, reasons: ["InternalError"] });
  });
});
