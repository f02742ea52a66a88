import { evaluate } from "../../../lib/core/evaluate";
import type { MetricRules } from "../../../lib/model/metric/metric-rules";
import { at, clock, external, hpaWith, noon, perPod, podOf, scaleOf, situationWith, unhindered } from "../build";
import { periodMs, play, sizes, type Play, type Slot } from "./play";

const wake = (read: number) => ({ read, wake: true }) as const;
/** Nothing of it is certain, as messages in flight are not. */
const maybe = (read: number, certain = 0) => ({ read, certain });

// perPod: 10 a pod
test.each<[string, Play, readonly Slot[], readonly number[]]>([
  ["without rules, zero needs one empty reading", { replicas: 3 }, [30, 0, 30], [3, 0, 3]],
  ["confirm 2: the second empty reading in a row", { replicas: 3, rules: { confirm: 2 } }, [30, 0, 0], [3, 1, 0]],
  ["a phantom zero goes to one at most", { replicas: 3, rules: { confirm: 2 } }, [30, 0, 30, 0, 30], [3, 1, 3, 1, 3]],
  ["confirm 3", { replicas: 1, rules: { confirm: 3 } }, [0, 0, 0, 0], [1, 1, 0, 0]],
  ["a wake is part of its slot", { replicas: 1, rules: { confirm: 2 } }, [0, wake(0), wake(0), 0], [1, 1, 1, 0]],
  [
    "a wake within a slot that had work begins the count with the next slot",
    { replicas: 1, rules: { confirm: 2 } },
    [5, wake(0), wake(0), 0, 0],
    [1, 1, 1, 1, 0],
  ],
  ["with confirm 1, a wake goes to zero as a slot does", { replicas: 1 }, [5, wake(0)], [1, 0]],
  ["an unreadable slot does not confirm", { replicas: 1, rules: { confirm: 2 } }, [0, "?", 0, 0], [1, 1, 1, 0]],
  [
    "nor does a slot that nobody synced",
    { replicas: 1, rules: { confirm: 2 } },
    [0, { read: 0, skipped: 1 }, 0],
    [1, 1, 0],
  ],
  ["confirmWake 1 wakes at once", {}, [0, 1], [0, 1]],
  ["a phantom count does not wake", { rules: { confirmWake: 2 } }, [0, 25, 0, 25, 0], [0, 0, 0, 0, 0]],
  ["the second reading with work does", { rules: { confirmWake: 2 } }, [0, 25, 25], [0, 0, 3]],
  ["two wakes of a slot are one reading", { rules: { confirmWake: 2 } }, [25, wake(25), wake(25), 25], [0, 0, 0, 3]],
  ["an unreadable slot keeps work waiting no longer", { rules: { confirmWake: 2 } }, [25, "?", 25], [0, 0, 3]],
  [
    "a count that may be wrong wakes after confirm slots",
    { rules: { confirm: 3 } },
    Array(4).fill(maybe(9)),
    [0, 0, 1, 1],
  ],
  ["with confirm 1 at once", { rules: { confirm: 1 } }, [maybe(9)], [1]],
  ["without rules as well", {}, [maybe(9)], [1]],
  ["a part that is certain wakes at once, with all of it", { rules: { confirm: 3 } }, [maybe(25, 1)], [3]],
  ["also after a part that was not", { rules: { confirm: 3 } }, [maybe(9), maybe(9, 9)], [0, 1]],
  [
    "a spike that ends begins again",
    { rules: { confirm: 3 } },
    [maybe(9), maybe(9), 0, maybe(9), maybe(9), maybe(9)],
    [0, 0, 0, 0, 0, 1],
  ],
  [
    "a wake within a slot begins the count with the next slot",
    { rules: { confirm: 2 } },
    [0, { ...maybe(9), wake: true }, maybe(9), maybe(9)],
    [0, 0, 0, 1],
  ],
  ["work that is certain counts in the slot of a wake", { rules: { confirmWake: 2 } }, [0, wake(9), 9], [0, 0, 1]],
  ["confirmWake counts when it is more", { rules: { confirm: 2, confirmWake: 3 } }, Array(3).fill(maybe(9)), [0, 0, 1]],
  [
    "what is at its activation is not certain",
    { rules: { confirm: 2, activation: "4" } },
    [maybe(9, 4), maybe(9, 5)],
    [0, 1],
  ],
  [
    "while it runs, a possible count is work",
    { replicas: 1, rules: { confirm: 2 } },
    [0, maybe(2), 0, 0],
    [1, 1, 1, 0],
  ],
  ["at its activation, the metric has no work", { rules: { activation: "5" } }, [5, 6, 5], [0, 1, 0]],
  ["activation counts the total", { rules: { activation: 25 }, replicas: 3 }, [26, 25], [3, 0]],
  [
    "between activation and target, the size is what upstream says",
    { rules: { activation: "2" }, replicas: 1 },
    [3, 10, 12],
    [1, 1, 2],
  ],
  [
    "activation waits for its confirmation at upstream's size",
    { rules: { activation: "25", confirm: 2 }, replicas: 3 },
    [25, 25],
    [3, 0],
  ],
  [
    "with minReplicas 1, there is no zero to reach, and no rule about it",
    { rules: { activation: "25", confirm: 2, confirmWake: 2 }, replicas: 3, spec: { minReplicas: 1 } },
    [25, 0],
    [3, 1],
  ],
])("%s", (_name, given, slots, expected) => {
  expect(sizes(slots, given)).toEqual(expected);
});

describe("with a Value target and no ready pod, upstream asks for none", () => {
  const target = { type: "Value", value: "10" };
  const spec = { metrics: [{ type: "External", external: { metric: { name: "queue" }, target } }] };
  const given = { replicas: 2, spec, pods: [podOf("a", { ready: "False" })] };
  const activationOf = (rules: MetricRules) =>
    play([40], { ...given, rules })[0]?.steps.find(({ stage }) => stage === "activation");

  test.each<[string, MetricRules, readonly number[]]>([
    ["without rules", {}, [0]],
    ["with the default of each rule", { activation: "0", confirm: 1 }, [0]],
    ["an activation keeps one for work", { activation: "5" }, [1]],
    ["a confirmation keeps one for work", { confirm: 2 }, [1]],
  ])("%s", (_name, rules, expected) => {
    expect(sizes([40], { ...given, rules })).toEqual(expected);
  });

  test("a step says why", () => {
    expect(activationOf({ activation: "5" })).toMatchObject({
      replicas: 1,
      limitedBy: "HasWork",
      because: "40 is work: the metric's activation is 5",
      detail: { rule: "5", found: "40" },
    });
    expect(activationOf({})).toBeUndefined();
  });

  test("while pods are ready, the size is what they need", () => {
    const pods = [podOf("a"), podOf("b", { ready: "False" })];
    expect(sizes([40], { ...given, pods, rules: { confirm: 2 } })).toEqual([4]);
  });
});

describe("a metric's own maxReplicas", () => {
  const capOf = (rules: MetricRules, read: number | "?" = 90) =>
    play([read], { replicas: 3, rules })[0]?.steps.find(({ stage }) => stage === "cap");

  test.each([
    ["is above what it asks for", 10, 9],
    ["is what it asks for", 9, 9],
    ["is below", 8, 8],
  ])("%s", (_name, maxReplicas, expected) => {
    expect(sizes([90], { replicas: 3, rules: { maxReplicas } })).toEqual([expected]);
    expect(capOf({ maxReplicas }) === undefined).toBe(expected === 9);
  });

  test("is a step that says so", () => {
    expect(capOf({ maxReplicas: 4 })).toMatchObject({
      replicas: 4,
      limitedBy: "MetricMaxReplicas",
      because: "the metric's own maxReplicas is 4",
      detail: { rule: 4, found: 9 },
    });
  });

  test("does nothing for a metric that cannot be read", () => {
    expect(capOf({ maxReplicas: 1 }, "?")).toBeUndefined();
    expect(sizes(["?"], { replicas: 3, rules: { maxReplicas: 1 } })).toEqual([3]);
  });
});

test("the metric that needs the most slots names the hold, and the step says how many", () => {
  const [first, second] = play([0, 0], { replicas: 4, rules: { confirm: 3 } });
  expect(first?.steps.find(({ stage }) => stage === "confirm")).toEqual({
    stage: "confirm",
    replicas: 1,
    limitedBy: "ZeroNotConfirmed",
    because: "external metric queue(nil) must have no work in more slots in a row: 2",
    detail: { name: "external metric queue(nil)", slotsToZero: 2 },
  });
  expect(second?.steps.find(({ stage }) => stage === "combine")?.detail).toEqual({ blind: 0, slotsToZero: 1 });
});

test("each rule that changes a proposal is a step right after the metric's own", () => {
  const [held] = play([25], { rules: { confirmWake: 2 } });
  expect(held?.steps.slice(0, 2)).toMatchObject([
    { stage: "metric", replicas: 3 },
    {
      stage: "confirmWake",
      replicas: 0,
      limitedBy: "WakeNotConfirmed",
      because: "the metric has work in 1 of the 2 slots in a row that wake the target",
      detail: { rule: 2, found: 1 },
    },
  ]);
  const [, asleep] = play([0, 5], { rules: { activation: "7500m" } });
  expect(asleep?.steps[1]).toEqual({
    stage: "activation",
    replicas: 0,
    limitedBy: "NotActivated",
    because: "5 is no work: the metric's activation is 7500m",
    detail: { rule: "7500m", found: "5" },
  });
});

test("a lasting reading changes nothing in the memory, so that an idle state stays as it is", () => {
  const memories = play([0, 0, 0, 0], { replicas: 1, rules: { confirm: 2 } }).map(({ memory }) => memory);
  expect(memories[1]).toEqual([{ readings: { empty: true, slots: 2, slot: Date.parse(clock(15)) } }]);
  expect(memories[3]).toEqual(memories[1]);
  const busy = play([5, 5], { replicas: 1, rules: { confirm: 2 } }).map(({ memory }) => memory);
  expect(busy).toEqual([undefined, undefined]);
});

test("a count from the future is counted again", () => {
  const memory = [{ readings: { empty: true, slots: 2, slot: noon + 3_600_000 } }];
  const hpa = hpaWith({ minReplicas: 0, behavior: unhindered });
  const given = { hpa, scale: scaleOf(1), metrics: [external(0)], rules: [{ confirm: 2 }], memory };
  const decision = evaluate(situationWith({ ...given, slot: { start: noon, periodMs } }), noon);
  expect(decision.desiredReplicas).toBe(1);
  expect(decision.memory).toEqual([{ readings: { empty: true, slots: 1, slot: noon } }]);
});

test("one metric without confirmation keeps the whole HPA from zero", () => {
  const other = { type: "External", external: { metric: { name: "other" }, target: perPod.external!.target } } as const;
  const spec = { metrics: [perPod, other] };
  expect(sizes([0, 0], { replicas: 2, rules: { confirm: 2 }, spec })).toEqual([1, 0]);
});

test("a step says that the count may be wrong, and what is remembered ends with the target's start", () => {
  const [first, second] = play([maybe(9), maybe(9)], { rules: { confirm: 2 } });
  const step = first?.steps.find(({ stage }) => stage === "confirmWake");
  expect(step).toMatchObject({
    replicas: 0,
    limitedBy: "WakeNotConfirmed",
    because:
      "the count may be wrong, because none of it is work for certain: it was there in 1 of the 2 slots in a row that wake the target",
    detail: { rule: 2, found: 1 },
  });
  expect(first?.memory).toEqual([{ readings: { empty: false, slots: 1, slot: at(0) } }]);
  expect(second?.scaleTo).toBe(1);
  const running = play([maybe(9), maybe(9)], { replicas: 1, rules: { confirm: 2 } });
  expect(running.map(({ memory }) => memory)).toEqual([undefined, undefined]);
});
