import fc from "fast-check";
import { evaluate } from "../../lib/core/evaluate";
import { evaluateEntry } from "../../lib/core/evaluate-entry";
import type { HorizontalPodAutoscaler, HpaSpec } from "../../lib/k8s/hpa";
import type { MetricRules } from "../../lib/model/metric/metric-rules";
import type { Decision, Situation } from "../../lib/model/situation";
import {
  at,
  clock,
  cpu50,
  cpuUse,
  external,
  hpaWith,
  perPod,
  podOf,
  scaledToZero,
  scaleOf,
  situationWith,
  unhindered,
} from "./build";

/** Values of the queue (10 a pod) and the mean CPU use in percent (target 50); "?" cannot be read. */
type Read = number | "?";
type Slot = readonly [queue: Read, cpu?: Read] | { readonly scaledTo: number; readonly read: readonly [Read, Read?] };

interface Given {
  readonly zero?: object | undefined;
  readonly replicas?: number;
  readonly spec?: { readonly [Field in keyof HpaSpec]?: HpaSpec[Field] | undefined };
  readonly rules?: readonly MetricRules[];
  readonly createdAt?: number;
  readonly dryRun?: boolean;
}

const minute = { after: "60s" };

function hpaOf({ zero, replicas = 0, spec, createdAt }: Given): HorizontalPodAutoscaler {
  const given = { minReplicas: 0, metrics: [perPod, cpu50], behavior: unhindered, ...spec } as Partial<HpaSpec>;
  const hpa = hpaWith(given, replicas === 0 ? scaledToZero : undefined);
  const metadata = {
    ...hpa.metadata,
    ...(zero && { annotations: { "ebb.dev/zero": JSON.stringify(zero) } }),
    ...(createdAt !== undefined && { creationTimestamp: clock(createdAt) }),
  };
  return { ...hpa, metadata };
}

/** Slots of 15 s from noon on. Every decision takes effect at once. */
function play(slots: readonly Slot[], given: Given = {}): readonly Decision[] {
  const hpa = hpaOf({ zero: minute, ...given });
  let last: Decision | undefined;
  let size = given.replicas ?? 0;
  return slots.map((slot, index) => {
    const [queue, cpu = 1] = "read" in slot ? slot.read : slot;
    if ("read" in slot) size = slot.scaledTo;
    const names = Array.from({ length: size }, (_, pod) => `web-${pod}`);
    const now = at(index * 15);
    const situation: Situation = situationWith({
      hpa: last === undefined ? hpa : { ...hpa, status: last.status },
      scale: scaleOf(size),
      pods: names.map((name) => podOf(name)),
      metrics: [
        queue === "?" ? { error: "connection refused" } : external(queue),
        cpu === "?"
          ? { error: "no answer" }
          : cpuUse(Object.fromEntries(names.map((name) => [name, `${cpu * 10}m`])), index * 15),
      ].slice(0, hpa.spec.metrics?.length),
      history: last?.history ?? null,
      ...(given.rules && { rules: given.rules }),
      ...(last?.memory && { memory: last.memory }),
      ...(last?.activity && { activity: last.activity }),
      slot: { start: now, periodMs: 15_000 },
    });
    const operations = { paused: false, dryRun: given.dryRun === true };
    last = evaluateEntry(situation, operations, now);
    size = last.scaleTo ?? size;
    return last;
  });
}

function sizes(slots: readonly Slot[], given: Given = {}): readonly number[] {
  let size = given.replicas ?? 0;
  return play(slots, given).map(({ scaleTo }, index) => {
    const slot = slots[index] as Slot;
    if ("read" in slot) size = slot.scaledTo;
    return (size = scaleTo ?? size);
  });
}

const times = <T>(count: number, one: T): readonly T[] => Array.from({ length: count }, () => one);
const disabled = { ...unhindered, scaleDown: { ...unhindered.scaleDown, selectPolicy: "Disabled" } };
const slow = {
  ...unhindered,
  scaleDown: {
    stabilizationWindowSeconds: 0,
    selectPolicy: "Max",
    policies: [{ type: "Pods", value: 1, periodSeconds: 600 }],
  },
};

test.each<[string, Given, readonly Slot[], readonly number[]]>([
  [
    "CPU does not keep the last replica: zero 60 s after the last work",
    { replicas: 1 },
    [[5], ...times(5, [0] as Slot)],
    [1, 1, 1, 1, 0, 0],
  ],
  [
    "without the annotation, it does",
    { zero: undefined, replicas: 1 },
    [[5], ...times(5, [0] as Slot)],
    [1, 1, 1, 1, 1, 1],
  ],
  [
    "from any size, past selectPolicy Disabled",
    { replicas: 3, spec: { behavior: disabled } },
    [[30], ...times(4, [0] as Slot)],
    [3, 3, 3, 3, 0],
  ],
  ["past a slow policy", { replicas: 5, spec: { behavior: slow } }, [[50], ...times(4, [0] as Slot)], [5, 4, 4, 4, 0]],
  [
    "past the stabilization window of 300 s",
    { replicas: 4, spec: { behavior: undefined } },
    [[40], ...times(4, [0] as Slot)],
    [4, 4, 4, 4, 0],
  ],
  [
    "CPU that asks for more does not hold it either",
    { replicas: 2 },
    [[5, 90], ...times(4, [0, 90] as Slot)],
    [4, 8, 10, 10, 0],
  ],
  ["after 0s: with the first sync without work", { zero: { after: "0s" }, replicas: 2 }, [[20], [0]], [2, 0]],
  ["work begins the time again", { replicas: 1 }, [[5], [0], [0], [5], [0], [0], [0], [0]], [1, 1, 1, 1, 1, 1, 1, 0]],
  [
    "two sizes: zero, or at least from",
    { zero: { after: "30s", from: 2 } },
    [[0], [5], [5], [0], [0]],
    [0, 2, 2, 2, 0],
  ],
  [
    "activation decides about zero only: above it, the metric still decides about the size",
    { replicas: 4, rules: [{ activation: "35" }, {}] },
    [[40], [30], [30], [30], [30]],
    [4, 3, 3, 3, 0],
  ],
  [
    "what was at zero does not hold growth: KEDA's HPA does not sync there",
    { spec: { behavior: { ...unhindered, scaleUp: { ...unhindered.scaleUp, stabilizationWindowSeconds: 60 } } } },
    [...times(6, [0] as Slot), [50], [50]],
    [...times(6, 0), 5, 5],
  ],
  [
    "nor does the sync that goes there",
    {
      zero: { after: "0s" },
      replicas: 2,
      spec: { behavior: { ...unhindered, scaleUp: { ...unhindered.scaleUp, stabilizationWindowSeconds: 60 } } },
    },
    [[20], ...times(3, [0] as Slot), [50]],
    [2, 0, 0, 0, 5],
  ],
  [
    "from raises a size that somebody set below it",
    { zero: { after: "60s", from: 3 }, replicas: 3 },
    [[5], { scaledTo: 1, read: [5] }],
    [3, 3],
  ],
  [
    "so it does while metrics of pods cannot be read",
    { zero: { after: "60s", from: 3 }, replicas: 3 },
    [[5], { scaledTo: 1, read: [0, "?"] }],
    [3, 3],
  ],
  [
    "from zero past the scale-up window and a policy of one pod",
    {
      zero: { after: "60s", from: 3 },
      spec: {
        behavior: {
          ...unhindered,
          scaleUp: {
            stabilizationWindowSeconds: 60,
            selectPolicy: "Max",
            policies: [{ type: "Pods", value: 1, periodSeconds: 60 }],
          },
        },
      },
    },
    [[0], [50]],
    [0, 3],
  ],
  ["unknown work: no zero in this slot", { replicas: 1 }, [[5], [0], [0], [0], ["?"], [0]], [1, 1, 1, 1, 1, 0]],
  [
    "metrics of pods that cannot be read hold no zero",
    { replicas: 2 },
    [[20], ...times(4, [0, "?"] as Slot)],
    [2, 2, 2, 2, 0],
  ],
  ["no memory: zero at once", { replicas: 2 }, [[0]], [0]],
  [
    "no memory, a new entry: initialAfter first",
    { zero: { after: "60s", initialAfter: "30s" }, replicas: 2, createdAt: 0 },
    [[0], [0], [0]],
    [1, 1, 0],
  ],
  [
    "confirm counts slots as without the annotation",
    { zero: { after: "0s" }, replicas: 1, rules: [{ confirm: 3 }, {}] },
    [[5], [0], [0], [0]],
    [1, 1, 1, 0],
  ],
  ["confirmWake too", { rules: [{ confirmWake: 2 }, {}] }, [[0], [5], [0], [5], [5]], [0, 0, 0, 0, 1]],
  [
    "at its activation, a metric has no work",
    { zero: { after: "0s" }, replicas: 1, rules: [{ activation: "5" }, {}] },
    [[6], [5]],
    [1, 0],
  ],
  [
    "a fallback that asks for a replica is work",
    { replicas: 1, rules: [{ fallback: { after: 15, replicas: 2 } }, {}] },
    [[5], ...times(8, ["?"] as Slot), ...times(5, [0] as Slot)],
    [1, 1, ...times(7, 2), 1, 1, 1, 0, 0],
  ],
  [
    "a dry run decides so, and scales nothing",
    { replicas: 1, dryRun: true },
    [[5], ...times(5, [0] as Slot)],
    times(6, 1),
  ],
])("%s", (_name, given, slots, expected) => {
  expect(sizes(slots, given)).toEqual(expected);
});

test("while work is unknown, the last work stays: zero follows as soon as every metric is read", () => {
  const other = {
    type: "External",
    external: { metric: { name: "other" }, target: { type: "AverageValue", averageValue: "10" } },
  };
  const hpa = hpaOf({ zero: { after: "30s" }, replicas: 1, spec: { metrics: [perPod, other] } });
  const decide = (seconds: number, read: readonly Read[], last?: Decision) =>
    evaluate(
      situationWith({
        hpa: last === undefined ? hpa : { ...hpa, status: last.status },
        scale: scaleOf(1),
        metrics: read.map((one) => (one === "?" ? { error: "connection refused" } : external(one))),
        history: last?.history ?? null,
        ...(last?.activity && { activity: last.activity }),
      }),
      at(seconds),
    );
  const working = decide(0, [5, 0]);
  const erring = decide(15, [5, "?"], working);
  const still = decide(30, [5, "?"], erring);
  expect([working, erring, still].map(({ activity }) => activity)).toEqual([
    { working: true },
    { lastWork: at(0) },
    { lastWork: at(0) },
  ]);
  expect(decide(45, [0, "?"], still).scaleTo).toBeNull();
  expect(decide(45, [0, 0], still).scaleTo).toBe(0);
});

test("its steps say what it waits for, and its event and conditions why it went to zero", () => {
  const [, waiting, , , zero, stays] = play([[5], ...times(5, [0] as Slot)], { replicas: 1 });
  expect(waiting?.steps.find(({ stage }) => stage === "idle")).toEqual({
    stage: "idle",
    replicas: 1,
    limitedBy: "CoolingDown",
    because: `zero follows at ${clock(60)}, if no work comes`,
    detail: { lastWork: at(0), until: at(60) },
  });
  expect(zero?.events).toEqual([
    {
      type: "Normal",
      reason: "SuccessfulRescale",
      message: "New size: 0; reason: No External or Object metric has work",
    },
  ]);
  expect(zero?.status.conditions).toContainEqual(expect.objectContaining({ type: "ScaledToZero", status: "True" }));
  expect(zero?.history.scaleDownEvents).toEqual([{ change: 1, at: at(60) }]);
  expect(stays?.events).toEqual([]); // at zero, no metric of pods is a failure
  expect(stays?.steps.at(-2)).toMatchObject({ stage: "idle", replicas: 0, limitedBy: "NoWork" });
});

describe("a dry run beside another controller", () => {
  test("its zero counts as ours once we found no work, though CPU asks for one", () => {
    const decisions = play([[5], [0], { scaledTo: 0, read: [0] }, [9]], { replicas: 1, dryRun: true });
    expect(decisions.at(-1)?.steps.at(-1)).toMatchObject({ limitedBy: "DryRun" });
    expect(decisions.at(-1)?.desiredReplicas).toBe(1);
  });
});

test("a pause keeps the memory", () => {
  const hpa = hpaOf({ zero: minute, replicas: 1 });
  const situation = situationWith({ hpa, scale: scaleOf(1), activity: { lastWork: at(-15) } });
  const decision = evaluateEntry(situation, { paused: true, dryRun: false }, at(0));
  expect(decision.activity).toEqual({ lastWork: at(-15) });
});

const read: fc.Arbitrary<Read> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Read>(0) },
  fc.integer({ min: 1, max: 60 }),
  fc.constant<Read>("?"),
);
const slot: fc.Arbitrary<Slot> = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(read, read) },
  fc.record({ scaledTo: fc.integer({ min: 1, max: 10 }), read: fc.tuple(read, read) }),
);
const rule = fc.record({ after: fc.constantFrom("0s", "15s", "45s"), from: fc.integer({ min: 1, max: 4 }) });
const behavior = fc.constantFrom(unhindered, disabled, slow, undefined);
const start = fc.constantFrom(0, 5);

test("never zero while an External metric is unknown or has work, and never between zero and from", () => {
  fc.assert(
    fc.property(
      fc.array(slot, { minLength: 1, maxLength: 20 }),
      rule,
      behavior,
      start,
      (slots, zero, given, replicas) => {
        play(slots, { zero, replicas, spec: { behavior: given } }).forEach(
          ({ scaleTo, desiredReplicas, status }, index) => {
            const one = slots[index] as Slot;
            const [queue] = "read" in one ? one.read : one;
            if (scaleTo === 0) expect(queue).toBe(0);
            if (scaleTo !== null && scaleTo > 0) expect(scaleTo).toBeGreaterThanOrEqual(zero.from);
            expect(desiredReplicas).toBeLessThanOrEqual(10);
            expect(status.currentReplicas).toBeDefined();
          },
        );
      },
    ),
  );
});

test("after enough syncs without work, it is at zero, and after one with work at from or more", () => {
  fc.assert(
    fc.property(fc.array(slot, { maxLength: 15 }), rule, behavior, start, (slots, zero, given, replicas) => {
      const setting = { zero, replicas, spec: { behavior: given } };
      expect(sizes([...slots, ...times(5, [0, 5] as Slot)], setting).at(-1)).toBe(0);
      expect(sizes([...slots, ...times(5, [0, 5] as Slot), [1]], setting).at(-1)).toBeGreaterThanOrEqual(zero.from);
    }),
  );
});

test("an annotation that cannot be used, and any memory without one, decide as upstream", () => {
  const memory = fc.record(
    { lastWork: fc.maxSafeInteger(), working: fc.constant(true as const), unobserved: fc.constant(true as const) },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(memory, read, fc.integer({ min: 0, max: 6 }), (activity, queue, replicas) => {
      const known = { scale: scaleOf(replicas), metrics: [queue === "?" ? { error: "x" } : external(queue)] };
      const spec = { metrics: [perPod] };
      const plain = evaluate(situationWith({ ...known, hpa: hpaOf({ replicas, spec }) }), at(0));
      const { activity: _, ...without } = evaluate(
        situationWith({ ...known, hpa: hpaOf({ replicas, spec }), activity }),
        at(0),
      );
      expect(without).toEqual(plain);
      const ruled = { ...known, hpa: hpaOf({ zero: minute, replicas, spec }), activity };
      const { desiredReplicas } = evaluate(situationWith(ruled), at(0));
      expect(desiredReplicas).toBeGreaterThanOrEqual(0);
      expect(desiredReplicas).toBeLessThanOrEqual(10);
    }),
  );
});
