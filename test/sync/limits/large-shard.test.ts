import { Fault } from "../../../lib/model/fault";
import type { Store } from "../../../lib/model/ports/store";
import { mostItemBytes } from "../../../lib/model/stored/fit-to-item";
import { reshard } from "../../../lib/scheduler/reshard";
import { mergeBelow, mostEntries, splitAbove } from "../../../lib/model/stored/shard-size";
import { itemBytes } from "../../../lib/table/items/attributes";
import { encodeShard } from "../../../lib/table/items/shard-item";
import { document, fixture, periodMs, queueSpec, slotAt } from "../sync-fixture";

/**
 * What a SHARD item names for each HPA: those that a slot did not reach, and those with shorter periods. A shard whose
 * item gets too large can finish no slot, however few HPAs it has, so the tick must split it.
 */
const { signal } = new AbortController();
const longKey = (index: number) => `${"n".repeat(59)}-${index % 7}/${String(index).padStart(253, "h")}`;

/** With a period of its own each. */
function dayOf(count: number) {
  const day = fixture();
  day.store.documents.clear();
  for (let index = 0; index < count; index++) {
    const key = longKey(index);
    const entry = document(queueSpec, key) as { metadata: object };
    const metadata = { ...entry.metadata, annotations: { "ebb.dev/sync-period": "5s" } };
    day.store.documents.set(`prod ${key}`, { ...entry, metadata });
  }
  return day;
}

const shards = (day: ReturnType<typeof fixture>) => [...day.store.shardItems.values()];
const tick = (day: ReturnType<typeof fixture>) =>
  reshard(day.store, "prod", shards(day), { periodMs, now: () => day.clock.now, signal });

/** The slot comes so late that it records nothing: all HPAs are lagging. */
const recordsNothing = (store: Store): Store => ({
  ...store,
  putState: () => Promise.reject(new Fault("timeout", "the slot's time is up")),
});

test("700 HPAs with long names and periods of their own: the tick splits the shard that no slot can finish", async () => {
  const day = dayOf(700);
  const late = recordsNothing(day.store);
  expect(await day.sync(1, { store: late, afterMs: 3_000 })).toMatchObject({ outcome: "fenced" });
  const [whole] = shards(day);
  expect(whole).toMatchObject({ slot: 0, entries: 700, behind: {} });
  expect(whole?.itemBytes).toBeGreaterThan(mostItemBytes);
  expect(day.failures.map(({ reason }) => reason)).toEqual(["ShardTooLarge"]);

  const halves = await tick(day);
  expect(halves.length).toBeGreaterThan(1);
  expect(await day.sync(2, { store: late, afterMs: 3_000 })).toMatchObject({ outcome: "synced" });
  const [first] = shards(day);
  expect(first).toMatchObject({ slot: slotAt(2) });
  expect(first).not.toHaveProperty("itemBytes");
  expect(first).not.toHaveProperty("failure");
  expect(Object.keys(first?.behind ?? {})).toHaveLength(first?.entries ?? 0);
  expect(itemBytes(encodeShard(first!))).toBeLessThan(400 * 1024);

  day.clock.now = slotAt(3);
  expect(await tick(day)).toHaveLength(halves.length);
});

test("a shard that an older version left too large says why it cannot be finished", async () => {
  const day = dayOf(700);
  const failure = "the shard has 700 HPAs, too many for one slot; the next tick splits it";
  day.store.shardItems.set("prod#", { ...day.shardNow()!, entries: 700, failure });
  await day.sync(1, { store: recordsNothing(day.store) });
  expect(day.shardNow()?.itemBytes).toBeGreaterThan(mostItemBytes);
});

test("as many HPAs as two neighbours may merge to always fit, so what was split stays split", async () => {
  const day = dayOf(mergeBelow - 1);
  const late = recordsNothing(day.store);
  expect(await day.sync(1, { store: late })).toMatchObject({ outcome: "synced" });
  expect(mostEntries(day.shardNow()!, periodMs)).toBe(splitAbove);
});

test("thousands of deleted HPAs that could not be forgotten do not fill the item", async () => {
  const day = fixture();
  const state = { version: 1, slot: 0, status: {}, history: null, open: false };
  for (let index = 0; index < 2_000; index++) day.store.stateItems.set(`prod ${longKey(index)}`, state);
  const store: Store = { ...day.store, deleteState: () => Promise.reject(new Fault("throttled", "throttled")) };
  expect(await day.sync(1, { store })).toMatchObject({ outcome: "synced" });
  expect(day.shardNow()?.behind).toEqual({});
  await day.sync(2);
  expect([...day.store.stateItems.keys()]).toEqual(["prod shop/orders"]);
});
