import type { Store } from "../../lib/model/ports/store";
import type { Shard } from "../../lib/model/stored/shard";
import { firstVersion } from "../../lib/model/stored/version";
import { mostItemBytes } from "../../lib/model/stored/fit-to-item";
import { reshard, splitPoint } from "../../lib/scheduler/reshard";
import { mergeBelow, smallestPart, splitAbove } from "../../lib/model/stored/shard-size";
import { memoryStore } from "../fakes/memory-store";

/** Where exactly shards begin to be split, closed and merged, and in which order they come out. */
const { signal } = new AbortController();
const periodMs = 15_000;
const shard = (from: string, to: string | null, rest: Partial<Shard> = {}): Shard => ({
  ...{ cluster: "prod", from, to, version: 3, slot: 45_000, heartbeat: 45_100, behind: {}, entries: 300 },
  ...rest,
});

function setUp(shards: readonly Shard[], keys: readonly string[] = []) {
  const store = memoryStore();
  for (const item of shards) store.shardItems.set(`${item.cluster}#${item.from}`, item);
  for (const key of keys) store.documents.set(`prod ${key}`, {});
  const run = (far: Store = store) => reshard(far, "prod", shards, { periodMs, now: () => 46_000, signal });
  return { store, run };
}

const ranges = (shards: readonly Shard[]) => shards.map(({ from, to }) => [from, to]);
const many = ["a/1", "a/2", "b/1", "b/2"];

test("shards that are found in any order come out in key order", async () => {
  const { run } = setUp([shard("m/", "t/"), shard("t/", null), shard("", "m/")]);
  expect(ranges(await run())).toEqual([
    ["", "m/"],
    ["m/", "t/"],
    ["t/", null],
  ]);
});

test("shards that cover everything are left as they are", async () => {
  const shards = [shard("", "m/"), shard("m/", null)];
  const { store, run } = setUp(shards);
  expect(await run()).toEqual(shards);
  expect(store.calls).toEqual({});
});

test("without a first shard, one is made up to the next", async () => {
  const { run } = setUp([shard("m/", null, { heartbeat: 7 })]);
  expect(await run()).toEqual([
    { ...shard("", "m/", { heartbeat: 46_000, slot: 0, entries: 0 }), version: firstVersion(46_000) },
    shard("m/", null, { heartbeat: 7 }),
  ]);
});

test("a first shard that somebody else made is not counted twice", async () => {
  const { store, run } = setUp([shard("m/", null)]);
  expect(ranges(await run({ ...store, createShard: () => Promise.resolve(false) }))).toEqual([["m/", null]]);
});

test.each<[string, readonly Shard[], number]>([
  ["is widened to the end", [shard("", "m/")], 46_000],
  ["is widened to its neighbour", [shard("", "m/"), shard("t/", null)], 46_000],
  ["is narrowed from the end", [shard("", null), shard("t/", null)], 45_100],
  ["is narrowed to its neighbour", [shard("", "z/"), shard("t/", null)], 45_100],
])("a shard that %s was last seen then", async (_name, shards, heartbeat) => {
  const [first] = await setUp(shards).run();
  expect(first).toMatchObject({ from: "", to: shards[1]?.from ?? null, heartbeat, version: 4 });
});

test("a widened shard was never seen before its own last slot, even if the tick's clock is behind", async () => {
  const { run } = setUp([shard("", "m/", { heartbeat: 99_000 })]);
  expect(await run()).toMatchObject([{ to: null, heartbeat: 99_000 }]);
});

test.each([
  [splitAbove, 1],
  [splitAbove + 1, 2],
])("a shard of %d entries becomes %d", async (entries, count) => {
  expect(await setUp([shard("", null, { entries })], many).run()).toHaveLength(count);
});

test("each half counts the entries that it has", async () => {
  expect(await setUp([shard("", null, { entries: 1_001 })], many).run()).toMatchObject([
    { from: "", to: "b/", entries: 2, version: 4 },
    { from: "b/", to: null, entries: 2, behind: {}, slot: 45_000 },
  ]);
});

test("a large shard of one key stays, and so do the others", async () => {
  const shards = [shard("", "m/", { entries: 1_200 }), shard("m/", null)];
  expect(await setUp(shards, ["a/1"]).run()).toEqual(shards);
});

test("beside a shard that is split, small ones and those that cannot be split stay", async () => {
  const large = { entries: 1_200 };
  const shards = [shard("", "m/", large), shard("m/", "t/", large), shard("t/", null)];
  const keys = [...many, "m/1"];
  expect(ranges(await setUp(shards, keys).run())).toEqual([
    ["", "b/"],
    ["b/", "m/"],
    ["m/", "t/"],
    ["t/", null],
  ]);
});

test("a split whose left half is gone makes no right half", async () => {
  const { store, run } = setUp([shard("", null, { entries: 1_200 })], many);
  const gone: Store = { ...store, shard: () => Promise.resolve(undefined) };
  expect(await run(gone)).toMatchObject([{ from: "" }]);
  expect([...store.shardItems.values()]).toMatchObject([{ from: "", to: "b/", entries: 2 }]);
});

test.each([
  [mergeBelow - 1, 1],
  [mergeBelow, 2],
])("neighbours of %d entries together become %d", async (entries, count) => {
  const shards = [shard("", "m/", { entries: 100 }), shard("m/", null, { entries: entries - 100 })];
  expect(await setUp(shards).run()).toHaveLength(count);
});

test("of several pairs the first is merged, and all others stay in their places", async () => {
  const [small, large] = [{ entries: 10 }, { entries: 495 }];
  const shards = [
    shard("", "c/", large),
    shard("c/", "f/", small),
    shard("f/", "m/", small),
    shard("m/", "t/", large),
    shard("t/", null, large),
  ];
  const { store, run } = setUp(shards);
  const merged = await run();
  expect(ranges(merged)).toEqual([
    ["", "c/"],
    ["c/", "m/"],
    ["m/", "t/"],
    ["t/", null],
  ]);
  expect(merged[1]).toMatchObject({ entries: 20, version: 4, heartbeat: 46_000 });
  expect([...store.shardItems.keys()].sort()).toEqual(["prod#", "prod#c/", "prod#m/", "prod#t/"]);
});

test("a merge was never seen before its right half's last slot", async () => {
  const small = { entries: 10 };
  const shards = [shard("", "m/", small), shard("m/", null, { ...small, heartbeat: 99_000 })];
  expect(await setUp(shards).run()).toMatchObject([{ heartbeat: 99_000 }]);
});

describe("what shards know of HPAs with periods of their own", () => {
  const hourly = "3600/4"; // due at half past
  const minutely = "60/0"; // due between the last slot and a clock that is a minute ahead
  const seenAt = (seen: Record<string, number>, heartbeat = 45_100) => ({ ownPeriods: { heartbeat, seen } });

  test("a merged shard has seen a class when one of the two last did, unless a sync of it may be under way", async () => {
    const left = shard("", "m/", { entries: 10, ...seenAt({ [hourly]: 1_000, [minutely]: 2_000 }) });
    const right = shard("m/", null, { entries: 10, ...seenAt({ [hourly]: 3_000 }) });
    const [merged] = await setUp([left, right]).run();
    expect(merged?.ownPeriods).toEqual({ heartbeat: 46_000, seen: { [hourly]: 3_000, [minutely]: 46_000 } });
  });

  test("what only one of them knows says nothing about the other", async () => {
    const left = shard("", "m/", { entries: 10 });
    const right = shard("m/", null, { entries: 10, ...seenAt({ [hourly]: 3_000 }) });
    const [merged] = await setUp([left, right]).run();
    expect(merged?.ownPeriods).toEqual({ heartbeat: 46_000, seen: { [hourly]: 3_000 } });
  });

  test("without any class, a shard has no record", async () => {
    const [merged] = await setUp([shard("", "m/", { entries: 10 }), shard("m/", null, { entries: 10 })]).run();
    expect(merged).not.toHaveProperty("ownPeriods");
  });

  test("a split's right half has seen a class when the whole did", async () => {
    const whole = shard("", null, { entries: splitAbove + 1, ...seenAt({ [hourly]: 1_000, [minutely]: 2_000 }) });
    const [left, right] = await setUp([whole], many).run();
    expect(left?.ownPeriods).toEqual(whole.ownPeriods);
    expect(right?.ownPeriods).toEqual({ heartbeat: 46_000, seen: { [hourly]: 1_000, [minutely]: 46_000 } });
  });

  test("a merged shard wakes the HPAs that are each shard's own", async () => {
    const left = shard("", "m/", { entries: 10, shorterPeriods: { "a/x": 5, "m/moved": 1 } });
    const right = shard("m/", null, { entries: 10, shorterPeriods: { "m/moved": 2, "z/x": 3 } });
    const [merged] = await setUp([left, right]).run();
    expect(merged?.shorterPeriods).toEqual({ "a/x": 5, "m/moved": 2, "z/x": 3 });
    const [plain] = await setUp([shard("", "m/", { entries: 10 }), shard("m/", null, { entries: 10 })]).run();
    expect(plain).not.toHaveProperty("shorterPeriods");
  });
});

test.each([
  [{ latest: 30_000 }, { latest: 45_000 }, 30_000],
  [{}, { latest: 45_000 }, 45_000],
  [{ latest: 30_000 }, {}, 30_000],
])("a merged shard shows values if one of the two does: %j and %j", async (first, second, latest) => {
  const shards = [shard("", "m/", { entries: 10, ...first }), shard("m/", null, { entries: 10, ...second })];
  expect(await setUp(shards).run()).toMatchObject([{ latest }]);
});

test("a merged shard whose parts show no values shows none", async () => {
  const [merged] = await setUp([shard("", "m/", { entries: 10 }), shard("m/", null, { entries: 10 })]).run();
  expect(merged).not.toHaveProperty("latest");
});

test("a merge that stops halfway because the left shard is gone does not put the right one back", async () => {
  const small = { entries: 10 };
  const shards = [shard("", "m/", small), shard("m/", null, small)];
  const { store, run } = setUp(shards);
  let created = 0;
  const far: Store = {
    ...store,
    replaceShard: (_before, after) => Promise.resolve(after === null),
    shard: () => Promise.resolve(undefined),
    createShard: () => Promise.resolve((created += 1) > 0),
  };
  expect(await run(far)).toEqual(shards);
  expect(created).toBe(0);
});

test("a shard is split at the first of two boundaries that are equally near to its middle", () => {
  expect(splitPoint(["a/1", "b/1", "b/2", "c/1"])).toBe("b/");
});

describe("the work of a shard's syncs", () => {
  const keys = (count: number) => Array.from({ length: count }, (_, index) => `a/${String(index).padStart(4, "0")}`);
  const split = (entries: number, workedMs: number) =>
    setUp([shard("", null, { entries, workedMs })], keys(entries)).run();

  test.each([
    [periodMs / 2, [800]],
    [periodMs / 2 + 1, [400, 400]],
    [periodMs, [400, 400]],
    [periodMs + 40, [200, 200, 200, 200]],
    [periodMs * 2, [200, 200, 200, 200]],
  ])("800 entries that take %d ms of 15 s become %j", async (workedMs, parts) => {
    expect((await split(800, workedMs)).map(({ entries }) => entries)).toEqual(parts);
  });

  test("each part has its share, so that a tick that runs again splits no further", async () => {
    const parts = await split(900, 9_000);
    expect(parts.map(({ entries, workedMs }) => [entries, workedMs])).toEqual([
      [450, 4_500],
      [450, 4_500],
    ]);
  });

  test("parts get no smaller than what is no matter of their number", async () => {
    expect(await split(smallestPart, 60_000)).toHaveLength(1);
    expect((await split(4 * smallestPart, 600_000)).map(({ entries }) => entries)).toEqual([100, 100, 100, 100]);
  });

  test.each([
    [1_000, 2_750, 1],
    [1_000, 2_751, 2],
  ])("small neighbours that take %d and %d ms become %d", async (one, other, count) => {
    const shards = [
      shard("", "m/", { entries: 10, workedMs: one }),
      shard("m/", null, { entries: 10, workedMs: other }),
    ];
    const merged = await setUp(shards).run();
    expect(merged).toHaveLength(count);
    if (count === 1) expect(merged).toMatchObject([{ workedMs: one + other }]);
  });
});

describe("the queries of a shard's HPAs", () => {
  const keys = (count: number) => Array.from({ length: count }, (_, index) => `a/${String(index).padStart(4, "0")}`);
  const split = (entries: number, queries: number) =>
    setUp([shard("", null, { entries, queries })], keys(entries)).run();

  test.each([
    [5_000, [800]],
    [5_001, [400, 400]],
    [10_000, [400, 400]],
    [10_040, [200, 200, 200, 200]],
  ])("800 entries with %d become %j", async (queries, parts) => {
    expect((await split(800, queries)).map(({ entries }) => entries)).toEqual(parts);
  });

  test("each part has its share, and no part is smaller than the smallest", async () => {
    const parts = await split(4 * smallestPart, 400_000);
    expect(parts.map(({ entries, queries }) => [entries, queries])).toEqual(
      Array.from({ length: 4 }, () => [smallestPart, 100_000]),
    );
  });

  test("an empty shard is left as it is", async () => {
    expect(await setUp([shard("", null, { entries: 0, queries: 0, workedMs: 0 })]).run()).toHaveLength(1);
  });

  test.each([
    [1_000, 1_500, 1],
    [1_000, 1_501, 2],
  ])("small neighbours with %d and %d become %d", async (one, other, count) => {
    const shards = [shard("", "m/", { entries: 10, queries: one }), shard("m/", null, { entries: 10, queries: other })];
    const merged = await setUp(shards).run();
    expect(merged).toHaveLength(count);
    if (count === 1) expect(merged).toMatchObject([{ queries: one + other }]);
  });
});

describe("what the item of a shard would have, if that was too large for a slot", () => {
  const keys = (count: number) => Array.from({ length: count }, (_, index) => `a/${String(index).padStart(4, "0")}`);

  test.each([
    [700, mostItemBytes, [700]],
    [700, mostItemBytes + 1_000, [350, 350]],
    [700, 3 * mostItemBytes, [175, 175, 175, 175]],
  ])("%d entries with %d bytes become %j", async (entries, itemBytes, parts) => {
    const { run } = setUp([shard("", null, { entries, itemBytes })], keys(entries));
    const after = await run();
    expect(after.map((part) => part.entries)).toEqual(parts);
    const bytes = after.reduce((sum, part) => sum + (part.itemBytes ?? 0), 0);
    expect(Math.abs(bytes - itemBytes)).toBeLessThan(parts.length);
  });

  test("small neighbours are not merged into one whose item may be too large", async () => {
    const overlapping = (itemBytes: number) => [
      shard("", "m/", { entries: 200, itemBytes }),
      shard("m/", null, { entries: 200, itemBytes }),
    ];
    expect(await setUp(overlapping(mostItemBytes / 4)).run()).toHaveLength(1);
    expect(await setUp(overlapping(mostItemBytes / 4 + 1)).run()).toHaveLength(2);
  });
});
