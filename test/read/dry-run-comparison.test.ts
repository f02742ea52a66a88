import fc from "fast-check";
import { compareDryRun } from "../../cli/write/annotate/dry-run-comparison";
import type { DecisionRecord, State } from "../../lib/model/stored/state";
import type { Step } from "../../lib/model/step";
import { recordingOf } from "../../lib/sync/hpa/decision-recording";
import { expectToEqual } from "../expect-often";

const minute = 60_000;
const wishing: readonly Step[] = [
  { stage: "decide", replicas: 2, limitedBy: "DryRun", because: "not applied (dry run)" },
];
const steady: readonly Step[] = [{ stage: "decide", replicas: 2, because: "right" }];

/** A record of a dry run, `minutes` after the beginning: the size that it found, and the one that it wanted. */
function record(minutes: number, from: number | null, desiredReplicas: number, dryRun = true): DecisionRecord {
  const steps = dryRun && from !== null && from !== desiredReplicas ? wishing : steady;
  const made = { at: minutes * minute, from, desiredReplicas, steps, scaleTo: null, events: [] };
  return dryRun ? { ...made, dryRun } : made;
}

const compared = (oldestFirst: readonly DecisionRecord[], since = 0, until = 60) =>
  compareDryRun(oldestFirst.toReversed(), { since: since * minute, until: until * minute });

test("ebb wants a size before the target has it, and then another that the target never has", () => {
  const records = [record(0, 2, 2), record(10, 2, 4), record(20, 4, 4), record(30, 4, 7), record(40, 6, 7)];
  expect(compared(records, -1)).toEqual({
    ...{ from: 0, to: 60 * minute, would: { up: 2, down: 0 }, target: { up: 2, down: 0 } },
    ...{ sameMs: 20 * minute, comparedMs: 60 * minute, records: records.toReversed() },
  });
});

test.each<[string, readonly DecisionRecord[], object | undefined]>([
  ["nothing is recorded", [], undefined],
  ["no dry run", [record(10, 2, 2, false)], undefined],
  ["a dry run that ended before", [record(-20, 2, 4), record(-10, 2, 2, false)], undefined],
  [
    "a dry run that began before, and changed nothing since",
    [record(-20, 2, 4)],
    { from: 0, would: { up: 0, down: 0 }, target: { up: 0, down: 0 }, sameMs: 0, comparedMs: 60 * minute, records: [] },
  ],
  [
    "a dry run that began in that time",
    [record(10, 2, 2, false), record(20, 2, 4)],
    { from: 20 * minute, would: { up: 1, down: 0 }, comparedMs: 40 * minute },
  ],
  [
    "a dry run that ended in that time",
    [record(10, 2, 2), record(20, 3, 3, false), record(30, 9, 9, false)],
    { from: 10 * minute, to: 20 * minute, target: { up: 0, down: 0 }, sameMs: 10 * minute, comparedMs: 10 * minute },
  ],
  [
    "two dry runs, and a size that changed in between",
    [record(10, 2, 2), record(20, 2, 2, false), record(30, 5, 5)],
    { target: { up: 0, down: 0 }, comparedMs: 40 * minute },
  ],
  [
    "the target goes past the size that ebb wants",
    [record(10, 2, 4), record(20, 6, 4)],
    { would: { up: 1, down: 1 }, target: { up: 1, down: 0 }, sameMs: 0 },
  ],
  [
    "a size that is not known for a while",
    [record(10, 2, 2), record(20, null, 2), record(30, 5, 5)],
    { target: { up: 1, down: 0 }, would: { up: 0, down: 0 } },
  ],
])("%s", (_name, records, expected) => {
  if (expected === undefined) expect(compared(records)).toBeUndefined();
  else expect(compared(records)).toMatchObject(expected);
});

const slot = fc.record({ found: fc.integer({ min: 0, max: 4 }), wanted: fc.integer({ min: 0, max: 4 }) });

/** What is recorded of slots, a minute apart so that each change may be. */
function recordsOf(slots: readonly { readonly found: number; readonly wanted: number }[]): readonly DecisionRecord[] {
  let state = {} as State;
  return slots.flatMap(({ found, wanted }, index) => {
    const steps = found === wanted ? steady : wishing;
    const { recorded, due } = recordingOf(
      state,
      { desiredReplicas: wanted, events: [], steps },
      { at: (index + 1) * minute, from: found, dryRun: true, generation: undefined },
    );
    state = { ...state, ...(recorded && { recorded }) };
    return due ?? [];
  });
}

test("what is recorded of a dry run is enough to count each move and each minute, and is written once", () => {
  fc.assert(
    fc.property(fc.array(slot, { minLength: 1, maxLength: 30 }), (slots) => {
      const records = recordsOf(slots);
      const seen = { would: { up: 0, down: 0 }, target: { up: 0, down: 0 }, same: 0 };
      slots.forEach(({ found, wanted }, index) => {
        const before = slots[index - 1];
        if (found === wanted) seen.same += 1;
        if (before !== undefined && found > before.found) seen.target.up += 1;
        if (before !== undefined && found < before.found) seen.target.down += 1;
        const direction = Math.sign(wanted - found);
        const isSameWish = before?.wanted === wanted && Math.sign(before.wanted - before.found) === direction;
        if (direction > 0 && !isSameWish) seen.would.up += 1;
        if (direction < 0 && !isSameWish) seen.would.down += 1;
      });
      const said = compared(records, 0, slots.length + 1);
      expectToEqual([said?.would, said?.target, (said?.sameMs ?? 0) / minute], [seen.would, seen.target, seen.same]);
      const isRepeated = records.some(
        ({ from, desiredReplicas }, index) =>
          from === records[index - 1]?.from && desiredReplicas === records[index - 1]?.desiredReplicas,
      );
      expectToEqual(isRepeated, false);
    }),
    { numRuns: 2000 },
  );
});
