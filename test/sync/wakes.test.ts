import { Fault } from "../../lib/model/fault";
import type { Shard } from "../../lib/model/stored/shard";
import type { Cluster } from "../../lib/model/ports/cluster";
import type { MetricSources } from "../../lib/model/ports/sources";
import type { Store } from "../../lib/model/ports/store";
import { openEventRecorder } from "../../lib/sync/events/event-recorder";
import { syncWoken } from "../../lib/sync/wake/sync-woken";
import { interrupted } from "./interrupted";
import { document, fixture, metricValue, periodMs, queueSpec, slotAt, sourceOf } from "./sync-fixture";
import { versionBefore } from "../../lib/model/stored/version";

type Day = ReturnType<typeof fixture>;

/** Five seconds into a slot. */
const within = (index: number) => slotAt(index) + 5_000;

const withMax = (maxReplicas: number, key = "shop/orders") => document({ ...queueSpec, maxReplicas }, key);

function addHpa(day: Day, key: string): void {
  const [, name = ""] = key.split("/");
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name };
  day.store.documents.set(`prod ${key}`, document({ ...queueSpec, scaleTargetRef }, key));
  day.cluster.add(key, 1);
}

const writesOf = (day: Day) => day.store.calls["putState"] ?? 0;

describe("a change takes effect between the slots", () => {
  test("an HPA that was created", async () => {
    const day = fixture();
    await day.sync(1);
    addHpa(day, "shop/new");
    day.depth(15);
    expect(await day.wake(within(1), { names: ["new"] })).toMatchObject({ outcome: "synced", hpas: 1, scaled: 1 });
    expect(day.cluster.writes).toEqual([{ target: "shop/new", from: 1, to: 3 }]);
    const scalings = day.store.decisions.filter(({ scaleTo }) => scaleTo !== null);
    expect(scalings).toMatchObject([{ key: "shop/new", at: within(1) + 100 }]);
    expect(day.lines).toContain("1 → 3");
  });

  test("an HPA whose spec changed, and the shard only says that it is woken", async () => {
    const day = fixture({ replicas: 6 });
    day.depth(30);
    await day.sync(1);
    const shard = day.shardNow();
    day.store.documents.set("prod shop/orders", withMax(2));
    expect(await day.wake(within(1))).toMatchObject({ scaled: 1 });
    expect(day.replicasNow()).toBe(2);
    const { version, confirmed } = day.shardNow()!;
    expect(day.shardNow()).toEqual({ ...shard, version, confirmed, index: { ...shard?.index, version } });
    expect(confirmed).toMatchObject({ unsettled: [{ until: slotAt(2) + 1 }] });
    expect(day.state()).toMatchObject({ slot: slotAt(1), wake: { at: within(1), done: true } });
  });

  test("no other HPA of the shard is touched", async () => {
    const day = fixture();
    for (const name of ["a", "b"]) addHpa(day, `shop/${name}`);
    addHpa(day, "other/c");
    await day.sync(1);
    const before = { ...day.cluster.calls };
    day.depth(50);
    await day.wake(within(1), { names: ["a"] });
    expect(day.cluster.writes.map(({ target }) => target)).toEqual(["shop/a"]);
    expect((day.cluster.calls["getScale"] ?? 0) - (before["getScale"] ?? 0)).toBe(1);
  });

  test("several at once, each by itself: a bad entry harms only itself", async () => {
    const day = fixture();
    addHpa(day, "shop/a");
    day.store.documents.set("prod shop/bad", { spec: "none" });
    day.depth(10);
    expect(await day.wake(within(1), { names: ["a", "bad", "orders", "a"] })).toMatchObject({
      hpas: 3,
      scaled: 2,
      failed: 1,
    });
    expect(day.store.stateItems.get("prod shop/bad")?.status.conditions).toMatchObject([{ reason: "InvalidEntry" }]);
  });

  test("in a cluster that has no shard yet", async () => {
    const day = fixture();
    day.store.shardItems.clear();
    day.depth(10);
    expect(await day.wake(slotAt(2) - 10)).toMatchObject({ outcome: "synced", scaled: 1 });
    expect(day.store.shardItems.size).toBe(0);
    // The tick creates one afterwards, and its first slot continues from there.
    day.store.shardItems.set("prod#", { ...emptyShard, heartbeat: slotAt(3) });
    day.depth(50);
    await day.sync(4);
    expect(day.replicasNow()).toBe(6);
  });

  test("in each of two shards", async () => {
    const day = fixture();
    addHpa(day, "shop/zebra");
    day.store.shardItems.set("prod#", { ...emptyShard, to: "shop/p", slot: slotAt(1) });
    day.store.shardItems.set("prod#shop/p", { ...emptyShard, from: "shop/p", slot: slotAt(1) });
    day.depth(10);
    day.clock.now = within(1);
    const ports = { store: day.store, clusters: { connect: () => Promise.resolve(day.cluster) }, sources: {} };
    const counts = await syncWoken(
      { ...ports, reporter: day.reporter, events: openEventRecorder(day) },
      { cluster: "prod", namespace: "shop", names: ["orders", "zebra"], at: within(1) },
      { now: () => day.clock.now, workedMs: () => 0, deadline: slotAt(9), signal: new AbortController().signal },
    );
    expect(counts).toMatchObject([
      { hpas: 1, scaled: 1 },
      { hpas: 1, scaled: 1 },
    ]);
  });
});

test("what a wake emits is kept, beside what the slots do", async () => {
  const day = fixture();
  day.depth(20);
  await day.sync(1);
  day.depth(50);
  await day.wake(within(1));
  await day.sync(2);
  expect(await day.eventsNow()).toContain(
    "SuccessfulRescale x1: New size: 4; reason: external metric depth(nil) above target",
  );
});

const emptyShard: Shard = {
  cluster: "prod",
  from: "",
  to: null,
  version: 1,
  slot: 0,
  heartbeat: 0,
  behind: {},
  entries: 0,
};

describe("a wake is a slot of its own", () => {
  test("delivered again, it has no second effect", async () => {
    const day = fixture();
    day.depth(50);
    await day.sync(1);
    await day.wake(within(1)); // held by the rate: 5 of 5
    const [writes, scales] = [writesOf(day), day.cluster.writes.length];
    expect(await day.wake(within(1), { afterMs: 3_000 })).toMatchObject({ outcome: "overtaken" });
    expect([writesOf(day), day.cluster.writes.length]).toEqual([writes, scales]);
  });

  test("after a later slot was finished, it changes nothing", async () => {
    const day = fixture();
    day.depth(5);
    await day.sync(1);
    await day.sync(2);
    day.depth(50);
    const writes = writesOf(day);
    expect(await day.wake(within(1), { afterMs: periodMs })).toMatchObject({ outcome: "overtaken" });
    expect(await day.wake(within(1), { now: () => within(1) + 200 })).toMatchObject({ outcome: "overtaken" });
    expect(day.replicasNow()).toBe(1);
    expect(writesOf(day)).toBe(writes);
  });

  test("after a later wake, it changes nothing", async () => {
    const day = fixture();
    day.depth(5);
    await day.sync(1);
    await day.wake(within(1) + 10);
    day.depth(50);
    expect(await day.wake(within(1))).toMatchObject({ outcome: "overtaken" });
    expect(day.replicasNow()).toBe(1);
  });

  test("two deliveries at the same moment are one effect", async () => {
    const day = fixture();
    day.depth(5);
    await day.sync(1);
    day.depth(50);
    await Promise.all([day.wake(within(1)), day.wake(within(1))]);
    expect(day.cluster.writes).toEqual([{ target: "shop/orders", from: 1, to: 5 }]);
    expect(day.lines).toEqual(["1 → 5"]);
  });

  test("the slot under way leaves it alone, and the next one syncs it first", async () => {
    const day = fixture();
    addHpa(day, "shop/other");
    await day.sync(1);
    day.depth(10);
    await day.wake(slotAt(2) + 50);
    day.depth(50);
    expect(await day.sync(2)).toMatchObject({ outcome: "synced", behind: 1, scaled: 1 });
    expect(day.replicasNow()).toBe(2);
    expect(day.shardNow()?.behind).toEqual({ "shop/orders": slotAt(1) + 200 });
    expect(await day.sync(3)).toMatchObject({ behind: 0, scaled: 2 });
    expect(day.replicasNow()).toBe(6);
    expect(day.state()?.wake).toBeUndefined();
  });

  test("with hardly any time left in its slot, it is left to the next slot", async () => {
    const day = fixture();
    await day.sync(1);
    day.depth(50);
    expect(await day.wake(slotAt(2) - 200)).toMatchObject({ outcome: "overtaken" });
    expect(await day.wake(within(1), { afterMs: 11_000 })).toMatchObject({ outcome: "overtaken" });
    expect(day.cluster.writes).toEqual([]);
  });

  test("from a clock ahead of ours, it does not stop slots", async () => {
    const day = fixture();
    await day.sync(1);
    await day.wake(slotAt(40), { now: () => within(1) });
    day.depth(50);
    expect(await day.sync(2)).toMatchObject({ behind: 0, scaled: 1 });
  });

  test("a table that throttles it gets the message again", async () => {
    const day = fixture();
    await day.sync(1);
    day.depth(50);
    const putState = () => Promise.reject(new Fault("throttled", "table: throttled"));
    await expect(day.wake(within(1), { store: { ...day.store, putState } })).rejects.toThrow("table: throttled");
    expect(await day.wake(within(1), { afterMs: 3_000 })).toMatchObject({ scaled: 1 });
  });
});

describe("the cost in the next slot", () => {
  test("the states that were woken are written once more, and no others", async () => {
    const day = fixture();
    day.depth(5);
    for (let i = 0; i < 300; i++) addHpa(day, `shop/z${i}`);
    await day.sync(1);
    await day.sync(2);
    let before = writesOf(day);
    await day.wake(within(2), { names: ["orders", "z7"] });
    expect(writesOf(day) - before).toBe(4); // a claim and an outcome each
    before = writesOf(day);
    await day.sync(3);
    expect(writesOf(day) - before).toBe(2);
    before = writesOf(day);
    await day.sync(4);
    expect(writesOf(day) - before).toBe(0);
  });
});

describe("an observation of a slot in progress is not lost", () => {
  test.each([true, false])("an observation that it is about to record (shard write applied: %s)", async (effect) => {
    const day = fixture({ replicas: 6 });
    day.depth(30);
    for (let slot = 1; slot <= 6; slot++) await day.sync(slot);
    // Slot 7 sees 6 once more and records that by the shard's heartbeat alone, and is held up there.
    let go = () => {};
    const held = new Promise<void>((resolve) => (go = resolve));
    let arrive = () => {};
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    const replaceShard: Store["replaceShard"] = async (before, after, signal) => {
      if (effect) return day.store.replaceShard(before, after, signal);
      arrive();
      await held;
      return day.store.replaceShard(before, after, signal);
    };
    const slow = day.sync(7, { store: { ...day.store, replaceShard } });
    await Promise.race([arrived, slow]);
    day.depth(0);
    await day.wake(within(7)); // recommends 0
    go();
    await slow;
    for (let slot = 8; slot <= 10; slot++) await day.sync(slot);
    expect(day.replicasNow()).toBe(6);
    await day.sync(11); // 6 was seen at 7, four slots of 15 s ago
    expect(day.replicasNow()).toBe(effect ? 0 : 6);
    await day.sync(12); // where the wake could not know that, the size is held for as long after the wake
    expect(day.replicasNow()).toBe(0);
  });

  test("a wake that was paused before its write does not undo later observations", async () => {
    for (let call = 1; call <= 8; call++) {
      const day = fixture({ replicas: 6 });
      day.depth(30);
      for (let slot = 1; slot <= 6; slot++) await day.sync(slot);
      day.depth(0);
      const far = interrupted(day, call, false);
      const frozen = within(6);
      const paused = day.wake(within(6), { ...far, now: () => frozen });
      await Promise.race([paused, far.stopped]);
      day.depth(30);
      for (let slot = 7; slot <= 20; slot++) await day.sync(slot);
      day.depth(0);
      far.wake();
      await paused;
      for (let slot = 21; slot <= 23; slot++) await day.sync(slot);
      expect(day.replicasNow()).toBe(6); // last recommended at 20, less than a minute ago
      await day.sync(24);
      expect(day.replicasNow()).toBe(0);
    }
  });
});

describe("what a wake knows", () => {
  test("a neighbour with the same pods halts it, as in a slot", async () => {
    const day = fixture();
    addHpa(day, "shop/rival");
    const rival = day.cluster.scales.get("shop/rival");
    if (rival !== undefined) rival.selector = "app=orders";
    day.cluster.pods = [
      { metadata: { name: "orders-1", namespace: "shop", labels: { app: "orders" } }, spec: {}, status: {} },
    ];
    await day.sync(1); // learns the selectors
    day.depth(50);
    await day.wake(within(1));
    expect(day.condition("ScalingActive")).toMatchObject({ status: "False", reason: "AmbiguousSelector" });
    // Without its entry, it is not a neighbour, even while its state is still there.
    day.store.documents.delete("prod shop/rival");
    await day.wake(within(1) + 1_000);
    expect(day.condition("ScalingActive")).toMatchObject({ status: "True" });
  });

  test("a reading whose period is not over is not asked for again", async () => {
    const metric = { name: "cloudwatch", selector: { matchLabels: { metric: "depth" } } };
    const target = { type: "AverageValue", averageValue: "5" };
    const metrics = [{ type: "External" as const, external: { metric, target } }];
    const day = fixture({ spec: { ...queueSpec, metrics } });
    let asked = 0;
    const cloudwatch = sourceOf(() => ((asked += 1), { items: [metricValue("depth", 10)] }), 60_000);
    const sources: MetricSources = { cloudwatch };
    await day.sync(1, { sources });
    day.store.documents.set("prod shop/orders", document({ ...queueSpec, metrics, maxReplicas: 1 }));
    expect(await day.wake(within(1), { sources })).toMatchObject({ scaled: 1 });
    expect(asked).toBe(1);
    for (let slot = 2; slot <= 5; slot++) await day.sync(slot, { sources });
    expect(asked).toBe(2);
  });

  test("an entry that changes during its sync is not scaled by its old spec", async () => {
    const day = fixture();
    await day.sync(1);
    day.depth(50);
    const putState: Store["putState"] = (cluster, key, state, signal) => {
      if (state.intent !== undefined) day.store.documents.set("prod shop/orders", withMax(2));
      return day.store.putState(cluster, key, state, signal);
    };
    expect(await day.wake(within(1), { store: { ...day.store, putState } })).toMatchObject({ scaled: 0, behind: 1 });
    expect(day.cluster.writes).toEqual([]);
    // The change has a wake of its own.
    expect(await day.wake(within(1) + 200)).toMatchObject({ scaled: 1 });
    expect(day.replicasNow()).toBe(2);
  });

  test("a newer wake that loaded before an older one's claim replaces the claim", async () => {
    const day = fixture();
    await day.sync(1);
    day.depth(50);
    let older: Promise<unknown> | undefined;
    const load: Store["load"] = async (range, signal) => {
      const contents = await day.store.load(range, signal);
      older ??= day.wake(within(1), { cluster: hung });
      await claimed;
      return contents;
    };
    let claim = () => {};
    const claimed = new Promise<void>((resolve) => (claim = resolve));
    const getScale = () => {
      claim();
      return new Promise<never>(() => {});
    };
    const hung: Cluster = { ...day.cluster, getScale };
    expect(await day.wake(within(1) + 50, { store: { ...day.store, load } })).toMatchObject({ scaled: 1 });
    expect(day.state()?.wake).toEqual({ at: within(1) + 50, done: true });
  });

  test("a state that cannot be read halts its HPA", async () => {
    const day = fixture();
    day.store.broken.set("STATE prod shop/orders", { why: "history: expected a map" });
    day.depth(50);
    expect(await day.wake(within(1))).toMatchObject({ outcome: "gone", scaled: 0 });
    expect(day.cluster.writes).toEqual([]);
  });

  test("an invalid cluster entry is reported, because somebody waits for the change", async () => {
    const day = fixture();
    day.store.clusterEntries.delete("prod");
    expect(await day.wake(within(1))).toMatchObject({ hpas: 1, failed: 1 });
    expect(day.failures).toMatchObject([
      {
        reason: "InvalidCluster",
        message: `cluster "prod": expected an item with pk "CLUSTER#prod" and sk "CLUSTER" in table "memory", got none`,
      },
    ]);
  });
});

describe("an entry that is deleted", () => {
  test("is forgotten at once, in whatever state its cluster, its shard and its slot are", async () => {
    for (const spoil of [
      () => undefined,
      (day: Day) => void day.store.clusterEntries.delete("prod"),
      (day: Day) => void day.store.shardItems.clear(),
    ]) {
      const day = fixture();
      day.depth(5);
      await day.sync(1);
      day.store.documents.delete("prod shop/orders");
      spoil(day);
      expect(await day.wake(within(1), { afterMs: 60_000 })).toMatchObject({ outcome: "gone" });
      expect(day.store.stateItems.size).toBe(0);
      expect(day.failures).toEqual([]);
    }
  });

  test("does not take others with it", async () => {
    const day = fixture();
    for (const key of ["shop/a", "shop/b"]) addHpa(day, key);
    await day.sync(1);
    for (const key of ["shop/a", "shop/b"]) day.store.documents.delete(`prod ${key}`);
    await day.wake(within(1), { names: ["a"] });
    expect([...day.store.stateItems.keys()].sort()).toEqual(["prod shop/b", "prod shop/orders"]);
  });

  test("and created again before it was forgotten keeps its state", async () => {
    const day = fixture();
    day.depth(10);
    await day.sync(1);
    day.store.documents.delete("prod shop/orders");
    const load: Store["load"] = async (range, signal) => {
      const contents = await day.store.load(range, signal);
      day.store.documents.set("prod shop/orders", withMax(4));
      await day.wake(within(1) + 200);
      return contents;
    };
    await day.wake(within(1), { store: { ...day.store, load } });
    expect(day.state()).toMatchObject({ wake: { at: within(1) + 200, done: true }, open: true });
  });

  test("and created again while it is being forgotten starts fresh", async () => {
    const day = fixture();
    day.depth(10);
    await day.sync(1);
    const putState: Store["putState"] = async (cluster, key, state, signal) => {
      if (state.wake?.done === false) day.store.stateItems.delete("prod shop/orders");
      return day.store.putState(cluster, key, state, signal);
    };
    expect(await day.wake(within(1), { store: { ...day.store, putState } })).toMatchObject({ hpas: 1, behind: 0 });
    expect(day.state()).toMatchObject({ slot: 0, wake: { done: true } });
    expect(versionBefore(day.state()?.version ?? 0)).toBe("nothing");
  });
});
