import type { Store } from "../../lib/model/ports";
import { document, fixture, queueSpec, slotAt } from "./sync-fixture";

/** Between an announcement and its scale write, each HPA asks whether a newer slot was finished. Many ask at once. */
const nextTurn = () => new Promise((done) => setImmediate(done));

function fleetOf(names: readonly string[]) {
  const day = fixture();
  day.store.documents.delete("prod shop/orders");
  for (const name of names) {
    const spec = { ...queueSpec, scaleTargetRef: { ...queueSpec.scaleTargetRef, name } };
    day.store.documents.set(`prod shop/${name}`, document(spec, `shop/${name}`));
    day.cluster.add(`shop/${name}`, 1);
  }
  day.depth(names.length * 20);
  return day;
}

test("a hundred HPAs that scale at once share their reads of the shard, and all scale", async () => {
  const names = Array.from({ length: 100 }, (_, at) => `orders-${at}`);
  const day = fleetOf(names);
  let reads = 0;
  const shard: Store["shard"] = async (range, signal) => {
    reads += 1;
    const current = await day.store.shard(range, signal);
    await nextTurn();
    return current;
  };
  await day.sync(1, { store: { ...day.store, shard } });
  expect(day.cluster.writes).toHaveLength(100);
  expect(reads).toBeLessThan(40);
});

test("a check that began before an announcement does not answer for it", async () => {
  const day = fleetOf(["early", "late"]);
  let reads = 0;
  let begun = () => {};
  const firstCheck = new Promise<void>((done) => (begun = done));
  let lateIsAnnounced = () => {};
  const lateAsks = new Promise<void>((done) => (lateIsAnnounced = done));

  const store: Store = {
    ...day.store,
    async shard(range, signal) {
      const current = await day.store.shard(range, signal);
      reads += 1;
      if (reads !== 2) return current;
      // The first check has read. Meanwhile a newer slot is finished, and the other HPA announces and asks.
      begun();
      await lateAsks;
      for (let turn = 0; turn < 5; turn++) await nextTurn();
      return current;
    },
    async putState(cluster, key, state, signal) {
      if (key === "shop/late" && state.intent !== undefined) {
        await firstCheck;
        const newer = day.store.shardItems.get("prod#");
        if (newer === undefined) throw new Error("expected a shard");
        day.store.shardItems.set("prod#", { ...newer, version: newer.version + 1, slot: slotAt(2) });
      }
      const written = await day.store.putState(cluster, key, state, signal);
      if (key === "shop/late") lateIsAnnounced();
      return written;
    },
  };
  await day.sync(1, { store });
  expect(day.cluster.writes.map(({ target }) => target)).toEqual(["shop/early"]);
  expect(day.store.stateItems.get("prod shop/late")?.intent).toBeUndefined();
});

test("a run leaves HPAs to the shard that a tick has given them meanwhile", async () => {
  const day = fleetOf(["early", "late"]);
  const store: Store = {
    ...day.store,
    async putState(cluster, key, state, signal) {
      const written = await day.store.putState(cluster, key, state, signal);
      const whole = day.store.shardItems.get("prod#");
      if (whole === undefined) throw new Error("expected a shard");
      // Its new shard has finished this slot already.
      const right = { ...whole, from: "shop/late", slot: slotAt(1), heartbeat: slotAt(1) };
      day.store.shardItems.set("prod#shop/late", right);
      day.store.shardItems.set("prod#", { ...whole, version: whole.version + 1, to: "shop/late" });
      return written;
    },
  };
  await day.sync(1, { store });
  expect(day.cluster.writes.map(({ target }) => target)).toEqual(["shop/early"]);
  expect(day.store.stateItems.get("prod shop/late")?.intent).toBeUndefined();
});
