import { Fault } from "../../lib/model/fault";
import type { Cluster } from "../../lib/model/ports/cluster";
import type { Store } from "../../lib/model/ports/store";
import { fixture, queueSpec, slotAt } from "./sync-fixture";
import { stoppedAt } from "./interrupted";

type Day = ReturnType<typeof fixture>;

/** Down after 20 s: an observation holds the size in the next slot, and not in the one after it. */
const dayOfTen = (stabilizationWindowSeconds = 20) => {
  const behavior = { ...queueSpec.behavior, scaleDown: { stabilizationWindowSeconds } };
  const day = fixture({ spec: { ...queueSpec, behavior }, replicas: 10 });
  day.depth(50);
  return day;
};

const unread = (day: Day, message = "answered with 504"): Cluster => ({
  ...day.cluster,
  getScale: () => Promise.reject(new Fault("badAnswer", message)),
});

/** What the first run reads while ten are wanted. It closes the open recommendation. */
const readings: Readonly<Record<string, (day: Day) => Cluster>> = {
  "reads nothing": unread,
  "recommends another size": (day) => ({
    ...day.cluster,
    externalMetric: async (query, signal) =>
      (await day.cluster.externalMetric(query, signal)).map((item) => ({ ...item, value: "20" })),
  }),
};

/** Both runs of a slot have loaded. The first is about to write its state, the second to finish the slot. */
async function bothRun(
  day: Day,
  slot: number,
  { cluster, other = day.cluster, store = day.store }: { cluster: Cluster; other?: Cluster; store?: Store },
) {
  const writing = stoppedAt(store, "putState", "beforeEffect");
  const first = day.sync(slot, { store: writing.far, cluster });
  await writing.stopped;
  const finishing = stoppedAt(day.store, "replaceShard", "beforeEffect");
  const second = day.sync(slot, { store: finishing.far, cluster: other, afterMs: 300 });
  await finishing.stopped;
  return {
    finish: async () => {
      finishing.wake();
      expect(await second).toMatchObject({ outcome: "synced", behind: 0 });
    },
    write: async () => {
      writing.wake();
      return first;
    },
  };
}

describe.each(Object.entries(readings))("two runs of slot 2, of which the first %s", (_name, clusterOf) => {
  async function afterBoth() {
    const day = dayOfTen();
    await day.sync(1);
    const runs = await bothRun(day, 2, { cluster: clusterOf(day) });
    await runs.finish();
    expect(await runs.write()).toMatchObject({ outcome: "fenced" });
    day.depth(0);
    return day;
  }

  test("the second's observation holds the size for one window", async () => {
    const day = await afterBoth();
    await day.sync(3);
    expect(day.replicasNow()).toBe(10);
    await day.sync(4);
    expect(day.replicasNow()).toBe(0);
  });

  test("also when a wake comes before the next slot", async () => {
    const day = await afterBoth();
    await day.wake(slotAt(2) + 8_000); // 19 s ago, slot 1 is still in the window
    await day.sync(3);
    expect(day.replicasNow()).toBe(10);
    await day.sync(4);
    expect(day.replicasNow()).toBe(0);
  });

  test("also when the next slot does not reach it", async () => {
    const day = await afterBoth();
    const putState: Store["putState"] = () => Promise.reject(new Fault("throttled", "table: throttled"));
    expect(await day.sync(3, { store: { ...day.store, putState } })).toMatchObject({ behind: 1 });
    await day.sync(4, { afterMs: 100 }); // 20 s before it is after slot 2's beginning, for a window of 31 s
    expect(day.state()?.history?.recommendations).toContainEqual(
      expect.objectContaining({ replicas: 10, at: slotAt(2) + 300 }),
    );
  });

  /** The first dies after its write, and the second has not finished the slot yet. */
  async function afterDeath() {
    const day = dayOfTen();
    await day.sync(1);
    const dying: Store["replaceShard"] = () => Promise.reject(new Fault("timeout", "the run dies"));
    const store = { ...day.store, replaceShard: dying };
    const runs = await bothRun(day, 2, { cluster: clusterOf(day), store });
    await expect(runs.write()).rejects.toThrow("the run dies");
    day.depth(0);
    return { day, finish: runs.finish };
  }

  test("also when the slot is finished after the next one has loaded the shard", async () => {
    const { day, finish } = await afterDeath();
    const load: Store["load"] = async (...range) => {
      const contents = await day.store.load(...range);
      await finish();
      return contents;
    };
    await day.sync(3, { store: { ...day.store, load } });
    expect(day.replicasNow()).toBe(10);
    for (const slot of [4, 5]) await day.sync(slot); // held from slot 3's beginning on
    expect(day.replicasNow()).toBe(0);
  });

  test("also when a wake comes before the slot is finished", async () => {
    const { day, finish } = await afterDeath();
    await day.wake(slotAt(2) + 4_000);
    await finish();
    await day.sync(3);
    expect(day.replicasNow()).toBe(10);
    for (const slot of [4, 5]) await day.sync(slot);
    expect(day.replicasNow()).toBe(0);
  });

  test("costs one write in the next slot, and none after that", async () => {
    const day = await afterBoth();
    day.depth(50);
    const versions = [];
    for (let slot = 3; slot <= 5; slot++) {
      const before = day.state()?.version ?? 0;
      await day.sync(slot);
      versions.push((day.state()?.version ?? 0) - before);
    }
    expect(versions).toEqual([1, 0, 0]);
  });
});

test("messages that come twice do not keep a recommendation alive that no run has seen again", async () => {
  const day = dayOfTen();
  await day.sync(1);
  for (let slot = 2; slot <= 3; slot++) {
    const [first, second] = [
      day.sync(slot, { cluster: unread(day) }),
      day.sync(slot, { cluster: unread(day), afterMs: 300 }),
    ];
    await Promise.all([first, second]);
  }
  day.depth(0);
  await day.sync(4);
  expect(day.replicasNow()).toBe(0);
});

test("nor does a run that writes for another reason", async () => {
  const day = dayOfTen(40);
  await day.sync(1);
  await day.sync(2, { cluster: unread(day) });
  const runs = await bothRun(day, 3, { cluster: unread(day, "refused"), other: unread(day) });
  await runs.finish();
  await runs.write();
  day.depth(0);
  await day.sync(4); // ten were last seen 45 s ago
  expect(day.replicasNow()).toBe(0);
});

test("the second's observation stays, also if the next slot reads nothing", async () => {
  const day = dayOfTen(40);
  await day.sync(1);
  const runs = await bothRun(day, 2, { cluster: unread(day) });
  await runs.finish();
  await runs.write();
  await day.sync(3, { cluster: unread(day) });
  day.depth(0);
  await day.sync(4);
  expect(day.replicasNow()).toBe(10);
  await day.sync(5);
  expect(day.replicasNow()).toBe(0);
});

test("the second's observation counts, also if the first scales", async () => {
  const day = dayOfTen();
  await day.sync(1);
  const finishing = stoppedAt(day.store, "replaceShard", "beforeEffect");
  const second = day.sync(2, { store: finishing.far, afterMs: 300 });
  await finishing.stopped;
  day.cluster.add("shop/orders", 12); // above maxReplicas, so the metrics decide nothing
  const fencing = stoppedAt(day.store, "replaceShard", "beforeEffect");
  const first = day.sync(2, { store: fencing.far });
  await fencing.stopped;
  expect(day.replicasNow()).toBe(10);
  finishing.wake();
  expect(await second).toMatchObject({ outcome: "synced" });
  fencing.wake();
  expect(await first).toMatchObject({ outcome: "fenced", scaled: 1 });
  day.depth(0);
  await day.sync(3);
  expect(day.replicasNow()).toBe(10);
});

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
