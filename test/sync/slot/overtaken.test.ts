import type { Shard } from "../../../lib/model/stored/shard";
import { fixture, slotAt } from "../sync-fixture";

/** A run looks at its shard after it has announced a scale, and before it writes one. */
async function scaledBeside(change: (shard: Shard) => Shard | undefined) {
  const day = fixture();
  const { store } = day;
  day.depth(50);
  await day.sync(1, {
    store: {
      ...store,
      async putState(...written) {
        const result = await store.putState(...written);
        const shard = store.shardItems.get("prod#");
        const next = shard && change(shard);
        store.shardItems.clear();
        if (next !== undefined) store.shardItems.set("prod#", { ...next, version: next.version + 1 });
        return result;
      },
    },
  });
  const hasIntent = day.store.stateItems.get("prod shop/orders")?.intent !== undefined;
  return { writes: day.cluster.writes.length, hasIntent };
}

test.each<[string, number, (shard: Shard) => Shard | undefined]>([
  ["writes nothing else", 1, (shard) => shard],
  ["finishes an older slot", 1, (shard) => ({ ...shard, slot: slotAt(0) })],
  ["splits the shard behind this HPA", 1, (shard) => ({ ...shard, to: "shop/z" })],
  ["finishes this slot", 0, (shard) => ({ ...shard, slot: slotAt(1) })],
  ["finishes a later slot", 0, (shard) => ({ ...shard, slot: slotAt(2) })],
  ["gives this HPA to another shard", 0, (shard) => ({ ...shard, to: "shop/a" })],
  ["deletes the shard", 0, () => undefined],
])("another run that %s meanwhile: %i writes of the scale, and no open announcement", async (_what, writes, change) => {
  expect(await scaledBeside(change)).toEqual({ writes, hasIntent: false });
});
