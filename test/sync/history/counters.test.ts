import { Fault } from "../../../lib/model/fault";
import { openTimes } from "../../../lib/model/stored/counters";
import type { Store } from "../../../lib/model/ports/store";
import type { Shard } from "../../../lib/model/stored/shard";
import { stoppedAt } from "../interrupted";
import { document, queueSpec, slotAt, sourceOf } from "../sync-fixture";
import { historyWorld, minute } from "./world";

/** docs/decisions/0100-counters-of-a-shard.md */
const totals = ({ counters }: Shard) => counters?.totals ?? {};
const counts = ({ counters }: Shard) =>
  Object.fromEntries(
    Object.entries(counters?.times ?? {}).map(([series, stored]) => [
      series,
      openTimes(stored).counts.reduce((sum, one) => sum + one, 0),
    ]),
  );

function world(spec = queueSpec) {
  const day = historyWorld({ spec, replicas: 2 });
  day.depth(10);
  return { ...day, now: () => day.shardNow()! };
}

test("each slot adds one sync of each HPA, its metrics and its lag", async () => {
  const day = world();
  await day.run(0, 4);
  // Upstream, too, compares the first sync's metrics with a status without replicas.
  expect(counts(day.now())).toEqual({
    ...{ "sync none none": 4, lag: 4, run: 4 },
    ...{ "metric scale_up none External": 1, "metric none none External": 3 },
  });
  expect(day.now().counters?.times["lag"]).toEqual([800, 8, 4]);
});

test("a scaling counts with its direction, and the metric that asked for it", async () => {
  const day = world();
  for (const [index, depth] of [20, 20, 0, 0, 0, 0, 0, 0, 20].entries()) {
    day.depth(depth);
    await day.run(index, index + 1);
  }
  expect(totals(day.now())).toMatchObject({ "scaled up": 1, "scaled to_zero": 1, "scaled from_zero": 1 });
  expect(counts(day.now())).toMatchObject({
    "sync scale_up none": 2,
    "sync scale_down none": 1,
    "metric scale_up none External": 3,
  });
});

test("a metric that cannot be read is an error of the sync and of the metric", async () => {
  const day = world();
  day.cluster.external.delete("depth");
  await day.run(0, 1);
  expect(counts(day.now())).toEqual({ "sync none internal": 1, "metric none internal External": 1, lag: 1, run: 1 });
});

test("an entry that cannot be used is an error of its spec", async () => {
  const day = world({ ...queueSpec, maxReplicas: -1 });
  await day.run(0, 1);
  expect(counts(day.now())).toEqual({ "sync none spec": 1, lag: 1, run: 1 });
});

test("a request to a source counts once for all HPAs that share it", async () => {
  const day = world({
    ...queueSpec,
    metrics: [{ type: "External", external: { metric: { name: "jobs" }, target: { type: "Value", value: "5" } } }],
  });
  day.add("mail");
  day.store.documents.set("prod shop/mail", day.store.documents.get("prod shop/orders"));
  const source = sourceOf(() => ({ items: [{ metricName: "jobs", timestamp: "2026-03-01T12:00:00Z", value: "5" }] }));
  await day.sync(0, { history: day.history, sources: { jobs: source } });
  await day.sync(1, {
    history: day.history,
    sources: { jobs: sourceOf(() => ({ error: "no answer", from: "jobs" })) },
  });
  expect(totals(day.now())).toEqual({ "read jobs read": 1, "read jobs failed": 1 });
});

test("time at zero counts by the slot; an unknown size counts nothing", async () => {
  const day = world();
  day.cluster.scales.get("shop/orders")!.replicas = 0;
  day.depth(0);
  await day.run(0, 3);
  const before = totals(day.now())["zero"];
  day.cluster.scales.delete("shop/orders");
  await day.run(3, 5);
  expect([before, totals(day.now())["zero"]]).toEqual([45_000, 45_000]);
});

test("a message that comes twice, or late, adds nothing", async () => {
  const day = world();
  await day.run(0, 3);
  const once = day.now().counters;
  await day.run(0, 3);
  await day.sync(4, { history: day.history, afterMs: 16_000 });
  expect(day.now().counters).toEqual(once);
});

test("of two runs of a slot, only the one that finishes it adds", async () => {
  const day = world();
  await day.run(0, 1);
  let second: Promise<unknown> | undefined;
  const store: Store = {
    ...day.store,
    async replaceShard(before, after, signal) {
      second ??= day.sync(1, { history: day.history });
      await second;
      return day.store.replaceShard(before, after, signal);
    },
  };
  await day.sync(1, { history: day.history, store });
  expect(counts(day.now())).toMatchObject({ "sync none none": 2, lag: 2 });
});

test("a write without an answer that took effect adds once", async () => {
  const day = world();
  await day.run(0, 1);
  const store: Store = {
    ...day.store,
    async replaceShard(before, after, signal) {
      await day.store.replaceShard(before, after, signal);
      throw new Fault("lost", "no answer");
    },
  };
  await expect(day.sync(1, { history: day.history, store })).rejects.toThrow("no answer");
  await day.run(1, 2);
  expect(counts(day.now())).toMatchObject({ "sync none none": 2, lag: 2 });
});

test("a harmless change meanwhile is added to, not overwritten", async () => {
  const day = world();
  await day.run(0, 1);
  let isChanged = false;
  const store: Store = {
    ...day.store,
    async replaceShard(before, after, signal) {
      if (!isChanged) {
        isChanged = true;
        const found = day.now();
        const counters = { ...found.counters!, totals: { "scaled up": 7 } };
        day.store.shardItems.set("prod#", { ...found, version: found.version + 1, counters });
      }
      return day.store.replaceShard(before, after, signal);
    },
  };
  await day.sync(1, { history: day.history, store });
  expect(totals(day.now())).toEqual({ "scaled up": 7 });
  expect(counts(day.now())).toMatchObject({ lag: 2 });
});

test("a wake adds its scaling, once, and other wakes write nothing", async () => {
  const day = world();
  await day.run(0, 2);
  await day.wake(slotAt(1) + 4_000, { history: day.history });
  const quiet = day.now().counters;
  day.depth(20);
  await day.wake(slotAt(1) + 5_000, { history: day.history });
  await day.wake(slotAt(1) + 5_000, { history: day.history });
  expect(quiet?.totals).toEqual({});
  expect(totals(day.now())).toEqual({ "scaled up": 1 });
  await day.run(2, 3);
  expect(counts(day.now())).toMatchObject({ "sync scale_up none": 1, "sync none none": 3, lag: 3 });
});

test("a wake that finds an earlier scaling applied adds the scaling, and no sync", async () => {
  const day = world();
  await day.run(0, 1);
  day.depth(20);
  const { far: cluster, stopped } = stoppedAt(day.cluster, "putScale", "afterEffect");
  void day.sync(1, { history: day.history, cluster });
  await stopped;
  const before = counts(day.now());
  await day.wake(slotAt(1) + 5_000, { history: day.history });
  expect(day.replicasNow()).toBe(4);
  expect(totals(day.now())).toEqual({ "scaled up": 1 });
  expect(counts(day.now())).toEqual(before);
});

test("a wake whose count the table refuses says so, and is done", async () => {
  const day = world();
  await day.run(0, 1);
  day.depth(20);
  let writes = 0;
  const store: Store = {
    ...day.store,
    replaceShard: (before, after, signal) =>
      ++writes === 1 ? day.store.replaceShard(before, after, signal) : Promise.reject(new Fault("throttled", "busy")),
  };
  await day.wake(slotAt(0) + 5_000, { history: day.history, store });
  expect(day.replicasNow()).toBe(4);
  expect(day.lines).toContain("prod: ScalingsNotCounted");
});

test("a deployment without a history counts nothing, and forgets what it counted", async () => {
  const day = world();
  await day.run(0, 1);
  await day.sync(1);
  expect(day.now().counters).toBeUndefined();
});

test("the left of two parts keeps the counts; a merge ends those of the right one", async () => {
  const day = world();
  for (let index = 0; index < 3; index++)
    day.store.documents.set(`prod mail/m${index}`, document(queueSpec, `mail/m${index}`));
  await day.run(0, minute(1));
  const before = day.now().counters;
  const shards = await day.reshardNow(2_000);
  const stored = () => shards.map((from) => day.store.shardItems.get(`prod#${from}`)?.counters);
  expect(stored()).toEqual([before, undefined]);
  await day.run(minute(1), minute(1) + 1, { shards });
  const [left] = stored();
  await day.reshardNow(1);
  expect(day.now().counters).toEqual(left);
});
