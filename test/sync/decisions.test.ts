import type { Cluster } from "../../lib/model/ports/cluster";
import type { Store } from "../../lib/model/ports/store";
import { Fault } from "../../lib/model/fault";
import { interrupted } from "./interrupted";
import { document, fixture, queueSpec, slotAt } from "./sync-fixture";

type Day = ReturnType<typeof fixture>;

const scalingsOf = (day: Day) =>
  day.store.decisions.filter(({ scaleTo }) => scaleTo !== null).map(({ from, scaleTo }) => `${from} → ${scaleTo}`);
const heldBy = (day: Day) =>
  day.store.decisions.map(({ at, steps }) => {
    const limits = steps.flatMap(({ limitedBy = [] }) => limitedBy).join("+");
    return `${(at - 200 - slotAt(0)) / 15_000}: ${limits}`;
  });

test("the state explains itself as of its last write", async () => {
  const day = fixture();
  day.depth(50);
  await day.sync(1);
  expect(day.state()?.decision).toMatchObject({ at: slotAt(1) + 200, from: 1, desiredReplicas: 5 });
  expect(day.state()?.decision?.steps.map(({ stage }) => stage)).toEqual([
    "metric",
    "combine",
    "stabilize",
    "limitRate",
    "decide",
  ]);
  expect(day.state()?.decision?.steps).toEqual(day.store.decisions[0]?.steps);
});

const failing = "FailedGetExternalMetric+FailedComputeMetricsReplicas";
const lose = (day: Day) => day.cluster.external.set("depth", new Fault("badAnswer", "no"));

test("a metric that fails for less than a minute, right after a scaling, is recorded: when it failed, when it came back", async () => {
  const day = fixture();
  day.depth(25);
  await day.sync(1);
  lose(day);
  for (const slot of [2, 3]) await day.sync(slot);
  day.depth(25);
  for (const slot of [4, 5]) await day.sync(slot);
  expect(scalingsOf(day)).toEqual(["1 → 5"]);
  expect(heldBy(day)).toEqual(["1: ", `2: ${failing}`, "4: "]);
});

test("what stays the same is recorded once, and writes nothing", async () => {
  const day = fixture({ replicas: 6 });
  day.depth(30);
  await day.sync(1);
  const { version } = day.state() ?? {};
  for (let slot = 2; slot <= 40; slot++) await day.sync(slot);
  expect(heldBy(day)).toEqual([]);
  expect(day.state()?.version).toBe(version);
});

test("ten changes are recorded at once; what changes on and on is recorded once a minute", async () => {
  const day = fixture({ replicas: 6 });
  for (let slot = 1; slot <= 40; slot++) {
    if (slot % 2 === 0) lose(day);
    else day.depth(30);
    await day.sync(slot);
  }
  const slots = heldBy(day).map((line) => Number(line.split(":")[0]));
  // Each record costs four slots, and ten may be owed. Three were paid for meanwhile.
  const first = Array.from({ length: 13 }, (_, index) => index + 2);
  expect(slots.slice(0, 13)).toEqual(first);
  expect(slots.slice(13)).toEqual([19, 22, 27, 30, 35, 38]);
});

test("a decision says which generation of the entry it was made from, even when the target cannot be found", async () => {
  const day = fixture();
  const getScale = () => Promise.reject(new Fault("notFound", 'deployments.apps "orders" not found'));
  const cluster = { ...day.cluster, getScale };
  const edited = (generation: number) => {
    const before = document(queueSpec) as { readonly metadata: object };
    day.store.documents.set("prod shop/orders", { ...before, metadata: { ...before.metadata, generation } });
  };
  for (const generation of [1, 2]) {
    edited(generation);
    await day.sync(generation, { cluster });
    expect(day.state()?.decision?.generation).toBe(generation);
  }
  const { version } = day.state() ?? {};
  await day.sync(3, { cluster });
  expect(day.state()?.version).toBe(version);
});

test("a scaling is recorded whatever was recorded just before", async () => {
  const day = fixture();
  day.depth(50);
  for (let slot = 1; slot <= 3; slot++) await day.sync(slot);
  expect(scalingsOf(day)).toEqual(["1 → 5", "5 → 9", "9 → 10"]);
  expect(day.store.decisions).toHaveLength(3);
});

test("a failure to record a decision does not undo it, and is reported", async () => {
  const day = fixture();
  day.depth(50);
  const putDecision: Store["putDecision"] = () => Promise.reject(new Fault("throttled", "slow down"));
  await day.sync(1, { store: { ...day.store, putDecision } });
  expect(day.replicasNow()).toBe(5);
  expect(day.state()?.intent).toBeUndefined();
  expect(day.failures).toMatchObject([{ key: "shop/orders", reason: "FailedRecordDecision", message: "slow down" }]);
});

test.each([
  ["and leaves the size", 25],
  ["and scales again", 50],
])("a scaling is reported by the run that finds it %s, also when the answer to its write is lost", async (_, depth) => {
  const day = fixture();
  day.depth(25);
  const lost = new Fault("lost", "no answer; whether it was done is not known");
  const putScale: Cluster["putScale"] = async (...call) => {
    await day.cluster.putScale(...call);
    throw lost;
  };
  const getScale = vanishing((...call) => day.cluster.getScale(...call));
  await day.sync(1, { cluster: { ...day.cluster, putScale, getScale } });
  expect(day.replicasNow()).toBe(5);
  expect(day.state()?.intent).toMatchObject({ to: 5 });
  expect(day.scaled).toEqual([]);

  day.depth(depth);
  const putState: Store["putState"] = async (...call) => {
    await day.store.putState(...call);
    throw lost;
  };
  await day.sync(3, { store: { ...day.store, putState } });
  expect(day.scaled).toMatchObject([{ from: 1, to: 5 }]);
});

/** Answers once. */
function vanishing(getScale: Cluster["getScale"]): Cluster["getScale"] {
  let isGone = false;
  return async (...call) => {
    if (isGone) throw new Fault("unreachable", "no answer");
    isGone = true;
    return getScale(...call);
  };
}

test("a size that another run wrote is recorded by that run alone", async () => {
  const day = fixture();
  day.depth(50);
  const putScale: Cluster["putScale"] = async () => {
    day.cluster.touch("shop/orders"); // this write can land no more
    await day.wake(slotAt(1) + 2_000);
    throw new Fault("lost", "no answer; whether it was done is not known");
  };
  const counts = await day.sync(1, { cluster: { ...day.cluster, putScale } });
  expect(day.replicasNow()).toBe(5);
  expect(day.store.decisions).toMatchObject([{ at: slotAt(1) + 2_100, from: 1, scaleTo: 5 }]);
  expect(day.scaled).toHaveLength(1);
  expect(counts).toMatchObject({ scaled: 0, behind: 1 });
  expect(day.state()?.history?.scaleUpEvents).toHaveLength(1);
});

test("a scaling whose run died is recorded by the sync that finds it, with the time and steps of its decision", async () => {
  const day = fixture();
  day.depth(50);
  let die = () => {};
  const died = new Promise<void>((resolve) => (die = resolve));
  const putScale: Cluster["putScale"] = async (target, scale, signal) => {
    await day.cluster.putScale(target, scale, signal);
    die();
    return new Promise(() => {});
  };
  await Promise.race([day.sync(1, { cluster: { ...day.cluster, putScale } }), died]);
  expect(day.store.decisions).toEqual([]);
  day.depth(25);
  await day.sync(2);
  expect(day.store.decisions).toMatchObject([
    {
      at: slotAt(1) + 200,
      from: 1,
      scaleTo: 5,
      desiredReplicas: 5,
      events: [{ reason: "SuccessfulRescale", message: expect.stringContaining("New size: 5") as string }],
      steps: [
        { stage: "metric", replicas: 10 },
        {},
        {},
        { limitedBy: "ScaleUpLimit" },
        { stage: "decide", replicas: 5 },
      ],
    },
    // Nothing holds it back any more, which is news.
    { at: slotAt(2) + 200, from: 5, scaleTo: null, desiredReplicas: 5 },
  ]);
});

describe("whichever call a scaling run dies at, the scaling is recorded once", () => {
  const cases = Array.from({ length: 12 }, (_, i) => i + 1).flatMap((call) =>
    [true, false].map((effect) => ({ call, effect })),
  );
  test.each(cases)("call $call, effect $effect", async ({ call, effect }) => {
    const day = fixture();
    day.depth(25);
    const far = interrupted(day, call, effect);
    await Promise.race([day.sync(1, far), far.stopped]);
    for (let slot = 2; slot <= 4; slot++) await day.sync(slot);
    expect(day.replicasNow()).toBe(5);
    expect(scalingsOf(day)).toEqual(["1 → 5"]);
  });
});
