import type { Shard } from "../../lib/core/state";
import { reshard, splitPoint } from "../../lib/sync/reshard";
import { memoryStore, type MemoryStore } from "../fakes/memory-store";

const { signal } = new AbortController();
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
    const shards = await reshard(store, "prod", [], signal);
    expect(shards.map(({ from, to }) => [from, to])).toEqual([["", null]]);
    expect(ranges(store)).toEqual([["", null]]);
  });

  test("one that grew too large is split where a namespace begins, and both halves go on from the same heartbeat", async () => {
    const large = shard("", null, { entries: 1200 });
    const store = storeWith(large);
    for (let i = 0; i < 1200; i++)
      store.documents.set(`prod ${i < 500 ? "alpha" : "beta"}/h${String(i).padStart(4, "0")}`, {});
    const shards = await reshard(store, "prod", [large], signal);
    expect(shards.map(({ from, to }) => [from, to])).toEqual([
      ["", "beta/"],
      ["beta/", null],
    ]);
    expect([...store.shardItems.values()].map(({ slot, heartbeat }) => [slot, heartbeat])).toEqual([
      [45_000, 45_100],
      [45_000, 45_100],
    ]);
  });

  test("a crash between the two writes of a split leaves an overlap, which the next tick mends", async () => {
    const store = storeWith(shard("", null), shard("beta/", null));
    await reshard(store, "prod", [...store.shardItems.values()], signal);
    expect(ranges(store)).toEqual([
      ["", "beta/"],
      ["beta/", null],
    ]);
  });

  test("a gap (somebody deleted a shard) is closed", async () => {
    const store = storeWith(shard("", "beta/"), shard("gamma/", null));
    await reshard(store, "prod", [...store.shardItems.values()], signal);
    expect(ranges(store)).toEqual([
      ["", "gamma/"],
      ["gamma/", null],
    ]);
  });

  test("small neighbours that finished the same slot become one, with the later heartbeat and everybody who is behind", async () => {
    const left = shard("", "m/", { entries: 20, heartbeat: 45_050, behind: { "a/x": 30_000 } });
    const right = shard("m/", null, { entries: 30, behind: { "m/y": 15_000 } });
    const store = storeWith(left, right);
    await reshard(store, "prod", [left, right], signal);
    expect([...store.shardItems.values()]).toMatchObject([
      { from: "", to: null, entries: 50, heartbeat: 45_100, behind: { "a/x": 30_000, "m/y": 15_000 } },
    ]);
  });

  test("neighbours that finished different slots are left alone: their open runs were not last seen together", async () => {
    const left = shard("", "m/", { entries: 20, slot: 30_000 });
    const right = shard("m/", null, { entries: 30 });
    const store = storeWith(left, right);
    await reshard(store, "prod", [left, right], signal);
    expect(ranges(store)).toHaveLength(2);
  });

  test("a sync that finishes a slot in between wins; the shard is left as it stands", async () => {
    const stale = shard("", "x/", { version: 2 });
    const store = storeWith(shard("", "x/", { version: 3 }));
    const shards = await reshard(store, "prod", [stale], signal);
    expect(shards).toEqual([stale]);
    expect(ranges(store)).toEqual([["", "x/"]]);
  });
});

test.each([
  ["two namespaces", ["a/1", "a/2", "b/1"], "b/"],
  ["the boundary nearest to the middle", ["a/1", "b/1", "b/2", "b/3", "c/1", "d/1"], "c/"],
  ["one namespace: its middle key", ["a/1", "a/2", "a/3", "a/4"], "a/3"],
  ["a single key cannot be split", ["a/1"], undefined],
  ["nothing", [], undefined],
])("where to split: %s", (_name, keys, expected) => {
  expect(splitPoint(keys)).toBe(expected);
});
