import type { Store } from "../../lib/model/ports/store";
import { isLeftAtZero } from "../../lib/model/hpa-signs";
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

describe("an HPA that gets another name while its target is at the HPA's own zero", () => {
  async function renamed(status?: object) {
    const spec = { ...queueSpec, behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } };
    const day = fixture({ spec });
    await day.sync(1);
    day.depth(0);
    await day.sync(2);
    expect(day.replicasNow()).toBe(0);
    const old = day.state()!.status;
    day.store.documents.delete("prod shop/orders");
    const given = document(spec, "shop/renamed") as object;
    day.store.documents.set("prod shop/renamed", { ...given, ...(status && { status: { ...old, ...status } }) });
    day.depth(30);
    await day.sync(3);
    return { day, state: day.store.stateItems.get("prod shop/renamed")! };
  }

  test("stays at zero, as with upstream, and ebb doctor names it", async () => {
    const { day, state } = await renamed();
    expect(day.replicasNow()).toBe(0);
    expect(isLeftAtZero(state.decision)).toBe(true);
    await day.sync(4);
    expect(day.replicasNow()).toBe(0);
    day.cluster.scales.get("shop/orders")!.replicas = 1; // what doctor says to do
    await day.sync(5);
    expect(day.replicasNow()).toBe(5);
  });

  test("wakes if its entry has the status of the old one", async () => {
    const { day, state } = await renamed({});
    expect(day.replicasNow()).toBe(4);
    expect(isLeftAtZero(state.decision)).toBe(false);
  });
});
