import { Fault } from "../../lib/model/fault";
import type { Store } from "../../lib/model/ports/store";
import { openShardCache } from "../../lib/sync/slot/shard-cache";
import type { Shard } from "../../lib/model/stored/shard";
import { document, fixture, periodMs, queueSpec, slotAt } from "./sync-fixture";

type Day = ReturnType<typeof fixture>;

const withMax = (maxReplicas: number) => document({ ...queueSpec, maxReplicas });
/** Since the process keeps something. */
const loads = (day: Day) => (day.store.calls["load"] ?? 0) - 3;

/** A process that has synced slots 0 to 4. Slot 1 may meet what slot 0 has begun, so it keeps what slot 2 loaded. */
async function warmDay(replicas = 2, depth = 10) {
  const day = fixture({ replicas });
  const shardCache = openShardCache(Infinity);
  day.depth(depth);
  for (const index of [0, 1, 2, 3, 4]) await day.sync(index, { shardCache });
  return { day, shardCache };
}

describe("a process that syncs a shard again", () => {
  test("reads entries and states once, and the cluster and its sources each time", async () => {
    const { day } = await warmDay();
    expect(day.store.calls).toMatchObject({ load: 3, loadSources: 2 });
  });

  test("reads them again every two minutes, because a wake may be lost", async () => {
    const { day, shardCache } = await warmDay();
    for (let index = 5; index <= 18; index++) await day.sync(index, { shardCache });
    expect(loads(day)).toBe(2); // slots 10 and 18
  });

  test("goes on with what it has written itself", async () => {
    const { day, shardCache } = await warmDay();
    day.depth(30);
    await day.sync(5, { shardCache });
    expect(day.replicasNow()).toBe(6);
    await day.sync(6, { shardCache });
    expect(loads(day)).toBe(0);
    expect(day.counts.at(-1)).toMatchObject({ outcome: "synced", behind: 0 });
  });

  test("limits a rate by the scalings that it has kept", async () => {
    const { day, shardCache } = await warmDay(1, 5);
    day.depth(50);
    await day.sync(5, { shardCache });
    expect(day.replicasNow()).toBe(5);
    await day.sync(6, { shardCache, afterMs: 100 }); // the last scaling is less than 15 s old
    expect(day.replicasNow()).toBe(5);
    await day.sync(7, { shardCache });
    expect(day.replicasNow()).toBe(9);
    expect(loads(day)).toBe(0);
  });

  test("forgets a deleted HPA once", async () => {
    const { day, shardCache } = await warmDay();
    day.store.documents.clear();
    await day.wake(slotAt(4) + 5_000);
    for (const index of [5, 6, 7]) await day.sync(index, { shardCache });
    expect(day.state()).toBeUndefined();
    expect(day.counts.at(-1)).toMatchObject({ hpas: 0, behind: 0 });
    expect(loads(day)).toBe(1 + 2); // the wake, and the two slots after it
  });
});

test("an HPA that a slot has forgotten is not in what is kept after it", async () => {
  const { day, shardCache } = await warmDay();
  day.store.documents.clear(); // nobody says so: slot 10 loads
  for (let index = 5; index <= 10; index++) await day.sync(index, { shardCache });
  expect(day.state()).toBeUndefined();
  const before = { ...day.store.calls };
  for (const index of [11, 12])
    expect(await day.sync(index, { shardCache })).toMatchObject({ outcome: "synced", hpas: 0 });
  const { load, document: asked, deleteRecords, deleteState } = day.store.calls;
  expect({ load, document: asked, deleteRecords, deleteState }).toEqual({
    ...{ load: before["load"], document: before["document"] },
    ...{ deleteRecords: before["deleteRecords"], deleteState: before["deleteState"] },
  });
});

describe("an entry that somebody changes", () => {
  test("takes effect with its wake, and the slots after it know", async () => {
    const { day, shardCache } = await warmDay();
    day.store.documents.set("prod shop/orders", withMax(1));
    await day.wake(slotAt(4) + 5_000);
    expect(day.replicasNow()).toBe(1);
    for (const index of [5, 6, 7, 8]) await day.sync(index, { shardCache });
    expect(day.replicasNow()).toBe(1);
    expect(loads(day)).toBe(1 + 2);
    expect(day.cluster.writes).toHaveLength(1);
  });

  test("is never scaled by what it said before, and takes effect in the next slot", async () => {
    const { day, shardCache } = await warmDay();
    day.store.documents.set("prod shop/orders", withMax(3)); // nobody says so
    day.depth(50);
    expect(await day.sync(5, { shardCache })).toMatchObject({ scaled: 0, behind: 1 });
    expect(day.cluster.writes).toEqual([]);
    await day.sync(6, { shardCache });
    expect(day.cluster.writes).toEqual([{ target: "shop/orders", from: 2, to: 3 }]);
  });

  test("and that asks for nothing new is known after two minutes at most", async () => {
    const { day, shardCache } = await warmDay();
    day.store.documents.set("prod shop/orders", withMax(1));
    for (let index = 5; index < 10; index++) await day.sync(index, { shardCache });
    expect(day.replicasNow()).toBe(2);
    await day.sync(10, { shardCache });
    expect(day.replicasNow()).toBe(1);
  });

  test("a thousand wakes of one slot write the shard once", async () => {
    const { day, shardCache } = await warmDay();
    const before = day.store.calls["replaceShard"] ?? 0;
    for (let wake = 0; wake < 20; wake++) await day.wake(slotAt(4) + 5_000 + wake);
    expect(day.store.calls["replaceShard"]).toBe(before + 1);
    await day.sync(5, { shardCache });
    await day.wake(slotAt(5) + 5_000);
    expect(day.store.calls["replaceShard"]).toBe(before + 3);
  });

  test("while a slot is under way: the slot finishes, and keeps nothing", async () => {
    const { day, shardCache } = await warmDay();
    const store: Store = {
      ...day.store,
      async load(...asked) {
        const contents = await day.store.load(...asked);
        day.store.documents.set("prod shop/orders", withMax(1));
        await day.wake(slotAt(5) + 100);
        return contents;
      },
    };
    expect(await day.sync(5, { shardCache, store, afterMs: 150 })).toMatchObject({ outcome: "synced" });
    const before = loads(day);
    await day.sync(6, { shardCache });
    expect(loads(day)).toBe(before + 1);
    expect(day.replicasNow()).toBe(1);
  });
});

describe("another process", () => {
  test("that finishes a slot and writes nothing leaves what others keep", async () => {
    const { day, shardCache } = await warmDay();
    const other = openShardCache(Infinity);
    await day.sync(5, { shardCache: other });
    await day.sync(6, { shardCache });
    expect(loads(day)).toBe(1);
  });

  test("that finishes a slot and writes a state makes others read again", async () => {
    const { day, shardCache } = await warmDay();
    const other = openShardCache(Infinity);
    day.depth(30);
    await day.sync(5, { shardCache: other });
    await day.sync(6, { shardCache });
    expect(loads(day)).toBe(2);
    await day.sync(7, { shardCache });
    expect(loads(day)).toBe(2);
  });

  test("that never finished its slot makes others read again", async () => {
    const { day, shardCache } = await warmDay();
    await day.sync(6, { shardCache });
    expect(loads(day)).toBe(1);
  });

  /**
   *     slot 5   a run reads nothing, and is about to write that. Another run of it sees 2 and finishes the slot.
   *              Then the first one's write is applied, and its slot is fenced
   *     slot 6   by what the other one keeps, 2 is open, and nobody has written
   */
  test("whose run is fenced after it has written a state makes others read again", async () => {
    const { day, shardCache } = await warmDay();
    const store: Store = {
      ...day.store,
      async putState(...asked) {
        day.depth(10);
        expect(await day.sync(5, { shardCache, afterMs: 300 })).toMatchObject({ outcome: "synced" });
        return day.store.putState(...asked);
      },
    };
    day.cluster.external.delete("depth");
    expect(await day.sync(5, { store, afterMs: 200 })).toMatchObject({ outcome: "fenced", behind: 0 });
    const before = loads(day);
    expect(await day.sync(6, { shardCache })).toMatchObject({ outcome: "synced", behind: 0 });
    expect(loads(day)).toBe(before + 1);
    day.depth(30);
    expect(await day.sync(7, { shardCache })).toMatchObject({ scaled: 1, behind: 0 }); // a stale state's write meets a conflict
    expect(day.replicasNow()).toBe(6);
  });

  test("whose run is fenced and has written nothing leaves what others keep", async () => {
    const { day, shardCache } = await warmDay();
    let isFirst = true;
    const store: Store = {
      ...day.store,
      async replaceShard(...asked) {
        if (isFirst) expect(await day.sync(5, { shardCache, afterMs: 100 })).toMatchObject({ outcome: "synced" });
        isFirst = false;
        return day.store.replaceShard(...asked);
      },
    };
    expect(await day.sync(5, { store, afterMs: 200 })).toMatchObject({ outcome: "fenced" });
    const before = loads(day);
    await day.sync(6, { shardCache });
    expect(loads(day)).toBe(before);
  });

  test("whose write is applied late stops a stale decision, and nobody is scaled by it", async () => {
    const { day, shardCache } = await warmDay();
    const state = day.state()!;
    day.store.stateItems.set("prod shop/orders", { ...state, version: state.version + 1 });
    day.depth(50);
    expect(await day.sync(5, { shardCache })).toMatchObject({ scaled: 0, behind: 1 });
    expect(day.cluster.writes).toEqual([]);
    expect(await day.sync(6, { shardCache })).toMatchObject({ scaled: 1 });
  });
});

/**
 *     slot 4   8 is wanted, and that is open
 *     slot 5   a run reads nothing, is about to close it, and pauses. Another run of the slot sees 8 and finishes
 *     slot 6   sees 8 from what it keeps; meanwhile the paused write is applied
 *     slot 8   another process, and 1 is wanted: 8 was seen in slot 7
 */
test("a write that is applied late, while nobody reads, cuts no window short", async () => {
  const day = fixture({
    replicas: 8,
    spec: { ...queueSpec, behavior: { scaleDown: { stabilizationWindowSeconds: 20 } } },
  });
  const shardCache = openShardCache(Infinity);
  day.depth(40);
  for (const index of [0, 1, 2, 3, 4]) await day.sync(index, { shardCache });
  let land: () => Promise<unknown> = () => Promise.resolve();
  const paused: Store = {
    ...day.store,
    putState: (...asked) => {
      land = () => day.store.putState(...asked);
      return Promise.reject(new Fault("lost", "no answer yet"));
    },
    replaceShard: () => Promise.reject(new Fault("lost", "it is paused")),
  };
  day.cluster.external.delete("depth");
  await expect(day.sync(5, { store: paused })).rejects.toThrow("it is paused");
  day.depth(40);
  await day.sync(5, { shardCache, afterMs: 300 });
  await day.sync(6, { shardCache });
  await day.sync(7, { shardCache });
  expect(await land()).toMatchObject({ ok: true });
  day.depth(5);
  await day.sync(8);
  expect(day.replicasNow()).toBe(8); // it was wanted 15 s ago
  await day.sync(9);
  expect(day.replicasNow()).toBe(1);
});

describe("what is kept", () => {
  const message = (index: number) => ({
    cluster: "prod",
    from: "",
    slot: slotAt(index),
    until: slotAt(index) + periodMs,
  });
  const shard = (from: string, index: number) =>
    ({
      ...range,
      from,
      slot: slotAt(index),
      confirmed: { version: 7, changed: slotAt(0), states: 1 },
      version: 7,
    }) as Shard;
  const hpas = { hpas: [], states: {}, memory: 40 };
  const range = { cluster: "prod", to: null, heartbeat: 0, behind: {}, entries: 0 };

  test("gives way to what was synced later", () => {
    const shardCache = openShardCache(100);
    for (const from of ["a/", "b/", "c/"])
      shardCache.keep(shard(from, 1), { ...message(1), from }, { hpas, loadedAt: slotAt(1) });
    const found = ["a/", "b/", "c/"].map((from) => shardCache.take(shard(from, 1), { ...message(2), from })?.hpas);
    expect(found).toEqual([undefined, hpas, hpas]);
  });

  test("is taken once: a sync that fails leaves nothing", () => {
    const shardCache = openShardCache(100);
    shardCache.keep(shard("", 1), message(1), { hpas, loadedAt: slotAt(1) });
    expect(shardCache.take(shard("", 1), message(2))?.hpas).toBe(hpas);
    expect(shardCache.take(shard("", 1), message(2))).toBeUndefined();
  });

  test.each([
    ["the shard has another range", { to: "m/" }],
    ["somebody wrote the shard who confirms nothing", { version: 8 }],
    ["the slot before was never finished", { slot: slotAt(0) }],
    ["something changed since", { confirmed: { version: 7, changed: slotAt(2), states: 1 } }],
    ["an older ebb wrote the shard", { confirmed: undefined }],
  ])("is of no use if %s", (_name, change) => {
    const shardCache = openShardCache(100);
    shardCache.keep(shard("", 1), message(1), { hpas, loadedAt: slotAt(1) });
    expect(shardCache.take({ ...shard("", 1), ...change } as never, message(2))).toBeUndefined();
  });
});
