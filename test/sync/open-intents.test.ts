import type { HpaSpec } from "../../lib/k8s/hpa";
import { Fault } from "../../lib/model/fault";
import type { Cluster } from "../../lib/model/ports/cluster";
import type { Store } from "../../lib/model/ports/store";
import { document, fixture, queueSpec, slotAt } from "./sync-fixture";

/**
 * A scale write whose answer was lost may land at any time until its resourceVersion is gone. Whatever happens to the
 * run that sent it, and to the runs after it, the table keeps the announcement until then.
 */
const toZero: HpaSpec = { ...queueSpec, behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } };

const slowUp: HpaSpec = {
  ...queueSpec,
  behavior: { ...toZero.behavior, scaleUp: { policies: [{ type: "Pods", value: 4, periodSeconds: 30 }] } },
};

/** A day whose first scale write gets no answer; `land` applies it, as late as the test likes. */
function dayWithLostWrite(spec: HpaSpec, answers: readonly Fault[]) {
  const day = fixture({ spec });
  let lost: (() => Promise<unknown>) | undefined;
  let calls = 0;
  const putScale: Cluster["putScale"] = (target, scale, signal) => {
    lost ??= () => day.cluster.putScale(target, scale, signal);
    const answer = answers[Math.min(calls, answers.length - 1)];
    calls += 1;
    return Promise.reject(answer ?? new Error("expected an answer"));
  };
  return { day, cluster: { ...day.cluster, putScale }, land: () => lost?.() };
}

const unanswered = new Fault("lost", "no answer; whether it was done is not known");
const later: readonly (readonly [string, readonly Fault[]])[] = [
  ["429", [unanswered, new Fault("throttled", "too many requests", { status: 429 })]],
  ["403", [unanswered, new Fault("forbidden", "forbidden", { status: 403 })]],
  ["no answer again", [unanswered]],
  ["404", [unanswered, new Fault("notFound", "not found", { status: 404 })]],
];

describe.each(later)("a write without an answer, then %s", (_name, answers) => {
  test("is applied as our zero, which wakes", async () => {
    const { day, cluster, land } = dayWithLostWrite(toZero, answers);
    day.depth(0);
    await day.sync(1, { cluster });
    expect(day.state()?.intent).toMatchObject({ to: 0 });
    await land();
    expect(day.replicasNow()).toBe(0);
    day.depth(50);
    await day.sync(2);
    expect(day.replicasNow()).toBeGreaterThan(0);
  });

  test("is applied as a growth that counts in the rate", async () => {
    const { day, cluster, land } = dayWithLostWrite(queueSpec, answers);
    day.depth(50);
    await day.sync(1, { cluster });
    await land();
    expect(day.replicasNow()).toBe(5);
    await day.sync(2); // at most 4 more in 15 s, and 4 were found just now
    expect(day.replicasNow()).toBe(5);
    await day.sync(3);
    expect(day.replicasNow()).toBe(9);
  });
});

describe("a write without an answer stays announced when, in the next slot,", () => {
  const edited: Store["document"] = () => Promise.resolve(document({ ...toZero, maxReplicas: 9 }));

  test.each<[string, (day: ReturnType<typeof fixture>) => Promise<unknown>]>([
    [
      "the entry changes while the same size is announced",
      (day) => day.sync(2, { store: { ...day.store, document: edited } }),
    ],
    [
      "the entry is paused",
      (day) => {
        const entry = document(toZero) as { metadata: object };
        const metadata = { ...entry.metadata, annotations: { "ebb.dev/paused": "true" } };
        day.store.documents.set("prod shop/orders", { ...entry, metadata });
        return day.sync(2);
      },
    ],
    [
      "the same write is refused",
      (day) => {
        const refused = () => Promise.reject(new Fault("throttled", "too many requests", { status: 429 }));
        return day.sync(2, { cluster: { ...day.cluster, putScale: refused } });
      },
    ],
    [
      "the scale cannot be read",
      (day) => {
        const gone = () => Promise.reject(new Fault("timeout", "no answer"));
        return day.sync(2, { cluster: { ...day.cluster, getScale: gone } });
      },
    ],
  ])("%s", async (_name, meanwhile) => {
    const { day, cluster, land } = dayWithLostWrite(toZero, [unanswered]);
    day.depth(0);
    await day.sync(1, { cluster });
    await meanwhile(day);
    expect(day.replicasNow()).toBe(1);
    await land();
    day.store.documents.set("prod shop/orders", document(toZero));
    day.depth(50);
    for (const slot of [3, 4]) await day.sync(slot);
    expect(day.replicasNow()).toBeGreaterThan(0);
  });
});

/** Then nobody knows whether it was applied. So it counts in its own direction, and gives nothing back to the other. */
describe("a write without an answer that is applied and is overwritten by hand before the next slot", () => {
  function setByHand(day: ReturnType<typeof fixture>, replicas: number): void {
    const target = day.cluster.scales.get("shop/orders");
    if (target !== undefined) target.replicas = replicas;
    day.cluster.touch("shop/orders");
  }

  test("counts in the rate", async () => {
    const { day, cluster, land } = dayWithLostWrite(queueSpec, [unanswered]);
    day.depth(50);
    await day.sync(1, { cluster });
    await land();
    setByHand(day, 3);
    await day.sync(2); // 4 more in 15 s were the lost write's
    expect(day.replicasNow()).toBe(3);
    await day.sync(3);
    expect(day.replicasNow()).toBe(7);
    expect(day.scaled.map(({ from, to }) => [from, to])).toEqual([[3, 7]]);
  });

  test("also when its own run finds the other size", async () => {
    const { day, land } = dayWithLostWrite(queueSpec, [unanswered]);
    const putScale: Cluster["putScale"] = async (target, scale, signal) => {
      await day.cluster.putScale(target, scale, signal);
      setByHand(day, 3);
      throw unanswered;
    };
    expect(land).toBeDefined();
    day.depth(50);
    await day.sync(1, { cluster: { ...day.cluster, putScale } });
    expect(day.state()?.intent).toMatchObject({ from: 1, to: 5 });
    await day.sync(2);
    expect(day.replicasNow()).toBe(3);
    await day.sync(3);
    expect(day.replicasNow()).toBe(7);
  });

  test("is not written again in its turn when the old size is back: it may have been applied", async () => {
    const { day } = dayWithLostWrite(queueSpec, [unanswered]);
    const putScale: Cluster["putScale"] = async (target, scale, signal) => {
      await day.cluster.putScale(target, scale, signal);
      setByHand(day, 1);
      throw unanswered;
    };
    day.depth(50);
    await day.sync(1, { cluster: { ...day.cluster, putScale } });
    expect(day.cluster.writes).toEqual([{ target: "shop/orders", from: 1, to: 5 }]);
    expect(day.state()?.intent).toMatchObject({ from: 1, to: 5 });
    await day.sync(2);
    expect(day.replicasNow()).toBe(5);
  });

  test("gives nothing back to the other direction, since it may not have happened", async () => {
    const slowDown = {
      stabilizationWindowSeconds: 0,
      policies: [{ type: "Pods" as const, value: 1, periodSeconds: 60 }],
    };
    const { day, cluster } = dayWithLostWrite(
      { ...queueSpec, behavior: { ...queueSpec.behavior, scaleDown: slowDown } },
      [unanswered],
    );
    day.depth(50);
    await day.sync(1, { cluster });
    setByHand(day, 9); // the lost write never is applied
    day.depth(0);
    await day.sync(2);
    expect(day.replicasNow()).toBe(8);
  });

  test("with an untouched size, did not happen", async () => {
    const { day, cluster } = dayWithLostWrite(queueSpec, [unanswered]);
    day.depth(50);
    await day.sync(1, { cluster });
    day.cluster.touch("shop/orders");
    await day.sync(2);
    expect(day.replicasNow()).toBe(5);
  });
});

test("a size set by hand that equals an open announcement makes no room for the other direction", async () => {
  const { day, cluster } = dayWithLostWrite(slowUp, [unanswered]);
  day.cluster.add("shop/orders", 6);
  day.depth(0);
  await day.sync(1, { cluster });
  expect(day.state()?.intent).toMatchObject({ from: 6, to: 0 });
  const target = day.cluster.scales.get("shop/orders");
  if (target !== undefined) target.replicas = 0; // by hand: the lost write never is applied
  day.cluster.touch("shop/orders");
  day.depth(50);
  await day.sync(2);
  expect(day.replicasNow()).toBe(4); // four pods in 30 s, and not the six that somebody removed
});

test("neither does one that is set by hand while its own run waits for the answer", async () => {
  const day = fixture({ spec: slowUp });
  day.cluster.add("shop/orders", 6);
  const target = day.cluster.scales.get("shop/orders");
  day.depth(0);
  const putScale: Cluster["putScale"] = () => {
    if (target !== undefined) target.replicas = 0;
    day.cluster.touch("shop/orders");
    return Promise.reject(unanswered); // the write never is applied
  };
  await day.sync(1, { cluster: { ...day.cluster, putScale } });
  expect(day.scaled.map(({ from, to }) => [from, to])).toEqual([[6, 0]]); // as far as the run can see
  day.depth(50);
  await day.sync(2);
  expect(day.replicasNow()).toBe(4); // four pods in 30 s, and not the six that somebody removed
});

test("a conflict with another run that wrote the same size records nothing: that run does", async () => {
  const { day } = dayWithLostWrite(queueSpec, []);
  const putScale: Cluster["putScale"] = async (target, scale, signal) => {
    // This run was paused: the next slot has decided the same, and has written and recorded it.
    await day.sync(2);
    return day.cluster.putScale(target, scale, signal);
  };
  day.depth(50);
  const stopped = 200; // its clock stood still meanwhile
  await day.sync(1, { cluster: { ...day.cluster, putScale }, now: () => slotAt(1) + stopped });
  expect(day.cluster.writes).toEqual([{ target: "shop/orders", from: 1, to: 5 }]);
  expect(day.store.decisions.filter(({ scaleTo }) => scaleTo !== null)).toHaveLength(1);
  expect(day.scaled).toHaveLength(1);
  expect(day.state()?.history?.scaleUpEvents).toHaveLength(1);
});
