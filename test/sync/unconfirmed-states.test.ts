import { Fault } from "../../lib/model/fault";
import type { Cluster } from "../../lib/model/ports/cluster";
import { stoppedAt } from "./interrupted";
import { document, fixture, periodMs, queueSpec, slotAt } from "./sync-fixture";

/**
 * Slot 1 comes twice. Its first run reads nothing, and its write of the state, which closes 10, is applied after slot 3
 * has loaded the shard. Slots 1 to 3 see 10, which is open, and finish. Down after 40 s:
 *
 *     slot 1         slot 2   slot 3    the write of slot 1 is applied    slot 4: 0 is wanted
 *     :15 10 ✎ …     :30 10   :45 10    :50 10 is closed, seen :00   :00 10 was seen 15 s ago
 */
async function dayOfALateWrite() {
  const behavior = { ...queueSpec.behavior, scaleDown: { stabilizationWindowSeconds: 40 } };
  const day = fixture({ spec: { ...queueSpec, behavior }, replicas: 10 });
  day.store.documents.set("prod shop/neighbour", document({ ...queueSpec, scaleTargetRef: other }, "shop/neighbour"));
  day.cluster.add("shop/neighbour", 10);
  day.depth(50);
  await day.sync(0);
  const writing = stoppedAt(day.store, "putState", "beforeEffect");
  const unread: Cluster["getScale"] = (target, ...rest) =>
    target.name === "orders"
      ? Promise.reject(new Fault("badAnswer", "answered with 504"))
      : day.cluster.getScale(target, ...rest);
  const first = day.sync(1, { store: writing.far, cluster: { ...day.cluster, getScale: unread } });
  await writing.stopped;
  for (const index of [1, 2, 3]) expect(await day.sync(index, { afterMs: 300 })).toMatchObject({ behind: 0 });
  return {
    day,
    async lands(): Promise<void> {
      day.clock.now = slotAt(3) + 5_000;
      writing.wake();
      await first;
      expect(day.state()).toMatchObject({ slot: slotAt(1), open: false });
      day.depth(0);
    },
  };
}

const other = { apiVersion: "apps/v1", kind: "Deployment", name: "neighbour" };

type Late = Awaited<ReturnType<typeof dayOfALateWrite>>;

/** Until 40 s after slot 3 saw it, and no longer. */
async function expectHeld({ day }: Late): Promise<void> {
  for (const index of [4, 5]) {
    await day.sync(index);
    expect([index, day.replicasNow()]).toEqual([index, 10]);
  }
  await day.sync(6);
  expect(day.replicasNow()).toBe(0);
}

describe("a state that is written three slots late", () => {
  test("cuts no window", async () => {
    const late = await dayOfALateWrite();
    await late.lands();
    await expectHeld(late);
  });

  test.each([
    ["another HPA is woken before it lands", ["neighbour"], false],
    ["another HPA is woken after it has landed", ["neighbour"], true],
    ["the HPA itself is woken after it has landed", ["orders"], true],
    ["40 HPAs are woken at once", [...Array.from({ length: 40 }, (_, index) => `gone-${index}`), "neighbour"], true],
  ])("cuts no window if %s", async (_name, names, isApplied) => {
    const late = await dayOfALateWrite();
    if (isApplied) await late.lands();
    await late.day.wake(slotAt(3) + 6_000, { names });
    expect(late.day.replicasNow()).toBe(10);
    if (!isApplied) await late.lands();
    await expectHeld(late);
  });

  test("cuts no window if a slot before it had a write without an answer", async () => {
    const late = await dayOfALateWrite();
    const { day } = late;
    await late.lands();
    day.depth(50);
    const unanswered = new Fault("timeout", "no answer");
    const putState: typeof day.store.putState = (cluster, key, ...rest) =>
      key === "shop/neighbour" ? Promise.reject(unanswered) : day.store.putState(cluster, key, ...rest);
    day.cluster.scales.get("shop/neighbour")!.replicas = 3;
    expect(await day.sync(4, { store: { ...day.store, putState } })).toMatchObject({ behind: 1 });
    expect(day.state()?.history?.recommendations.some(({ at }) => at >= slotAt(3))).toBe(true);
  });

  test("cuts no window if a tick splits the shard", async () => {
    const late = await dayOfALateWrite();
    await late.lands();
    const shard = late.day.shardNow()!;
    late.day.store.shardItems.set("prod#", { ...shard, version: shard.version + 1, to: "team/" });
    await expectHeld(late);
  });
});

test("a wake holds a size no longer than the last slot saw it: what slot 1 closed by itself is not unconfirmed", async () => {
  const behavior = { ...queueSpec.behavior, scaleDown: { stabilizationWindowSeconds: 40 } };
  const day = fixture({ spec: { ...queueSpec, behavior }, replicas: 10 });
  day.depth(50);
  await day.sync(0);
  day.depth(0);
  await day.sync(1);
  await day.wake(slotAt(1) + 5_000);
  for (const index of [2, 3]) await day.sync(index);
  expect(day.replicasNow()).toBe(0); // 10 was seen in slot 0 alone, 45 s ago
  expect(periodMs).toBe(15_000);
});
