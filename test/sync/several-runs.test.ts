import { Fault } from "../../lib/model/fault";
import type { Store } from "../../lib/model/ports";
import { fixture, slotAt } from "./sync-fixture";

test("a slot that comes again after a wake leaves the HPA to the next one, also if the slot has written its state", async () => {
  const day = fixture();
  day.depth(20);
  const dying: Store["replaceShard"] = () => Promise.reject(new Fault("throttled", "table: throttled"));
  await expect(day.sync(1, { store: { ...day.store, replaceShard: dying } })).rejects.toThrow("table: throttled");
  await day.wake(slotAt(1) + 2_000);
  expect(await day.sync(1, { afterMs: 4_000 })).toMatchObject({ outcome: "synced", behind: 1 });
  expect(day.shardNow()).toMatchObject({ slot: slotAt(1), behind: { "shop/orders": 0 } });
  expect(await day.sync(2)).toMatchObject({ behind: 0 });
});
