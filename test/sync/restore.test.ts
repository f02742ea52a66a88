import { type HpaSpec } from "../../lib/k8s/hpa";
import { Fault } from "../../lib/model/fault";
import type { Cluster } from "../../lib/model/ports/cluster";
import { isLeftAtZero } from "../../lib/model/hpa-signs";
import { memoryItems, type MemoryItems } from "../fakes/memory-items";
import { memoryStore } from "../fakes/memory-store";
import { document, fixture, periodMs, queueSpec, slotAt } from "./sync-fixture";

/**
 * The table is put back to an older moment (point-in-time recovery) while the cluster keeps running: slots, versions
 * and states are older than what the cluster shows, and docs/deploy.md (Backup and restore) says what follows.
 */
type Day = ReturnType<typeof fixture>;

function backUp(items: MemoryItems): MemoryItems {
  const { clusterEntries, sourceEntries, documents, stateItems, shardItems } = items;
  const { decisions, eventItems, latestItems, idleItems, indexItems, leases, broken } = items;
  return structuredClone({
    ...{ clusterEntries, sourceEntries, documents, stateItems, shardItems },
    ...{ decisions, eventItems, latestItems, idleItems, indexItems, leases, broken },
  });
}

function putBack(items: MemoryItems, backup: MemoryItems): void {
  const { decisions, ...maps } = structuredClone(backup);
  for (const [kind, entries] of Object.entries(maps)) {
    const map = items[kind as keyof typeof maps] as Map<string, unknown>;
    map.clear();
    for (const [key, value] of entries) map.set(key, value);
  }
  items.decisions.splice(0, items.decisions.length, ...decisions);
}

const isActive = (day: Day) => day.condition("ScalingActive");
const spec = (more: Partial<HpaSpec> = {}): HpaSpec => ({ ...queueSpec, ...more });

test("the size that was reached since then stays, and growth continues from it", async () => {
  const day = fixture({ spec: spec({ maxReplicas: 40 }) });
  day.depth(200);
  await day.sync(1); // 1 → 5
  const backup = backUp(day.store);
  for (let slot = 2; slot <= 4; slot++) await day.sync(slot);
  expect(day.replicasNow()).toBe(17);
  putBack(day.store, backup);
  await day.sync(5);
  // 4 pods in 15 s from the size that the cluster shows, not from the backup's 5.
  expect(day.replicasNow()).toBe(21);
  expect(day.cluster.writes.map(({ to }) => to)).toEqual([5, 9, 13, 17, 21]);
  expect(day.state()).toMatchObject({ slot: slotAt(5), status: { currentReplicas: 17, desiredReplicas: 21 } });
});

test("a scale event that the backup has still counts in the rate limit", async () => {
  const behavior = { scaleUp: { policies: [{ type: "Pods", value: 4, periodSeconds: 60 }] } };
  const day = fixture({ spec: spec({ behavior, maxReplicas: 40 }) });
  day.depth(200);
  await day.sync(1); // 1 → 5
  const backup = backUp(day.store);
  await day.sync(2);
  putBack(day.store, backup);
  const sizes: (number | undefined)[] = [];
  for (let slot = 3; slot <= 6; slot++) {
    await day.sync(slot);
    sizes.push(day.replicasNow());
  }
  // The event of slot 1 leaves the limit 60 s later.
  expect(sizes).toEqual([5, 5, 9, 9]);
});

test("a recommendation that the backup has still holds back a scale-down", async () => {
  const day = fixture({ spec: spec({ behavior: { scaleDown: { stabilizationWindowSeconds: 120 } } }) });
  day.depth(40);
  await day.sync(1);
  await day.sync(2);
  const backup = backUp(day.store);
  day.depth(5);
  await day.sync(3);
  putBack(day.store, backup);
  for (let slot = 4; slot <= 11; slot++) await day.sync(slot);
  expect(day.replicasNow()).toBe(8);
  // 8 was last recommended in slot 2. In the backup, slot 3 is not finished, so its run could still say that it saw 8.
  await day.sync(12);
  await day.sync(13);
  expect(day.replicasNow()).toBe(1);
});

test("a zero from before the backup wakes", async () => {
  const day = fixture();
  day.depth(0);
  for (let slot = 1; slot <= 6; slot++) await day.sync(slot);
  expect(day.replicasNow()).toBe(0);
  const backup = backUp(day.store);
  for (let slot = 7; slot <= 9; slot++) await day.sync(slot);
  putBack(day.store, backup);
  day.depth(20);
  await day.sync(10);
  expect(day.replicasNow()).toBe(4);
});

test("a zero from before the backup that woke since then stays awake", async () => {
  const day = fixture();
  day.depth(0);
  for (let slot = 1; slot <= 6; slot++) await day.sync(slot);
  const backup = backUp(day.store);
  day.depth(20);
  await day.sync(7); // 0 → 4
  putBack(day.store, backup);
  await day.sync(8);
  expect(day.replicasNow()).toBe(4);
  expect(day.cluster.writes.map(({ to }) => to)).toEqual([0, 4]);
});

test("a zero from after the backup looks like somebody else's: it stays, says so, and is ours again once it was woken", async () => {
  const day = fixture();
  day.depth(5);
  await day.sync(1);
  const backup = backUp(day.store);
  day.depth(0);
  for (let slot = 2; slot <= 7; slot++) await day.sync(slot);
  expect(day.replicasNow()).toBe(0);
  putBack(day.store, backup);
  day.depth(20);
  await day.sync(8);
  expect(day.replicasNow()).toBe(0);
  expect(isActive(day)).toMatchObject({ status: "False", reason: "ScalingDisabled" });
  // What the page tells people to do: kubectl scale --replicas=1.
  const scale = day.cluster.scales.get("shop/orders");
  if (scale) scale.replicas = 1;
  day.cluster.touch("shop/orders");
  await day.sync(9);
  expect(day.replicasNow()).toBe(4);
  day.depth(0);
  for (let slot = 10; slot <= 16; slot++) await day.sync(slot);
  expect(day.replicasNow()).toBe(0);
  day.depth(20);
  await day.sync(17);
  expect(day.replicasNow()).toBe(4);
});

test("an entry with the status that the backup shows wakes its zero, without the states", async () => {
  const day = fixture();
  day.depth(0);
  for (let slot = 1; slot <= 6; slot++) await day.sync(slot);
  const status = day.state()?.status;
  const empty = { ...day.shardNow()!, version: 1, slot: 0, heartbeat: slotAt(6) };
  day.store.stateItems.clear();
  day.store.shardItems.set("prod#", empty);
  day.store.documents.set("prod shop/orders", { ...(document(queueSpec) as object), status });
  day.depth(20);
  await day.sync(20);
  expect(day.replicasNow()).toBe(4);
});

test.each([
  ["landed long ago", 4],
  ["never landed", 1],
])("an open intent of the backup whose write %s is not repeated", async (_name, size) => {
  const day = fixture();
  const lost: Cluster["putScale"] = () => Promise.reject(new Fault("lost", "no answer"));
  day.depth(20);
  await day.sync(1, { cluster: { ...day.cluster, putScale: lost } });
  const backup = backUp(day.store);
  expect(backup.stateItems.get("prod shop/orders")?.intent).toMatchObject({ from: 1, to: 4 });
  const scale = day.cluster.scales.get("shop/orders");
  if (scale) scale.replicas = size;
  day.cluster.touch("shop/orders");
  putBack(day.store, backup);
  day.depth(size * 5);
  for (let slot = 200; slot <= 202; slot++) await day.sync(slot);
  expect(day.replicasNow()).toBe(size);
  expect(day.cluster.writes.map(({ to }) => to)).toEqual([]);
  expect(day.state()?.intent).toBeUndefined();
});

test("messages of slots that the restored table has not seen, delivered again, change nothing", async () => {
  const day = fixture();
  day.depth(20);
  await day.sync(1);
  const backup = backUp(day.store);
  for (let slot = 2; slot <= 6; slot++) await day.sync(slot);
  putBack(day.store, backup);
  const before = structuredClone(day.store.stateItems);
  for (let slot = 2; slot <= 5; slot++) {
    expect(await day.sync(slot, { afterMs: 7 * periodMs })).toMatchObject({ outcome: "late" });
  }
  expect(day.store.stateItems).toEqual(before);
});

test("a run of before the restore, paused until after it, writes nothing", async () => {
  const day = fixture({ spec: spec({ maxReplicas: 40 }) });
  day.depth(5);
  await day.sync(1);
  const backup = backUp(day.store);
  day.depth(200);
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const putScale: Cluster["putScale"] = async (target, scale, signal) => {
    await held;
    return day.cluster.putScale(target, scale, signal);
  };
  const paused = day.sync(2, { cluster: { ...day.cluster, putScale } });
  for (let run = 0; run < 200; run++) await Promise.resolve();
  putBack(day.store, backup);
  day.depth(5);
  await day.sync(3);
  day.cluster.touch("shop/orders"); // The target's status moves on, as it does with its pods.
  release();
  await paused;
  await day.sync(4);
  expect(day.cluster.writes).toEqual([]);
  expect(day.state()?.intent).toBeUndefined();
});

/** The old stack runs on beside one on the restored table. Nobody should do that; this is what happens. */
test("two tables at once: within the bounds, awake while there is work, and right once one of them stops", async () => {
  const day = fixture({ spec: spec({ behavior: { scaleDown: { stabilizationWindowSeconds: 60 } } }) });
  const other = memoryItems();
  const second = memoryStore(() => day.clock.now, { items: other });
  day.depth(20);
  await day.sync(1);
  putBack(other, backUp(day.store));
  const depths = [20, 45, 45, 5, 5, 5, 5, 5, 0, 0, 0, 0, 0, 0, 0, 30, 30, 30, 30, 0, 0, 0, 0, 0, 0, 50, 50, 50];
  for (const [index, depth] of depths.entries()) {
    day.depth(depth);
    const slot = index + 2;
    await Promise.all([day.sync(slot), day.sync(slot, { store: second })]);
    const replicas = day.replicasNow() ?? -1;
    expect(replicas).toBeGreaterThanOrEqual(0);
    expect(replicas).toBeLessThanOrEqual(10);
    if (depth > 0) expect([slot, replicas]).not.toEqual([slot, 0]);
  }
  expect(day.replicasNow()).toBe(10);
  day.depth(15);
  for (let slot = 40; slot <= 46; slot++) await day.sync(slot, { store: second });
  expect(day.replicasNow()).toBe(3);
});

/** The cluster is put back to an older moment, and the table is not: the target has its size and version of then. */
describe("a cluster that is put back to a moment at which its target was at our zero", () => {
  async function wokenDay() {
    const day = fixture();
    day.depth(0);
    for (let slot = 1; slot <= 6; slot++) await day.sync(slot);
    const target = day.cluster.scales.get("shop/orders")!;
    const zero = { ...target };
    expect(zero.replicas).toBe(0);
    day.depth(20);
    await day.sync(7);
    expect(day.replicasNow()).toBe(4);
    return { day, putBack: (more: object = {}) => void Object.assign(target, zero, more) };
  }

  test.each([
    ["at once", 8],
    ["days later", 20_000],
  ])("wakes, %s", async (_name, slot) => {
    const { day, putBack } = await wokenDay();
    putBack();
    await day.sync(slot);
    expect(day.replicasNow()).toBe(4);
    expect(day.condition("ScaledToZero")).toMatchObject({ status: "False" });
  });

  test("stays at zero while there is no work, as ours", async () => {
    const { day, putBack } = await wokenDay();
    day.depth(0);
    putBack();
    await day.sync(8);
    expect(day.replicasNow()).toBe(0);
    expect(day.condition("ScaledToZero")).toMatchObject({ status: "True" });
    day.depth(20);
    await day.sync(9);
    expect(day.replicasNow()).toBe(4);
  });

  test("also if it has gone to zero and woken many times since the entry was made", async () => {
    const { day, putBack } = await wokenDay();
    for (const [from, depth] of [
      [8, 0],
      [20, 20],
    ] as const) {
      day.depth(depth);
      for (let slot = from; slot < from + 12; slot++) await day.sync(slot);
    }
    const last = { ...day.cluster.scales.get("shop/orders")!, resourceVersion: Number(day.state()?.lastZero) };
    putBack({ ...last, replicas: 0 });
    await day.sync(40);
    expect(day.replicasNow()).toBe(4);
  });

  test.each([
    ["has another resourceVersion: a person may have made this zero", { resourceVersion: 9_999 }],
    ["was made again", { uid: "another", resourceVersion: 9_999 }],
    ["was made again with a resourceVersion of then", { uid: "another" }],
  ])("sleeps if the target %s", async (_name, more) => {
    const { day, putBack } = await wokenDay();
    putBack(more);
    for (const slot of [8, 9]) await day.sync(slot);
    expect(day.replicasNow()).toBe(0);
    expect(isActive(day)).toMatchObject({ status: "False", reason: "ScalingDisabled" });
    expect(isLeftAtZero(day.state()!.decision)).toBe(true); // `ebb doctor` and `ebb status` say so, and how to wake it
  });

  test("a person's zero of that moment stays a person's", async () => {
    const day = fixture();
    const target = day.cluster.scales.get("shop/orders")!;
    target.replicas = 0;
    day.cluster.touch("shop/orders");
    const zero = { ...target };
    day.depth(20);
    await day.sync(1);
    target.replicas = 2;
    day.cluster.touch("shop/orders");
    await day.sync(2);
    Object.assign(target, zero);
    await day.sync(3);
    expect(day.replicasNow()).toBe(0);
    expect(isActive(day)).toMatchObject({ reason: "ScalingDisabled" });
  });

  test("a size above zero stays, and is scaled on from there", async () => {
    const { day, putBack } = await wokenDay();
    putBack({ replicas: 2 });
    await day.sync(8);
    expect(day.replicasNow()).toBe(4);
  });
});
