import { document, fixture, queueSpec, slotAt } from "./sync-fixture";

/** `ebb adopt hpa` names one zero of one object: the sync takes over that one, and no other. */
const spec = { ...queueSpec, behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } };

type Day = ReturnType<typeof fixture>;

const target = (day: Day) => day.cluster.scales.get("shop/orders")!;
const zeroOf = (day: Day) => `${target(day).uid}/${target(day).resourceVersion}`;

function ask(day: Day, zero: string, annotations = {}): void {
  const given = document(spec) as { readonly metadata: object };
  const metadata = { ...given.metadata, annotations: { "ebb.dev/adopt-zero": zero, ...annotations } };
  day.store.documents.set("prod shop/orders", { ...given, metadata });
}

/** Somebody else's zero, and work. */
async function asleep(): Promise<Day> {
  const day = fixture({ spec, replicas: 0 });
  day.depth(20);
  await day.sync(1);
  expect(day.replicasNow()).toBe(0);
  return day;
}

function scaleTo(day: Day, replicas: number): void {
  target(day).replicas = replicas;
  day.cluster.touch("shop/orders");
}

test("an adopted zero wakes, with the next wake of its HPA", async () => {
  const day = await asleep();
  ask(day, zeroOf(day));
  await day.wake(slotAt(1) + 5_000);
  expect(day.replicasNow()).toBe(4);
  await day.sync(2);
  expect(day.condition("ScaledToZero")).toMatchObject({ status: "False" });
});

test("an adopted zero without work stays, as ebb's", async () => {
  const day = await asleep();
  day.depth(0);
  ask(day, zeroOf(day));
  await day.sync(2);
  expect(day.replicasNow()).toBe(0);
  expect(day.condition("ScaledToZero")).toMatchObject({
    status: "True",
    message: "ebb adopted the zero of another, as a person asked",
  });
  day.depth(20);
  await day.sync(3);
  expect(day.replicasNow()).toBe(4);
});

test.each<[string, (day: Day) => void]>([
  ["a person scaled it up and to zero again", (day) => [2, 0].forEach((replicas) => scaleTo(day, replicas))],
  ["the target was made again", (day) => (target(day).uid = "another")],
])("a request that arrives after %s adopts nothing", async (_what, meanwhile) => {
  const day = await asleep();
  const zero = zeroOf(day);
  meanwhile(day);
  ask(day, zero);
  for (const slot of [2, 3]) await day.sync(slot);
  expect(day.replicasNow()).toBe(0);
  expect(day.condition("ScalingActive")).toMatchObject({ status: "False", reason: "ScalingDisabled" });
});

test("a person's zero after an adopted one stays theirs, though the request is still there", async () => {
  const day = await asleep();
  ask(day, zeroOf(day));
  await day.sync(2);
  expect(day.replicasNow()).toBe(4);
  scaleTo(day, 0);
  for (const slot of [3, 4, 5]) await day.sync(slot);
  expect(day.replicasNow()).toBe(0);
});

test("a lost state does not adopt again: the zero is another one by then", async () => {
  const day = await asleep();
  ask(day, zeroOf(day));
  await day.sync(2);
  scaleTo(day, 0);
  day.store.stateItems.clear();
  for (const slot of [3, 4]) await day.sync(slot);
  expect(day.replicasNow()).toBe(0);
});

test("in a dry run, the zero is adopted, and the wake is only recorded", async () => {
  const day = await asleep();
  ask(day, zeroOf(day), { "ebb.dev/dry-run": "true" });
  await day.sync(2);
  expect(day.replicasNow()).toBe(0);
  ask(day, zeroOf(day));
  await day.sync(3);
  expect(day.replicasNow()).toBe(4);
});

test("a paused HPA adopts, and wakes after the pause", async () => {
  const day = await asleep();
  ask(day, zeroOf(day), { "ebb.dev/paused": "true" });
  await day.sync(2);
  await day.sync(4);
  expect(day.replicasNow()).toBe(0);
  ask(day, zeroOf(day));
  await day.sync(5);
  expect(day.replicasNow()).toBe(4);
});

describe("an entry that brings the status of a zero", () => {
  const brought = (replicas: number) => {
    const day = fixture({ spec, replicas });
    const conditions = [{ type: "ScaledToZero", status: "True", reason: "ScaledToZero", message: "KEDA" }];
    day.store.documents.set("prod shop/orders", { ...(document(spec) as object), status: { conditions } });
    day.depth(20);
    return day;
  };

  test("wakes a target at zero", async () => {
    const day = brought(0);
    await day.sync(1);
    expect(day.replicasNow()).toBe(4);
  });

  test("makes no later zero of a person ebb's, if the target runs by then", async () => {
    const day = brought(4);
    await day.sync(1);
    scaleTo(day, 0);
    for (const slot of [2, 3]) await day.sync(slot);
    expect(day.replicasNow()).toBe(0);
  });
});

test("an event says once that a zero will not wake, and how to adopt it", async () => {
  const day = await asleep();
  for (const slot of [2, 3]) await day.sync(slot);
  expect(await day.eventsNow()).toEqual([
    "NotOurZero x1: will not wake: not our zero; `ebb adopt hpa NAME` makes it ebb's",
  ]);
  scaleTo(day, 2);
  await day.sync(4);
  scaleTo(day, 0);
  await day.sync(5);
  expect((await day.eventsNow()).filter((event) => event.startsWith("NotOurZero"))).toEqual([
    "NotOurZero x2: will not wake: not our zero; `ebb adopt hpa NAME` makes it ebb's",
  ]);
});
