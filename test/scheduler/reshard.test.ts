import { type HpaKey } from "../../lib/model/hpa-key";
import type { Shard } from "../../lib/model/stored/shard";
import { reshard, splitPoint } from "../../lib/scheduler/reshard";
import { openShardCache } from "../../lib/sync/slot/shard-cache";
import type { Store } from "../../lib/model/ports/store";
import { memoryStore, type MemoryStore } from "../fakes/memory-store";

const { signal } = new AbortController();
const periodMs = 15_000;
const shard = (from: string, to: string | null, rest: Partial<Shard> = {}): Shard => ({
  cluster: "prod",
  from,
  to,
  version: 3,
  slot: 45_000,
  heartbeat: 45_100,
  behind: {},
  entries: 300,
  ...rest,
});

function storeWith(...shards: Shard[]): MemoryStore {
  const store = memoryStore();
  for (const item of shards) store.shardItems.set(`${item.cluster}#${item.from}`, item);
  return store;
}

const ranges = (store: MemoryStore) =>
  [...store.shardItems.values()].sort((a, b) => (a.from < b.from ? -1 : 1)).map(({ from, to }) => [from, to]);

describe("the shards of a cluster", () => {
  test("a new cluster gets one that covers everything", async () => {
    const store = storeWith();
    const shards = await reshard(store, "prod", [], { periodMs, now: () => 46_000, signal });
    expect(shards.map(({ from, to }) => [from, to])).toEqual([["", null]]);
    expect(ranges(store)).toEqual([["", null]]);
  });

  test("a large one is split where a namespace begins, and the right half counts as seen at that moment", async () => {
    const large = shard("", null, { entries: 1200 });
    const store = storeWith(large);
    for (let i = 0; i < 1200; i++)
      store.documents.set(`prod ${i < 500 ? "alpha" : "beta"}/h${String(i).padStart(4, "0")}`, {});
    const shards = await reshard(store, "prod", [large], { periodMs, now: () => 46_000, signal });
    expect(shards.map(({ from, to }) => [from, to])).toEqual([
      ["", "beta/"],
      ["beta/", null],
    ]);
    expect([...store.shardItems.values()].map(({ slot, heartbeat }) => [slot, heartbeat])).toEqual([
      [45_000, 45_100],
      [45_000, 46_000],
    ]);
  });

  test("a very large one is split until no part is too large", async () => {
    const huge = shard("", null, { entries: 10_000 });
    const store = storeWith(huge);
    for (let i = 0; i < 10_000; i++)
      store.documents.set(`prod n${Math.floor(i / 300)}/h${String(i).padStart(5, "0")}`, {});
    const shards = await reshard(store, "prod", [huge], { periodMs, now: () => 46_000, signal });
    expect(shards).toEqual([...store.shardItems.values()].sort((a, b) => (a.from < b.from ? -1 : 1)));
    expect(shards.map(({ to }) => to)).toEqual([...shards.slice(1).map(({ from }) => from), null]);
    for (const { cluster, from, to } of shards) {
      const keys = await store.hpaKeys({ cluster, from, to }, signal);
      expect(keys.length).toBeGreaterThan(400);
      expect(keys.length).toBeLessThanOrEqual(1_000);
    }
    expect(store.calls["hpaKeys"]).toBe(1 + shards.length);
  });

  test("a very large one whose split somebody else overtakes waits for the next tick", async () => {
    const huge = shard("", null, { entries: 4_000 });
    const store = storeWith(huge);
    for (let i = 0; i < 4_000; i++) store.documents.set(`prod a/h${String(i).padStart(5, "0")}`, {});
    let writes = 0;
    const replaceShard: Store["replaceShard"] = (...change) =>
      ++writes === 2 ? Promise.resolve(false) : store.replaceShard(...change);
    const shards = await reshard({ ...store, replaceShard }, "prod", [huge], { periodMs, now: () => 46_000, signal });
    expect(shards.map(({ from, to }) => [from, to])).toEqual([
      ["", "a/h02000"],
      ["a/h02000", "a/h03000"],
      ["a/h03000", null],
    ]);
    const ordered = [...store.shardItems.values()].sort((a, b) => (a.from < b.from ? -1 : 1));
    expect(shards).toEqual(ordered);
  });

  test("the right half was never seen before its shard's last slot, even if the tick's clock is behind", async () => {
    const large = shard("", null, { entries: 1200, heartbeat: 45_100 });
    const store = storeWith(large);
    for (let i = 0; i < 1200; i++) store.documents.set(`prod alpha/h${String(i).padStart(4, "0")}`, {});
    const [, right] = await reshard(store, "prod", [large], { periodMs, now: () => 25_000, signal });
    expect(right).toMatchObject({ from: "alpha/h0600", heartbeat: 45_100 });
  });

  test("shards that overlap no longer do after the next tick", async () => {
    const store = storeWith(shard("", null), shard("beta/", null));
    await reshard(store, "prod", [...store.shardItems.values()], { periodMs, now: () => 46_000, signal });
    expect(ranges(store)).toEqual([
      ["", "beta/"],
      ["beta/", null],
    ]);
  });

  test("a gap (somebody deleted a shard) is closed", async () => {
    const store = storeWith(shard("", "beta/"), shard("gamma/", null));
    await reshard(store, "prod", [...store.shardItems.values()], { periodMs, now: () => 46_000, signal });
    expect(ranges(store)).toEqual([
      ["", "gamma/"],
      ["gamma/", null],
    ]);
  });

  test("a shard that closes a gap counts as seen at that moment: a run under way can finish no slot for it", async () => {
    const store = storeWith(shard("", "beta/", { heartbeat: 45_100 }), shard("gamma/", null));
    const shards = await reshard(store, "prod", [...store.shardItems.values()], {
      periodMs,
      now: () => 46_000,
      signal,
    });
    expect(shards[0]).toMatchObject({ to: "gamma/", heartbeat: 46_000 });
  });

  test("small neighbours that finished the same slot are merged, seen at that moment, with all HPAs that are lagging", async () => {
    const left = shard("", "m/", { entries: 20, heartbeat: 45_050, behind: { "a/x": 30_000 } });
    const right = shard("m/", null, { entries: 30, behind: { "m/y": 15_000 } });
    const store = storeWith(left, right);
    await reshard(store, "prod", [left, right], { periodMs, now: () => 46_000, signal });
    expect([...store.shardItems.values()]).toMatchObject([
      { from: "", to: null, entries: 50, heartbeat: 46_000, behind: { "a/x": 30_000, "m/y": 15_000 } },
    ]);
  });

  test("neighbours that finished different slots are left alone: their open spans were not last seen together", async () => {
    const left = shard("", "m/", { entries: 20, slot: 30_000 });
    const right = shard("m/", null, { entries: 30 });
    const store = storeWith(left, right);
    await reshard(store, "prod", [left, right], { periodMs, now: () => 46_000, signal });
    expect(ranges(store)).toHaveLength(2);
  });

  test("a sync that finishes a slot in between wins, and the shard is not changed", async () => {
    const stale = shard("", "x/", { version: 2 });
    const store = storeWith(shard("", "x/", { version: 3 }));
    const shards = await reshard(store, "prod", [stale], { periodMs, now: () => 46_000, signal });
    expect(shards).toEqual([stale]);
    expect(ranges(store)).toEqual([["", "x/"]]);
  });
});

test.each<[string, readonly HpaKey[], string | undefined]>([
  ["two namespaces", ["a/1", "a/2", "b/1"], "b/"],
  ["the boundary nearest to the middle", ["a/1", "b/1", "b/2", "b/3", "c/1", "d/1"], "c/"],
  ["one namespace: its middle key", ["a/1", "a/2", "a/3", "a/4"], "a/3"],
  ["a single key cannot be split", ["a/1"], undefined],
  ["nothing", [], undefined],
])("where to split: %s", (_name, keys, expected) => {
  expect(splitPoint(keys)).toBe(expected);
});

describe("a range that moves while other runs write", () => {
  test("keys whose shard was deleted count as seen just now: windows get longer, never shorter", async () => {
    const store = storeWith();
    const [made] = await reshard(store, "prod", [], { periodMs, now: () => 46_000, signal });
    expect(made).toMatchObject({ heartbeat: 46_000, slot: 0 });
  });

  const large = shard("", null, { entries: 1200 });
  function storeWithMany(): MemoryStore {
    const store = storeWith(large);
    for (let i = 0; i < 1200; i++) store.documents.set(`prod ${i < 500 ? "alpha" : "beta"}/h${i}`, {});
    return store;
  }

  test("a sync that finishes a slot before the split: nothing is split, and no shard covers a key twice", async () => {
    const store = storeWithMany();
    store.shardItems.set("prod#", { ...large, version: 4, slot: 60_000, heartbeat: 60_100 });
    await reshard(store, "prod", [large], { periodMs, now: () => 61_000, signal });
    expect(ranges(store)).toEqual([["", null]]);
  });

  test("a split whose right half cannot be made is taken back", async () => {
    const store = storeWithMany();
    const refusing = { ...store, createShard: () => Promise.resolve(false) };
    const shards = await reshard(refusing, "prod", [large], { periodMs, now: () => 61_000, signal });
    expect(ranges(store)).toEqual([["", null]]);
    expect(shards).toMatchObject([{ from: "", to: null, entries: 1200 }]);
  });

  test("every large shard is split in the same tick", async () => {
    const other = shard("m/", null, { entries: 1200 });
    const store = storeWith({ ...large, to: "m/" }, other);
    for (let i = 0; i < 2400; i++) store.documents.set(`prod ${i < 1200 ? "a" : "n"}${i % 2}/h${i}`, {});
    const shards = await reshard(store, "prod", [...store.shardItems.values()], {
      periodMs,
      now: () => 61_000,
      signal,
    });
    expect(shards.map(({ from }) => from)).toEqual(["", "a1/", "m/", "n1/"]);
  });

  const left = shard("", "m/", { entries: 20 });
  const right = shard("m/", null, { entries: 30 });

  test("a merge whose right shard has just finished a slot: both stay, its heartbeat counts", async () => {
    const store = storeWith(left, { ...right, version: 4, slot: 60_000 });
    await reshard(store, "prod", [left, right], { periodMs, now: () => 61_000, signal });
    expect(ranges(store)).toEqual([
      ["", "m/"],
      ["m/", null],
    ]);
  });

  test("a merge whose left shard has just finished a slot: the right one is put back as it was", async () => {
    const store = storeWith({ ...left, version: 4, slot: 60_000 }, right);
    await reshard(store, "prod", [left, right], { periodMs, now: () => 61_000, signal });
    expect(store.shardItems.get("prod#m/")).toEqual(right);
    expect(ranges(store)).toEqual([
      ["", "m/"],
      ["m/", null],
    ]);
  });

  /**
   * Between the two writes of the merge, a wake of team/orders finds no shard, so it can tell nobody that it changed
   * something. The right shard comes back; what a process has kept of it may be from before that wake.
   */
  test("a merge that is taken back confirms nothing of the right shard", async () => {
    const kept = openShardCache(Infinity);
    const slots = { cluster: "prod", from: "m/", slot: 45_000, until: 60_000 };
    const confirmed = { version: right.version, changed: 15_000, states: 0 };
    const known = { ...right, confirmed };
    const loaded = { hpas: { hpas: [], states: {}, memory: 1 }, loadedAt: 45_000 };
    const next = { ...slots, slot: 60_000, until: 75_000 };
    kept.keep(known, slots, loaded);
    expect(kept.take(known, next)).toMatchObject(loaded); // while nobody merges
    kept.keep(known, slots, loaded);

    const store = storeWith({ ...left, version: 4, slot: 60_000 }, known);
    await reshard(store, "prod", [left, known], { periodMs, now: () => 61_000, signal });
    const back = store.shardItems.get("prod#m/")!;
    expect(back).toEqual(right);
    expect(kept.take(back, next)).toBeUndefined();
  });

  describe("and while the tick is paused, until the next one has closed the gap", () => {
    /** The next tick comes after so many writes of this one. */
    function pausedAfter(store: MemoryStore, writes: number): Store {
      let done = 0;
      const replaceShard: Store["replaceShard"] = async (before, after, within) => {
        const isReplaced = await store.replaceShard(before, after, within);
        done += 1;
        if (done === writes)
          await reshard(store, "prod", [...store.shardItems.values()], { periodMs, now: () => 121_000, signal });
        return isReplaced;
      };
      return { ...store, replaceShard };
    }

    test("a split makes no second shard for its keys", async () => {
      const store = storeWithMany();
      const shards = await reshard(pausedAfter(store, 1), "prod", [large], { periodMs, now: () => 61_000, signal });
      expect(ranges(store)).toEqual([["", null]]);
      expect(shards).toHaveLength(1);
    });

    test("a merge does not put the right shard back", async () => {
      const store = storeWith(left, right);
      await reshard(pausedAfter(store, 1), "prod", [left, right], { periodMs, now: () => 61_000, signal });
      expect(ranges(store)).toEqual([["", null]]);
    });
  });
});
