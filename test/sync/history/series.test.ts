import { randomBytes } from "node:crypto";
import { Fault } from "../../../lib/model/fault";
import type { HistoryWriter } from "../../../lib/model/ports/history";
import { slotAt } from "../sync-fixture";
import { at, historyWorld, minute } from "./world";

/** docs/decisions/0098-a-history.md: what is unknown is a gap, and a series is that of its HPA. */
const written = (world: ReturnType<typeof historyWorld>, kind: string) =>
  world.written.filter((sk) => sk.startsWith(kind)).length;
const refuse = () => Promise.reject(new Fault("throttled", "the table is busy"));

async function rested(minutes: number) {
  const world = historyWorld({ replicas: 2 });
  world.depth(10);
  await world.run(0, minute(minutes));
  return world;
}

test("an HPA that moves has one sample a minute", async () => {
  const world = historyWorld({ replicas: 2 });
  for (let index = 0; index < 12; index++) {
    world.depth(10 + index);
    await world.run(index, index + 1);
  }
  expect(await world.series(at(0), at(60))).toEqual([
    "12:00:00 2→2 5",
    "12:01:00 3→3 4.667",
    "12:02:00 4→4 4.5",
    "until 12:02:45",
  ]);
  expect(written(world, "MINUTE#")).toBe(3);
});

test("rest is written once, and is the same until the last slot", async () => {
  const world = await rested(30);
  expect(await world.series(at(0), at(60))).toEqual(["12:00:00 2→2 5", "until 12:29:45"]);
  expect([written(world, "MINUTE#"), written(world, "ROSTER#")]).toEqual([1, 1]);
});

test("a series that begins before the reader's first moment goes on in it", async () => {
  const world = await rested(30);
  expect(await world.series(at(20), at(25))).toEqual(["12:20:00 2→2 5", "until 12:25:00"]);
});

test("minutes without a slot are a gap", async () => {
  const world = await rested(3);
  await world.run(minute(7), minute(9));
  expect(await world.series(at(0), at(60))).toEqual([
    "12:00:00 2→2 5",
    "12:03:00 ?",
    "12:07:00 2→2 5",
    "until 12:08:45",
  ]);
});

test("a slot that is left out is none", async () => {
  const world = await rested(3);
  await world.run(minute(3) + 1, minute(4));
  expect(await world.series(at(0), at(60))).toEqual(["12:00:00 2→2 5", "until 12:03:45"]);
});

test("what could not be read is unknown, and not zero", async () => {
  const world = await rested(2);
  world.cluster.external.delete("depth");
  await world.run(minute(2), minute(4));
  world.depth(10);
  await world.run(minute(4), minute(5));
  expect(await world.series(at(0), at(60))).toEqual([
    "12:00:00 2→2 5",
    "12:02:00 2→2 unknownMetric failing",
    "12:04:00 2→2 5",
    "until 12:04:45",
  ]);
});

test("a scale write without an answer has the size that its run saw, and not that of the slot before", async () => {
  const world = await rested(2);
  world.cluster.scales.get("shop/orders")!.replicas = 1;
  world.depth(15);
  const putScale = () => Promise.reject(new Fault("timeout", "no answer within 5 s"));
  const cluster = { ...world.cluster, putScale };
  await world.sync(minute(2), { history: world.history, cluster });
  expect(world.lines).toEqual(["shop/orders: UnknownRescale"]);
  await world.run(minute(2) + 1, minute(4));
  expect(await world.series(at(0), at(60))).toEqual([
    "12:00:00 2→2 5",
    "12:02:00 1→3 15 failing",
    "12:03:00 3→3 5",
    "until 12:03:45",
  ]);
});

test("rows that the table refuses are a gap, and the slot finishes without them", async () => {
  const world = await rested(2);
  world.depth(9);
  await world.run(minute(2), minute(4), { history: { ...world.history, putMinute: refuse } });
  expect(world.lines).toEqual(["prod: HistoryNotWritten"]);
  expect(await world.series(at(0), at(60))).toEqual(["12:00:00 2→2 5", "until 12:02:00"]);
  await world.run(minute(4), minute(5));
  expect(await world.series(at(0), at(60))).toEqual([
    "12:00:00 2→2 5",
    "12:02:00 ?",
    "12:04:00 2→2 4.5",
    "until 12:04:45",
  ]);
});

test("a run that dies before it finishes the slot leaves nothing that counts", async () => {
  const world = await rested(2);
  world.depth(9);
  const dead = { ...world.store, replaceShard: refuse };
  await expect(world.sync(minute(2), { history: world.history, store: dead })).rejects.toThrow("busy");
  expect(written(world, "MINUTE#")).toBe(2);
  world.depth(10);
  await world.run(minute(2) + 1, minute(4));
  expect(await world.series(at(0), at(60))).toEqual(["12:00:00 2→2 5", "until 12:03:45"]);
});

test("a second run of the slot agrees with the rows of the first", async () => {
  const world = await rested(2);
  world.depth(9);
  const dead = { ...world.store, replaceShard: refuse };
  await expect(world.sync(minute(2), { history: world.history, store: dead })).rejects.toThrow("busy");
  world.depth(8);
  await world.run(minute(2), minute(4));
  expect(await world.series(at(0), at(60))).toEqual([
    "12:00:00 2→2 5",
    "12:02:00 2→2 4.5",
    "12:03:00 2→2 4",
    "until 12:03:45",
  ]);
});

test("a version of ebb that writes no history proves nothing", async () => {
  const world = await rested(2);
  const { history: record } = world.shardNow() ?? {};
  for (let index = minute(2); index < minute(5); index++) {
    await world.sync(index);
    const shard = world.shardNow();
    if (shard !== undefined && record !== undefined) world.store.shardItems.set("prod#", { ...shard, history: record });
  }
  expect(await world.series(at(0), at(60))).toEqual(["12:00:00 2→2 5", "until 12:01:45"]);
  await world.run(minute(5), minute(6));
  expect(await world.series(at(0), at(60))).toEqual([
    "12:00:00 2→2 5",
    "12:02:00 ?",
    "12:05:00 2→2 5",
    "until 12:05:45",
  ]);
});

test("an HPA that is made again within a minute is another one, if its entry says when it was made", async () => {
  const world = historyWorld({ replicas: 2 });
  world.depth(10);
  world.add("orders", {}, "2026-03-01T11:00:00Z");
  await world.run(0, minute(2));
  world.store.documents.delete("prod shop/orders");
  await world.run(minute(2), minute(2) + 1);
  world.add("orders", {}, "2026-03-01T12:02:05Z");
  await world.run(minute(2) + 1, minute(4));
  const created = slotAt(minute(2)) + 5_000;
  expect(await world.series(at(0), at(60), { created })).toEqual(["12:02:15 2→2 5", "until 12:03:45"]);
});

test("a deleted HPA ends, and one that is made again later begins", async () => {
  const world = await rested(2);
  world.store.documents.delete("prod shop/orders");
  await world.run(minute(2) + 1, minute(4));
  world.add("orders");
  await world.run(minute(4) + 2, minute(6));
  expect(await world.series(at(0), at(60))).toEqual([
    "12:00:00 2→2 5",
    "12:02:15 ?",
    "12:04:30 2→2 5",
    "until 12:05:45",
  ]);
});

test("an HPA says no to its history", async () => {
  const world = await rested(2);
  world.add("orders", { "ebb.dev/history": "false" });
  await world.run(minute(2), minute(4));
  expect(await world.series(at(0), at(60))).toEqual(["12:00:00 2→2 5", "12:02:00 ?", "until 12:03:45"]);
});

test("paused and in dry run, it says so", async () => {
  const world = await rested(1);
  world.add("orders", { "ebb.dev/paused": "true" });
  await world.run(minute(1), minute(2));
  world.add("orders", { "ebb.dev/dry-run": "true" });
  world.depth(30);
  await world.run(minute(2), minute(3));
  expect(await world.series(at(0), at(60))).toEqual([
    "12:00:00 2→2 5",
    "12:01:00 2→2 paused",
    "12:02:00 2→6 15 dryRun",
    "until 12:02:45",
  ]);
});

test.each<[string, Partial<HistoryWriter>]>([
  ["while the table refuses", { putBlocks: refuse }],
  ["while the table cannot be read", { chain: refuse }],
])("minutes stay where they are %s, and are packed later", async (_name, broken) => {
  const world = historyWorld({ replicas: 2 });
  world.depth(10);
  await world.run(0, minute(1));
  world.depth(9);
  await world.run(minute(179), minute(211), { history: { ...world.history, ...broken } });
  expect(world.failures.map(({ reason }) => reason)).toContain("HistoryNotPacked");
  const before = await world.series(at(0), at(300));
  await world.run(minute(211), minute(222));
  expect(written(world, "HPA#")).toBe(1);
  expect([...(await world.series(at(0), at(300))).slice(0, -1), "until 15:30:45"]).toEqual(before);
});

test("HPAs of a shard that splits and merges keep their series", async () => {
  const world = historyWorld({ replicas: 2 });
  world.add("zebra");
  world.depth(10);
  await world.run(0, minute(2));
  const parts = await world.reshardNow(2_000);
  expect(parts).toEqual(["", "shop/zebra"]);
  expect(await world.series(at(0), at(60), { name: "zebra" })).toEqual(["12:00:00 2→2 5", "until 12:01:45"]);
  world.depth(9);
  await world.run(minute(2), minute(4), { shards: parts });
  expect(await world.reshardNow(1)).toEqual([""]);
  world.depth(8);
  await world.run(minute(4), minute(6));
  for (const name of ["orders", "zebra"])
    expect([name, ...(await world.series(at(0), at(60), { name }))]).toEqual([
      name,
      "12:00:00 2→2 5",
      "12:02:00 2→2 4.5",
      "12:04:00 2→2 4",
      "until 12:05:45",
    ]);
  world.depth(7);
  await world.run(minute(180), minute(211));
  for (const name of ["orders", "zebra"])
    expect([name, ...(await world.series(at(0), at(300), { name }))]).toEqual([
      name,
      "12:00:00 2→2 5",
      "12:02:00 2→2 4.5",
      "12:04:00 2→2 4",
      "12:06:00 ?",
      "15:00:00 2→2 3.5",
      "until 15:30:45",
    ]);
});

test("a range that another shard takes over after a crash begins with a gap", async () => {
  const world = historyWorld({ replicas: 2 });
  world.add("zebra");
  world.depth(10);
  await world.run(0, minute(2));
  const parts = await world.reshardNow(2_000);
  await world.run(minute(2), minute(4), { shards: parts });
  world.store.shardItems.delete("prod#shop/zebra");
  await world.reshardNow(1);
  await world.run(minute(5), minute(6));
  expect(await world.series(at(0), at(60), { name: "zebra" })).toEqual([
    "12:00:00 2→2 5",
    "12:02:00 ?",
    "12:05:00 2→2 5",
    "until 12:05:45",
  ]);
  expect(await world.series(at(0), at(60))).toEqual([
    "12:00:00 2→2 5",
    "12:04:00 ?",
    "12:05:00 2→2 5",
    "until 12:05:45",
  ]);
});

test("an HPA with a longer period keeps the values of its last sync", async () => {
  const world = historyWorld({ replicas: 2 });
  world.add("orders", { "ebb.dev/sync-period": "5m" });
  world.depth(10);
  await world.run(0, minute(1));
  world.depth(9);
  await world.run(minute(1), minute(14));
  const series = await world.series(at(0), at(60));
  expect(series.slice(1).filter((line) => line.endsWith(" 4.5"))).toHaveLength(1);
  expect(series).toHaveLength(3);
});

test("without a history, nothing is written or remembered", async () => {
  const world = historyWorld({ replicas: 2 });
  world.depth(10);
  for (let index = 0; index < 8; index++) await world.sync(index);
  expect([world.written, world.shardNow()?.history]).toEqual([[], undefined]);
  expect(await world.series(at(0), at(60))).toEqual(["until 12:00:00"]);
});

test("a table that is put back goes on from there, after a gap", async () => {
  const world = await rested(2);
  const before = world.shardNow();
  world.depth(9);
  await world.run(minute(2), minute(4));
  world.store.shardItems.set("prod#", before!);
  await world.run(minute(5), minute(6));
  expect(await world.series(at(0), at(60))).toEqual([
    "12:00:00 2→2 5",
    "12:02:00 ?",
    "12:05:00 2→2 4.5",
    "until 12:05:45",
  ]);
});

test("a clock that goes back records nothing until it has caught up", async () => {
  const world = await rested(10);
  world.depth(9);
  await world.run(minute(2), minute(12));
  expect(await world.series(at(0), at(60))).toEqual(["12:00:00 2→2 5", "12:10:00 2→2 4.5", "until 12:11:45"]);
});

test.each(["nonsense", "0001-01-01T00:00:00Z", "", "2026-02-30T00:00:00Z", "2026-03-01T12:00:00.123456789+14:00"])(
  "an entry that was created at %j harms no other HPA's series",
  async (created) => {
    const world = historyWorld({ replicas: 2 });
    world.add("zebra", {}, created);
    world.depth(10);
    await world.run(0, minute(2));
    expect(await world.series(at(0), at(60))).toEqual(["12:00:00 2→2 5", "until 12:01:45"]);
  },
);

test("targets of a kind as long as an entry may be harm nobody", async () => {
  const world = historyWorld({ replicas: 2 });
  for (let index = 0; index < 8; index++) {
    const name = `zebra-${index}`;
    world.add(name);
    const entry = world.store.documents.get(`prod shop/${name}`) as { spec: { scaleTargetRef: object } };
    const scaleTargetRef = { ...entry.spec.scaleTargetRef, kind: randomBytes(70_000).toString("base64url") };
    world.store.documents.set(`prod shop/${name}`, { ...entry, spec: { ...entry.spec, scaleTargetRef } });
  }
  world.depth(10);
  await world.run(0, minute(2));
  expect(await world.series(at(0), at(60))).toEqual(["12:00:00 2→2 5", "until 12:01:45"]);
});

test("a target beyond all numbers harms nobody", async () => {
  const world = historyWorld({ replicas: 2 });
  world.add("zebra");
  const zebra = world.store.documents.get("prod shop/zebra") as { spec: { metrics: object[] } };
  const external = { metric: { name: "m".repeat(400) }, target: { type: "Value", value: `9${"0".repeat(400)}E` } };
  const metrics = Array.from({ length: 40 }, () => ({ type: "External", external }));
  world.store.documents.set("prod shop/zebra", { ...zebra, spec: { ...zebra.spec, metrics } });
  world.depth(10);
  await world.run(0, minute(2));
  expect(await world.series(at(0), at(60))).toEqual(["12:00:00 2→2 5", "until 12:01:45"]);
  expect(await world.series(at(0), at(60), { name: "zebra" })).toHaveLength(2);
});
