import { Fault } from "../../../lib/model/fault";
import { fitStateToItem } from "../../../lib/model/stored/fit-to-item";
import { reshard } from "../../../lib/scheduler/reshard";
import { document, fixture, metricValue, periodMs, queueSpec, slotAt } from "../../sync/sync-fixture";

const signal = new AbortController().signal;

test("6,500 HPAs that come at once while the table is throttled: the shard is split, not stuck", async () => {
  const { store, sync, failures, counts, shardNow, clock } = fixture();
  store.documents.clear();
  for (let index = 0; index < 6_500; index++) {
    const key = `shop/an-autoscaler-with-a-name-of-usual-length-${index}`;
    store.documents.set(`prod ${key}`, document(queueSpec, key));
  }
  // Nothing can be recorded either: every HPA of the slot is behind.
  const failing = { ...store, putState: () => Promise.reject(new Fault("throttled", "the table is throttled")) };
  await sync(1, { store: failing });
  expect(counts.at(-1)?.outcome).toBe("fenced");
  expect(shardNow()).toMatchObject({ entries: 6_500, slot: 0, behind: {} });
  expect(failures.map(({ reason }) => reason)).toEqual(["ShardTooLarge"]);
  await sync(2, { store: failing });
  expect(failures).toHaveLength(1);

  clock.now = slotAt(3);
  const found = [...store.shardItems.values()];
  const split = await reshard(store, "prod", found, { periodMs, now: () => clock.now, signal });
  expect(split.map(({ entries }) => entries)).toEqual([812, 813, 812, 813, 812, 813, 812, 813]);
}, 60_000);

test("HPAs with more queries than a slot sends: the next tick splits the shard, and then all of them are asked", async () => {
  const { store, sync, clock, cluster, shardNow } = fixture();
  store.documents.clear();
  for (let index = 0; index < 600; index++) {
    const [key, name] = [`shop/h${index}`, `h${index}`];
    const metrics = Array.from({ length: 10 }, (_, at) => {
      cluster.external.set(`${name}-${at}`, [metricValue(`${name}-${at}`, 5)]);
      const target = { type: "AverageValue", averageValue: "5" } as const;
      return { type: "External", external: { metric: { name: `${name}-${at}` }, target } } as const;
    });
    const scaleTargetRef = { ...queueSpec.scaleTargetRef, name };
    store.documents.set(`prod ${key}`, document({ ...queueSpec, scaleTargetRef, metrics }, key));
    cluster.add(key, 1);
  }
  const failing = () =>
    [...store.stateItems.values()].filter(({ slot, warnings = [] }) => slot > 0 && warnings.length > 0);
  const ticked = () =>
    reshard(store, "prod", [...store.shardItems.values()], { periodMs, now: () => clock.now, signal });

  await sync(1);
  expect(shardNow()).toMatchObject({ entries: 600, queries: 6_000 });
  expect(failing()).toHaveLength(600);

  const halves = await ticked();
  expect(halves).toMatchObject([{ entries: 300 }, { entries: 300 }]);
  await sync(2);
  expect(shardNow()).toMatchObject({ entries: 300, slot: slotAt(2) });
  expect(failing()).toHaveLength(300);
  expect((await ticked()).map(({ from, to }) => [from, to])).toEqual(halves.map(({ from, to }) => [from, to]));
}, 60_000);

test("a thousand states that cannot be read leave a SHARD item that can be written", async () => {
  const { store, sync, shardNow, cluster } = fixture();
  for (let index = 0; index < 1_000; index++) {
    const key = `shop/h${index}`;
    store.documents.set(`prod ${key}`, document(queueSpec, key));
    cluster.add(key, 1);
    store.broken.set(`STATE prod ${key}`, { why: `status: expected a map, got ${"x".repeat(1_000)}` });
  }
  await sync(1);
  expect(shardNow()?.slot).toBe(slotAt(1));
  expect(shardNow()?.failure).toMatch(/^STATE#shop\/h0: status: expected a map.*…$/);
});

test("what fits is not copied", () => {
  const state = { version: 1, slot: 0, status: {}, history: null, open: false };
  expect(fitStateToItem(state)).toBe(state);
});
