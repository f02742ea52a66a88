import { Fault } from "../../../lib/model/fault";
import type { Store } from "../../../lib/model/ports/store";
import type { Shard } from "../../../lib/model/stored/shard";
import { document, fixture, queueSpec, slotAt } from "../sync-fixture";

/** A wake from its message to its counts. */
const wokenAt = slotAt(1) + 5_000;
const range = { cluster: "prod", from: "", to: null };

async function setUp() {
  const day = fixture();
  day.depth(5);
  await day.sync(1);
  day.counts.length = 0;
  /** What other runs make of the shard once the wake has loaded it. */
  const changing = (more: Partial<Shard> | undefined): Store => ({
    ...day.store,
    async load(loaded, within) {
      const contents = await day.store.load(loaded, within);
      const shard = day.store.shardItems.get("prod#");
      if (more === undefined) day.store.shardItems.delete("prod#");
      else if (shard !== undefined)
        day.store.shardItems.set("prod#", { ...shard, version: shard.version + 1, ...more });
      return contents;
    },
  });
  const add = (name: string) => {
    day.store.documents.set(`prod shop/${name}`, document(queueSpec, `shop/${name}`));
  };
  return { ...day, changing, add };
}

test("the HPAs that are named, and no other, are synced and stamped", async () => {
  const { wake, add, store, state } = await setUp();
  add("other");
  const before = state()?.version ?? 0;
  expect(await wake(wokenAt)).toMatchObject({ outcome: "synced", hpas: 1, slot: wokenAt, cluster: "prod", lagMs: 100 });
  expect(state()).toMatchObject({ slot: slotAt(1), version: before + 2, wake: { at: wokenAt, done: true } });
  expect(store.stateItems.has("prod shop/other")).toBe(false);
});

test("a wake is no later than this clock: slots up to then would count as overtaken", async () => {
  const { wake, state } = await setUp();
  expect(await wake(wokenAt, { afterMs: -300 })).toMatchObject({ slot: wokenAt - 300 });
  expect(state()?.wake).toEqual({ at: wokenAt - 300, done: true });
});

test.each<[string, number, string]>([
  ["half a second before the next slot", 9_500, "synced"],
  ["later", 9_501, "overtaken"],
])("a wake that is handled %s", async (_name, afterMs, outcome) => {
  const { wake, state } = await setUp();
  expect(await wake(wokenAt, { afterMs })).toMatchObject({ outcome });
  expect(state()?.wake !== undefined).toBe(outcome === "synced");
});

test("a wake that is later than it may be is counted as such, and loads nothing", async () => {
  const { wake, store } = await setUp();
  const loads = store.calls["load"];
  expect(await wake(wokenAt, { until: wokenAt + 100 })).toMatchObject({
    cluster: "prod",
    slot: wokenAt,
    outcome: "late",
  });
  expect(store.calls["load"]).toBe(loads);
  expect(await wake(wokenAt, { until: wokenAt + 101 })).toMatchObject({ outcome: "synced" });
});

describe("a shard that changes meanwhile", () => {
  test.each<[string, Partial<Shard> | undefined, string]>([
    ["a later slot is finished", { slot: slotAt(2) }, "overtaken"],
    ["a slot at the wake's moment is finished", { slot: wokenAt }, "overtaken"],
    ["the slot just before it is finished", { slot: wokenAt - 1 }, "synced"],
    ["it is gone", undefined, "overtaken"],
  ])("%s", async (_name, more, outcome) => {
    const { wake, changing } = await setUp();
    expect(await wake(wokenAt, { store: changing(more) })).toMatchObject({ outcome });
  });

  test.each([wokenAt, slotAt(2)])("a slot that was finished before it: nothing is claimed", async (slot) => {
    const { wake, store, state, shardNow } = await setUp();
    store.shardItems.set("prod#", { ...(shardNow() as Shard), slot });
    expect(await wake(wokenAt)).toMatchObject({ outcome: "overtaken" });
    expect(state()).not.toHaveProperty("wake");
  });

  test("a wake that has claimed nothing is overtaken", async () => {
    const { wake } = await setUp();
    expect(await wake(wokenAt)).toMatchObject({ outcome: "synced" });
    expect(await wake(wokenAt)).toMatchObject({ outcome: "overtaken" });
  });
});

describe("before the tick has made a shard", () => {
  test("a wake lasts a period", async () => {
    const { wake, store, state } = await setUp();
    store.shardItems.clear();
    expect(await wake(wokenAt, { afterMs: 14_500 })).toMatchObject({ outcome: "synced" });
    expect(state()?.wake).toEqual({ at: wokenAt, done: true });
  });

  test("nobody notes what an index lacks: there is none", async () => {
    const { wake, store } = await setUp();
    store.shardItems.clear();
    const selector = { matchLabels: { queue: "mail" } };
    const target = { type: "AverageValue", averageValue: "5" } as const;
    const metrics = [{ type: "External", external: { metric: { name: "sqs", selector }, target } }] as const;
    store.documents.set("prod shop/orders", document({ ...queueSpec, metrics }));
    expect(await wake(wokenAt)).toMatchObject({ outcome: "synced", hpas: 1 });
    expect(store.shardItems.size).toBe(0);
  });

  test("and its events are kept", async () => {
    const { wake, store, cluster, eventsNow } = await setUp();
    store.shardItems.clear();
    cluster.external.set("depth", new Fault("timeout", "no answer"));
    await wake(wokenAt);
    expect(await eventsNow()).toHaveLength(2);
  });
});

test("until the end of its slot, no process uses what it keeps", async () => {
  const { wake, shardNow } = await setUp();
  await wake(wokenAt);
  expect(shardNow()?.confirmed?.changed).toBe(slotAt(2) + 1);
});

test("with a longer period of its cluster, a wake ends with that cluster's slot", async () => {
  const { wake, store, shardNow } = await setUp();
  const entry = store.clusterEntries.get("prod");
  if (entry === undefined || !("value" in entry)) throw new Error("expected the entry");
  const spec = { ...entry.value.spec, options: { syncPeriodSeconds: 60 } };
  store.clusterEntries.set("prod", { ...entry, value: { ...entry.value, spec } });
  expect(await wake(wokenAt, { afterMs: 14_000 })).toMatchObject({ outcome: "synced" });
  expect(shardNow()?.confirmed?.changed).toBe(slotAt(4) + 1);
});

test("what fails is reported once it is recorded", async () => {
  const { wake, cluster, failures } = await setUp();
  cluster.external.set("depth", new Fault("timeout", "no answer"));
  await wake(wokenAt);
  expect(failures).toMatchObject([{ key: "shop/orders", reason: "FailedGetExternalMetric", at: wokenAt + 100 }]);
});

test("the shard of the HPA itself overtakes the wake, and no other one does", async () => {
  const { wake, store, shardNow } = await setUp();
  const shard = shardNow() as Shard;
  const beside = async (slots: Readonly<Record<string, number>>) => {
    store.shardItems.set("prod#", { ...shard, to: "shop/n" });
    store.shardItems.set("prod#shop/n", { ...shard, from: "shop/n" });
    const finishing: Store = {
      ...store,
      async load(...asked) {
        const contents = await store.load(...asked);
        for (const [from, slot] of Object.entries(slots)) {
          const current = store.shardItems.get(`prod#${from}`);
          if (current !== undefined)
            store.shardItems.set(`prod#${from}`, { ...current, slot, version: current.version + 1 });
        }
        return contents;
      },
    };
    return (await wake(wokenAt, { store: finishing }))?.outcome;
  };
  expect(await beside({ "shop/n": slotAt(2) })).toBe("overtaken");
  store.stateItems.delete("prod shop/orders");
  expect(await beside({ "": slotAt(2) })).toBe("synced");
});

describe("what cannot be synced", () => {
  test("an HPA that is gone is forgotten", async () => {
    const { wake, store } = await setUp();
    store.documents.clear();
    expect(await wake(wokenAt)).toMatchObject({ outcome: "gone", hpas: 0 });
    expect(store.stateItems.size).toBe(0);
  });

  test("another one that is gone is left to the next slot", async () => {
    const { wake, store, add, sync } = await setUp();
    add("other");
    await sync(2);
    store.documents.delete("prod shop/other");
    await wake(slotAt(2) + 1_000);
    expect(store.stateItems.has("prod shop/other")).toBe(true);
  });

  test("a state that cannot be read halts its HPA", async () => {
    const { wake, store } = await setUp();
    store.broken.set("STATE prod shop/orders", { why: "half" });
    expect(await wake(wokenAt)).toMatchObject({ outcome: "gone" });
  });

  test("a cluster whose entry cannot be read fails its HPAs, and they are not claimed", async () => {
    const { wake, store, failures, state } = await setUp();
    store.clusterEntries.set("prod", { key: "prod", invalid: "spec: expected a map" });
    expect(await wake(wokenAt)).toMatchObject({ outcome: "synced", hpas: 1, failed: 1 });
    expect(failures).toEqual([
      { cluster: "prod", reason: "InvalidCluster", message: "spec: expected a map", at: wokenAt + 100 },
    ]);
    expect(state()).not.toHaveProperty("wake");
  });

  test("a fault of the table fails the message", async () => {
    const { wake, store } = await setUp();
    const fault = new Fault("throttled", "busy");
    await expect(wake(wokenAt, { store: { ...store, load: () => Promise.reject(fault) } })).rejects.toBe(fault);
  });

  test("what was not recorded is not reported: the next slot does", async () => {
    const { wake, store, failures, depth } = await setUp();
    depth(50);
    let writes = 0;
    const failing: Store = {
      ...store,
      putState: (...args) =>
        (writes += 1) > 1 ? Promise.reject(new Fault("throttled", "busy")) : store.putState(...args),
    };
    expect(await wake(wokenAt, { store: failing })).toMatchObject({ outcome: "synced", behind: 1 });
    expect(failures).toEqual([]);
  });
});

test("HPAs in two shards are two runs, and one without a shard is a third", async () => {
  const { store, add, wake, counts, shardNow } = await setUp();
  for (const name of ["mails", "zoo"]) add(name);
  const shard = shardNow() as Shard;
  store.shardItems.set("prod#", { ...shard, to: "shop/n" });
  store.shardItems.set("prod#shop/n", { ...shard, ...range, from: "shop/n", to: "shop/p" });
  await wake(wokenAt, { names: ["orders", "mails", "zoo", "orders"] });
  expect(counts.map(({ outcome, hpas }) => [outcome, hpas])).toEqual([
    ["synced", 1],
    ["synced", 1],
    ["synced", 1],
  ]);
});

test.each<[string, Partial<Shard>, number]>([
  ["whose slot under way is not finished counts as seen now", { slot: slotAt(0) }, wokenAt + 100],
  ["whose slot under way is finished was seen with the shard", {}, slotAt(1) + 200],
  ["that is behind was seen before", { behind: { "shop/orders": slotAt(0) + 7_000 } }, slotAt(0) + 7_000],
])("an open span %s", async (_name, more, lastObserved) => {
  const { wake, store, depth, state, shardNow } = await setUp();
  store.shardItems.set("prod#", { ...(shardNow() as Shard), ...more });
  const opened = state()?.history?.recommendations.at(-1)?.since ?? 0;
  depth(50);
  await wake(wokenAt);
  const [before] = (state()?.history?.recommendations ?? []).filter(({ since }) => since === opened);
  expect(before?.at).toBe(Math.max(lastObserved, opened));
});
