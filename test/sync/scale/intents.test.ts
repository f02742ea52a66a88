import type { Intent, State } from "../../../lib/model/stored/state";
import { openIntents, settleIntents, withIntent, withoutLatest } from "../../../lib/sync/scale/intents";

const intent = (to: number, at = 1_000): Intent => ({
  ...{ from: 2, to, at, resourceVersion: "7", countsAsEvent: true, message: `to ${to}` },
  ...{ scaledToZero: false, steps: [] },
});
const state = (intents: readonly Intent[] = []): State => {
  const [latest, ...earlier] = intents;
  return {
    ...{ version: 1, slot: 1, status: {}, history: null, open: false },
    ...(latest && { intent: latest }),
    ...(earlier.length > 0 && { earlier }),
  };
};
const scaleAt = (replicas: number, resourceVersion: string) => ({
  metadata: { name: "web", resourceVersion },
  spec: { replicas },
  status: { replicas, selector: "" },
});
const behavior = { scaleUp: { policies: [{ type: "Pods" as const, value: 4, periodSeconds: 60 }] } };

test("an intent is added before the open ones, and each size keeps its oldest", () => {
  expect(withIntent(intent(9), state())).toEqual({ intent: intent(9) });
  expect(withIntent(intent(9), state([intent(5)]))).toEqual({ intent: intent(9), earlier: [intent(5)] });
  const open = [intent(5, 4_000), intent(7, 3_000), intent(5, 2_000), intent(7, 1_500)];
  expect(withIntent(intent(5, 5_000), state(open))).toEqual({
    intent: intent(5, 5_000),
    earlier: [intent(5, 2_000), intent(7, 1_500)],
  });
});

describe("many intents", () => {
  const sizes = [9, 20, 3, 0, ...Array.from({ length: 40 }, (_, index) => 100 + index), 30, 31];
  /** Announced one after the other, the first first. */
  const announce = (given: readonly number[], before = state()) =>
    given.reduce(
      (known, to, at) => ({ ...known, ...withIntent({ ...intent(to, at), message: "m".repeat(900) }, known) }),
      before,
    );
  const many = announce(sizes);

  test("the latest 16 and the zero are kept one by one, the others as a range", () => {
    expect(many.intent).toMatchObject({ to: 31, at: 45 });
    const latest = [30, ...Array.from({ length: 14 }, (_, index) => 139 - index)];
    expect(many.earlier?.map(({ to }) => to)).toEqual([...latest, 0]);
    expect(many.earlierSizes).toEqual({ least: 3, most: 125, countsAsEvent: true });
    expect(openIntents(many)).toEqual({
      ...{ intent: many.intent, earlier: many.earlier, earlierSizes: many.earlierSizes },
    });
  });

  test("only the latest three say how they were decided, and the others' reasons are short", () => {
    const explained = [many.intent, ...(many.earlier ?? [])].map((one) => one?.steps !== undefined);
    expect(explained.filter(Boolean)).toHaveLength(3);
    expect(explained.slice(0, 3)).toEqual([true, true, true]);
    expect(many.earlier?.at(-1)?.message.length).toBeLessThanOrEqual(256);
    expect(JSON.stringify(announce(Array.from({ length: 5_000 }, (_, index) => 1 + index))).length).toBeLessThan(9_000);
  });

  test("one that is withdrawn leaves the others", () => {
    expect(withoutLatest(many)).toEqual({ ...many, intent: many.earlier?.[0], earlier: many.earlier?.slice(1) });
  });

  test("the zero among them is known for good, and is ours", () => {
    const { state: settled, appliedIntent } = settleIntents(many, scaleAt(0, "8"), 9_000, behavior);
    expect(appliedIntent).toMatchObject({ to: 0, at: 3 });
    expect(openIntents(settled)).toEqual({});
  });

  test.each([
    ["within the range", 60],
    ["beyond it", 500],
  ])("another size, %s: the largest change of all counts, and nothing is reported", (_name, size) => {
    const range = { ...many, earlierSizes: { least: 1, most: 700, countsAsEvent: true } };
    const { state: settled, appliedIntent } = settleIntents(range, scaleAt(size, "8"), 9_000, behavior);
    expect(appliedIntent).toBeUndefined();
    expect(openIntents(settled)).toEqual({});
    expect(settled.history?.scaleUpEvents).toEqual([{ change: 698, at: 0, foundAt: 9_000 }]);
    expect(settled.history?.scaleDownEvents).toEqual([{ change: 2, at: 0, foundAt: 9_000 }]);
  });

  test("a range that counted nowhere counts nothing", () => {
    const { intent: latest } = announce([9]);
    const quiet = { ...state(), ...(latest && { intent: { ...latest, countsAsEvent: false } }) };
    const range = { ...quiet, earlierSizes: { least: 1, most: 700, countsAsEvent: false } };
    expect(settleIntents(range, scaleAt(60, "8"), 9_000, behavior).state.history).toBeNull();
  });

  test("a range counts if one of its intents did", () => {
    const counting = (counted: readonly boolean[]) =>
      counted.reduce(
        (known, countsAsEvent, at) => ({ ...known, ...withIntent({ ...intent(100 + at, at), countsAsEvent }, known) }),
        state(),
      ).earlierSizes?.countsAsEvent;
    const [none, one] = [Array.from({ length: 31 }, () => false), Array.from({ length: 31 }, (_, at) => at === 3)];
    expect([counting(none.slice(1)), counting(none), counting(one)]).toEqual([false, false, true]);
  });

  test("a zero that somebody makes while sizes are a range is not ours", () => {
    const atZero = { conditions: [{ type: "ScaledToZero" as const, status: "True" as const }] };
    const owner = (before: State) =>
      settleIntents(before, scaleAt(60, "8"), 9_000, behavior).state.status.conditions?.[0]?.status;
    const zeros = { ...state([{ ...intent(0), scaledToZero: true }]), status: atZero };
    expect(owner(zeros)).toBe("True");
    expect(owner({ ...zeros, earlierSizes: { least: 1, most: 7, countsAsEvent: true } })).toBe("False");
  });

  test("the size that they started from: none landed", () => {
    expect(settleIntents(many, scaleAt(2, "8"), 9_000, behavior)).toEqual({ state: state() });
  });

  test("a new resourceVersion has no range", () => {
    expect(withIntent(intent(9), { ...state(), earlierSizes: { least: 1, most: 7, countsAsEvent: true } })).toEqual({
      intent: intent(9),
    });
  });
});

test("the latest is taken back alone", () => {
  expect(withoutLatest(state([intent(9)]))).toEqual(state());
  expect(withoutLatest(state([intent(9), intent(5)]))).toEqual(state([intent(5)]));
  expect(withoutLatest(state([intent(9), intent(5), intent(3)]))).toEqual(state([intent(5), intent(3)]));
});

test("a state's open intents go to its successor", () => {
  expect(openIntents(state())).toEqual({});
  expect(openIntents(state([intent(9)]))).toEqual({ intent: intent(9) });
  expect(openIntents(state([intent(9), intent(5)]))).toEqual({ intent: intent(9), earlier: [intent(5)] });
});

describe("settling", () => {
  const open = state([intent(9, 3_000), intent(5, 2_000), intent(9, 1_000)]);

  test("nothing, without an open intent or while the resourceVersion is theirs", () => {
    expect(settleIntents(state(), scaleAt(9, "8"), 9_000)).toEqual({ state: state() });
    expect(settleIntents(open, scaleAt(9, "7"), 9_000)).toEqual({ state: open });
  });

  test("the size says which one was applied; of one size, the oldest", () => {
    const { state: settled, appliedIntent } = settleIntents(open, scaleAt(9, "8"), 9_000, behavior);
    expect(appliedIntent).toEqual(intent(9, 1_000));
    expect(openIntents(settled)).toEqual({});
    expect(settled.history?.scaleUpEvents).toEqual([{ change: 7, at: 1_000, foundAt: 9_000 }]);
    expect(settleIntents(open, scaleAt(5, "8"), 9_000, behavior).appliedIntent).toEqual(intent(5, 2_000));
  });

  test("the size that they started from: none landed", () => {
    expect(settleIntents(open, scaleAt(2, "8"), 9_000, behavior)).toEqual({ state: state() });
  });

  test("another size: the largest change counts, from now on, and nothing is reported", () => {
    const { state: settled, appliedIntent } = settleIntents(open, scaleAt(4, "8"), 9_000, behavior);
    expect(appliedIntent).toBeUndefined();
    expect(openIntents(settled)).toEqual({});
    expect(settled.history?.scaleUpEvents).toEqual([{ change: 7, at: 0, foundAt: 9_000 }]);
  });
});
