import type { Store } from "../../lib/model/ports/store";
import { document, fixture, queueSpec, slotAt } from "./sync-fixture";

/** Between an announcement and its scale write, each HPA asks whose it is. */
function twoHpas() {
  const day = fixture();
  day.store.documents.delete("prod shop/orders");
  for (const name of ["early", "late"]) {
    const spec = { ...queueSpec, scaleTargetRef: { ...queueSpec.scaleTargetRef, name } };
    day.store.documents.set(`prod shop/${name}`, document(spec, `shop/${name}`));
    day.cluster.add(`shop/${name}`, 1);
  }
  day.depth(40);
  return day;
}

test("a run leaves HPAs to the shard that a tick has given them meanwhile", async () => {
  const day = twoHpas();
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
