import { Fault } from "../../../lib/model/fault";
import type { Cluster } from "../../../lib/model/ports/cluster";
import { interrupted } from "../interrupted";
import { document, fixture, queueSpec, slotAt, start } from "../sync-fixture";

test("a scaling is an event", async () => {
  const day = fixture();
  day.depth(20);
  await day.sync(1);
  expect(await day.eventsNow()).toEqual([
    "SuccessfulRescale x1: New size: 4; reason: external metric depth(nil) above target",
  ]);
});

test("a lasting failure is an event in each slot, though it is news once", async () => {
  const day = fixture();
  for (const slot of [1, 2, 3]) await day.sync(slot);
  expect(await day.eventsNow()).toEqual([
    expect.stringMatching(/^FailedGetExternalMetric x3: unable to get external metric shop\/depth/),
    expect.stringMatching(/^FailedComputeMetricsReplicas x3: invalid metrics \(1 invalid out of 1\)/),
  ]);
  expect(day.lines).toHaveLength(1);
});

test("an idle slot reads and writes no events", async () => {
  const day = fixture();
  day.depth(5);
  for (const slot of [1, 2, 3]) await day.sync(slot);
  expect(day.store.calls).not.toHaveProperty("eventLogs");
  expect(day.store.calls).not.toHaveProperty("replaceEvents");
});

test("an HPA with a lasting failure costs little: its events soon take one write in five minutes", async () => {
  const day = fixture();
  for (let slot = 1; slot <= 100; slot++) await day.sync(slot);
  // Two warnings a slot: 25 of them use up what may be recorded at once, within 13 slots; then come 4 in what is left
  // of 25 minutes.
  expect(day.store.calls.eventLogs).toBe(1);
  expect(day.store.calls.replaceEvents).toBe(13 + 4);
  expect(day.store.calls.putState).toBe(1);
});

test("an entry that cannot be used is an event", async () => {
  const day = fixture();
  day.store.documents.set("prod shop/orders", document({ ...queueSpec, maxReplicas: 0 }));
  await day.sync(1);
  await day.sync(2);
  expect(await day.eventsNow()).toEqual([expect.stringMatching(/^InvalidEntry x2: spec.maxReplicas: Required value/)]);
});

test("a scale write that is refused is a FailedRescale and no SuccessfulRescale", async () => {
  const day = fixture();
  day.depth(20);
  const putScale = () => Promise.reject(new Fault("forbidden", "deployments.apps is forbidden", { status: 403 }));
  await day.sync(1, { cluster: { ...day.cluster, putScale } });
  expect(await day.eventsNow()).toEqual([
    "FailedRescale x1: New size: 4; reason: external metric depth(nil) above target; error: deployments.apps is forbidden",
  ]);
});

test("a scale write with an unknown outcome is no SuccessfulRescale until the outcome is known", async () => {
  const day = fixture();
  day.depth(20);
  let isAway = false;
  const away = () => Promise.reject(new Fault("timeout", "no answer"));
  const getScale: Cluster["getScale"] = (...args) => (isAway ? away() : day.cluster.getScale(...args));
  const putScale: Cluster["putScale"] = async (...args) => {
    await day.cluster.putScale(...args);
    isAway = true;
    throw new Fault("lost", "no answer; whether it was done is not known");
  };
  await day.sync(1, { cluster: { ...day.cluster, putScale, getScale } });
  expect(await day.eventsNow()).toEqual([expect.stringMatching(/^UnknownRescale x1: New size: 4 \(from 1\)/)]);
  await day.sync(2);
  expect(await day.eventsNow()).toEqual([
    expect.stringMatching(/^UnknownRescale x1/),
    "SuccessfulRescale x1: New size: 4; reason: external metric depth(nil) above target",
  ]);
});

test("a scale whose run died is reported by the run that finds it", async () => {
  const day = fixture();
  day.depth(20);
  const scaled = interrupted(day, 8, true);
  const dead = day.sync(1, scaled);
  await Promise.race([dead, scaled.stopped]);
  expect(day.replicasNow()).toBe(4);
  expect(await day.eventsNow()).toEqual([]);
  await day.sync(2);
  expect(await day.eventsNow()).toEqual([
    "SuccessfulRescale x1: New size: 4; reason: external metric depth(nil) above target",
  ]);
});

test("two runs of one slot emit its events once", async () => {
  const day = fixture();
  await Promise.all([day.sync(1), day.sync(1)]);
  await day.sync(1);
  expect((await day.eventsNow()).map((line) => line.split(":")[0])).toEqual([
    "FailedGetExternalMetric x1",
    "FailedComputeMetricsReplicas x1",
  ]);
});

test("events that cannot be saved stop nothing else", async () => {
  const day = fixture();
  day.depth(20);
  const store = { ...day.store, eventLogs: () => Promise.reject(new Fault("throttled", "table ebb: throttled")) };
  expect(await day.sync(1, { store })).toMatchObject({ outcome: "synced", scaled: 1, failed: 0 });
  expect(day.shardNow()?.slot).toBe(slotAt(1));
  expect(day.failures).toEqual([
    {
      cluster: "prod",
      key: "shop/orders",
      reason: "FailedRecordEvents",
      message: "table ebb: throttled",
      at: start + 15_200,
    },
  ]);
});

describe("an HPA whose entry is gone", () => {
  const scaledOnce = async () => {
    const day = fixture();
    day.depth(20);
    await day.sync(1);
    day.store.documents.delete("prod shop/orders");
    return day;
  };

  test("leaves nothing", async () => {
    const day = await scaledOnce();
    expect([day.store.decisions.length, day.store.eventItems.size]).toEqual([1, 1]);
    await day.sync(2);
    expect(day.store.decisions).toEqual([]);
    expect([day.store.eventItems.size, day.store.stateItems.size]).toEqual([0, 0]);
  });

  test("keeps its state until all else is gone, so that a later slot can continue", async () => {
    const day = await scaledOnce();
    const deleteRecords = () => Promise.reject(new Fault("throttled", "table ebb: throttled"));
    await day.sync(2, { store: { ...day.store, deleteRecords } });
    expect(day.state()).toBeDefined();
    await day.sync(3, { store: { ...day.store, deleteRecords: () => Promise.resolve(false) } });
    expect(day.state()).toBeDefined();
    await day.sync(4);
    expect([day.state(), day.store.eventItems.size]).toEqual([undefined, 0]);
  });

  test("that comes back starts with no events", async () => {
    const day = await scaledOnce();
    await day.sync(2);
    day.store.documents.set("prod shop/orders", document(queueSpec));
    day.depth(50);
    await day.sync(3);
    expect(await day.eventsNow()).toEqual([
      "SuccessfulRescale x1: New size: 8; reason: external metric depth(nil) above target",
    ]);
  });
});
