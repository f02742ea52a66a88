import { asHpaKey } from "../../../lib/model/hpa-key";
import { classLastObservedAt, closedSpanObserved, withLastObserved } from "../../../lib/model/stored/last-observed";
import type { State } from "../../../lib/model/stored/state";

const periodMs = 15_000;
const slot = 60 * periodMs;
const key = asHpaKey("shop/orders");
const hpa = { key, periodClass: undefined };
const at = slot + 200;
const state: State = {
  ...{ version: 4, slot, status: {}, open: false, closedAt: at },
  decision: { at, from: 10, desiredReplicas: 10, steps: [] },
  history: {
    recommendations: [{ replicas: 10, since: slot - 9 * periodMs, at: slot - periodMs + 200 }],
    ...{ scaleUpEvents: [], scaleDownEvents: [] },
  },
};
const next = slot + periodMs;
const shard = { slot, heartbeat: slot + 300, behind: {} };

describe("until when another run of the slot may have seen the span that the state closed", () => {
  test.each<[string, Parameters<typeof closedSpanObserved>[1]["shard"], number | undefined]>([
    ["another run finished the slot", shard, slot + 300],
    ["the run itself finished it", { ...shard, heartbeat: at }, undefined],
    [
      "a tick moved the HPA to another shard in the next slot: until the slot's end",
      { ...shard, heartbeat: next + 9 },
      next,
    ],
    ["a later slot is finished", { ...shard, slot: next, heartbeat: next + 300 }, undefined],
    [
      "a later slot is finished, and did not reach the HPA",
      { ...shard, slot: next, behind: { [key]: slot + 300 } },
      slot + 300,
    ],
    ["it was not reached since before that slot", { ...shard, slot: next, behind: { [key]: slot - 1 } }, undefined],
    ["the slot is not finished: until its end", { ...shard, slot: slot - periodMs, heartbeat: slot - 1 }, next],
    ["there is no shard: until its end", undefined, next],
  ])("%s", (_name, shard, expected) => {
    expect(closedSpanObserved(state, { ...hpa, shard, lastObserved: next + 400, periodMs })).toBe(expected);
  });

  test("a state that closed nothing", () => {
    const { closedAt: _, ...rest } = state;
    expect(closedSpanObserved(rest, { ...hpa, shard, lastObserved: next, periodMs })).toBeUndefined();
  });

  test("a version that does not know the member has written since", () => {
    const older = { ...state, closedAt: at - 1 };
    expect(closedSpanObserved(older, { ...hpa, shard, lastObserved: next, periodMs })).toBeUndefined();
  });
});

test.each([
  ["the moments of the classes are of this heartbeat", slot + 300, slot - 600],
  [
    "an older version has finished a slot since, and left them as they were",
    slot + periodMs + 300,
    slot + periodMs + 300,
  ],
])("when a class with a period of its own was seen last: %s", (_name, heartbeat, expected) => {
  const ownPeriods = { heartbeat: slot + 300, seen: { "60/0": slot - 600 } };
  expect(classLastObservedAt({ heartbeat, ownPeriods }, "60/0")).toBe(expected);
});

describe("a state with its runs up to date", () => {
  const seen = (given: State, more: Parameters<typeof withLastObserved>[1]) =>
    withLastObserved(given, more).history?.recommendations.map((run) => [run.replicas, run.at]);

  test("the open span, and the one that it replaced", () => {
    const runs = [...(state.history?.recommendations ?? []), { replicas: 4, since: at, at }];
    const open: State = { ...state, open: true, history: { ...state.history!, recommendations: runs } };
    const expected = [
      [10, slot + 300],
      [4, slot + 500],
    ];
    expect(seen(open, { lastObserved: slot + 500, closedSpanObserved: slot + 300 })).toEqual(expected);
  });

  test("a closed run stays as it is, unless it was seen", () => {
    expect(withLastObserved(state, { lastObserved: next })).toBe(state);
    expect(seen(state, { lastObserved: next, closedSpanObserved: slot + 300 })).toEqual([[10, slot + 300]]);
  });

  test("no observation goes back", () => {
    expect(withLastObserved({ ...state, open: true }, { lastObserved: 1, closedSpanObserved: 1 })).toEqual({
      ...state,
      open: true,
    });
  });
});
