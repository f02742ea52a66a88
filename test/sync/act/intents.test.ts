import type { Intent, State } from "../../../lib/model/stored/state";
import { openIntents, settleIntents, withIntent, withoutLatest } from "../../../lib/sync/act/intents";

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

  test("the size says which one landed; of one size, the oldest", () => {
    const { state: settled, landed } = settleIntents(open, scaleAt(9, "8"), 9_000, behavior);
    expect(landed).toEqual(intent(9, 1_000));
    expect(openIntents(settled)).toEqual({});
    expect(settled.history?.scaleUpEvents).toEqual([{ change: 7, at: 1_000, foundAt: 9_000 }]);
    expect(settleIntents(open, scaleAt(5, "8"), 9_000, behavior).landed).toEqual(intent(5, 2_000));
  });

  test("the size that they started from: none landed", () => {
    expect(settleIntents(open, scaleAt(2, "8"), 9_000, behavior)).toEqual({ state: state() });
  });

  test("another size: the largest change counts, from now on, and nothing is reported", () => {
    const { state: settled, landed } = settleIntents(open, scaleAt(4, "8"), 9_000, behavior);
    expect(landed).toBeUndefined();
    expect(openIntents(settled)).toEqual({});
    expect(settled.history?.scaleUpEvents).toEqual([{ change: 7, at: 0, foundAt: 9_000 }]);
  });
});
