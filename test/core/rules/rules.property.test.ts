import fc from "fast-check";
import { evaluate } from "../../../lib/core/evaluate";
import { fallbackBehaviors } from "../../../lib/model/metric/fallback-behaviors";
import type { Fallback, MetricRules } from "../../../lib/model/metric/metric-rules";
import type { Situation } from "../../../lib/model/situation";
import { hpaWith, noon, perPod, scaledToZero, scaleOf, situationWith, unhindered } from "../build";
import { play, responseOf, type Read, type Slot } from "./play";
import { expectAtLeast, expectAtMost } from "../../expect-often";

const read: fc.Arbitrary<Read> = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Read>(0) },
  fc.integer({ min: 0, max: 60 }),
  fc.constant<Read>("?"),
);

const slot: fc.Arbitrary<Slot> = fc.oneof(
  { weight: 4, arbitrary: read },
  read.map((one): Slot => ({ read: one, wake: true })),
  fc.record({ read, skipped: fc.integer({ min: 1, max: 40 }) }),
);

const story = fc.tuple(read, fc.array(slot, { maxLength: 25 })).map(([first, rest]) => [first, ...rest]);

const fallback: fc.Arbitrary<Fallback> = fc.record({
  after: fc.constantFrom(0, 15, 60),
  behavior: fc.constantFrom(...fallbackBehaviors),
  replicas: fc.integer({ min: 1, max: 12 }),
});

const withoutFallback: fc.Arbitrary<MetricRules> = fc.record(
  {
    activation: fc.constantFrom("0", "5", 12, "100m"),
    confirm: fc.integer({ min: 1, max: 4 }),
    confirmWake: fc.integer({ min: 1, max: 4 }),
    maxReplicas: fc.integer({ min: 1, max: 12 }),
  },
  { requiredKeys: [] },
);

const anyRules: fc.Arbitrary<MetricRules> = fc
  .tuple(withoutFallback, fc.option(fallback, { nil: undefined }))
  .map(([rules, given]) => (given === undefined ? rules : { ...rules, fallback: given }));

const replicas = fc.integer({ min: 0, max: 10 });

const readOf = (one: Slot): Read => (typeof one === "object" ? one.read : one);

test("the default of each field decides as no rules do, step for step", () => {
  const defaults: MetricRules = { activation: "0", confirm: 1, confirmWake: 1 };
  const target = fc.constantFrom({ type: "AverageValue", averageValue: "10" }, { type: "Value", value: "10" });
  fc.assert(
    fc.property(story, replicas, fc.integer({ min: 0, max: 2 }), target, (slots, size, minReplicas, given) => {
      const metrics = [{ type: "External", external: { metric: { name: "queue" }, target: given } }];
      const spec = { metrics, minReplicas };
      expect(play(slots, { rules: defaults, replicas: size, spec })).toEqual(play(slots, { replicas: size, spec }));
    }),
  );
});

test("unknown never shrinks: without a fallback, a metric that cannot be read lowers nothing", () => {
  fc.assert(
    fc.property(story, withoutFallback, replicas, (slots, rules, size) => {
      let before = size;
      play(slots, { rules, replicas: size }).forEach(({ scaleTo }, index) => {
        const after = scaleTo ?? before;
        if (readOf(slots[index] as Slot) === "?") expectAtLeast(after, before);
        before = after;
      });
    }),
  );
});

test("a fallback never reaches zero unless its behavior is zero", () => {
  fc.assert(
    fc.property(story, anyRules, replicas, (slots, rules, size) => {
      fc.pre(rules.fallback?.behavior !== "zero");
      let before = size;
      play(slots, { rules, replicas: size }).forEach(({ scaleTo }, index) => {
        const after = scaleTo ?? before;
        if (readOf(slots[index] as Slot) === "?" && before > 0) expectAtLeast(after, 1);
        before = after;
      });
    }),
  );
});

test("zero needs `confirm` slots in a row that are read and empty, and leaving it `confirmWake` with work", () => {
  const rules = fc.record({ confirm: fc.integer({ min: 1, max: 4 }), confirmWake: fc.integer({ min: 1, max: 4 }) });
  fc.assert(
    fc.property(story, rules, replicas, (slots, given, size) => {
      let before = size;
      let [empty, busy] = [0, 0];
      // The model counts calendar slots. A wake is one more reading of its slot, and adds no slot.
      let counted = false;
      play(slots, { rules: given, replicas: size }).forEach(({ scaleTo }, index) => {
        const one = slots[index] as Slot;
        const { wake, skipped = 0 }: Exclude<Slot, Read> = typeof one === "object" ? one : { read: one };
        if (wake === undefined) counted = false;
        if (skipped > 0 && empty < given.confirm) empty = 0;
        const value = readOf(one);
        if (value === "?") empty = 0;
        else if (value === 0) [empty, busy] = [counted && empty > 0 ? empty : empty + 1, 0];
        else [empty, busy] = [0, counted && busy > 0 ? busy : busy + 1];
        if (value !== "?") counted = true;
        const after = scaleTo ?? before;
        if (before > 0 && after === 0) expectAtLeast(empty, given.confirm);
        if (before === 0 && after > 0) expectAtLeast(busy, given.confirmWake);
        before = after;
      });
    }),
  );
});

test("a metric never asks for more than its own maxReplicas", () => {
  fc.assert(
    fc.property(story, anyRules, replicas, fc.integer({ min: 1, max: 9 }), (slots, rules, size, maxReplicas) => {
      for (const { recommendation } of play(slots, { rules: { ...rules, maxReplicas }, replicas: size }))
        expectAtMost(recommendation ?? 0, maxReplicas);
    }),
  );
});

test("any memory is survived: hostile numbers decide within the bounds, and nothing throws", () => {
  const moment = fc.oneof(fc.maxSafeInteger(), fc.constantFrom(0, noon, noon + 15_000, noon - 15_000));
  const memory = fc.record(
    {
      readings: fc.record({ empty: fc.boolean(), slots: fc.oneof(fc.maxSafeInteger(), fc.nat(3)), slot: moment }),
      failing: fc.record({ since: moment }),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(memory, anyRules, read, replicas, (given, rules, one, size) => {
      const situation: Situation = situationWith({
        hpa: hpaWith(
          { minReplicas: 0, metrics: [perPod], behavior: unhindered },
          size === 0 ? scaledToZero : undefined,
        ),
        scale: scaleOf(size),
        metrics: [responseOf(one)],
        rules: [rules],
        memory: [given],
        slot: { start: noon, periodMs: 15_000 },
      });
      const { desiredReplicas } = evaluate(situation, noon);
      expectAtLeast(desiredReplicas, 0);
      expectAtMost(desiredReplicas, 10);
    }),
  );
});
