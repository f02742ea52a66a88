import { asHpaKey } from "../../../lib/model/hpa-key";
import { closedSeen, recall } from "../../../lib/model/stored/sightings";
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

describe("until when another run of the slot may have seen the run that the state closed", () => {
  test.each<[string, Parameters<typeof closedSeen>[1]["shard"], number | undefined]>([
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
    expect(closedSeen(state, { ...hpa, shard, lastSeen: next + 400, periodMs })).toBe(expected);
  });

  test("a state that closed nothing", () => {
    const { closedAt: _, ...rest } = state;
    expect(closedSeen(rest, { ...hpa, shard, lastSeen: next, periodMs })).toBeUndefined();
  });

  test("a version that does not know the member has written since", () => {
    const older = { ...state, closedAt: at - 1 };
    expect(closedSeen(older, { ...hpa, shard, lastSeen: next, periodMs })).toBeUndefined();
  });
});

describe("a state with its runs up to date", () => {
  const seen = (given: State, more: Parameters<typeof recall>[1]) =>
    recall(given, more).history?.recommendations.map((run) => [run.replicas, run.at]);

  test("the open run, and the one that it replaced", () => {
    const runs = [...(state.history?.recommendations ?? []), { replicas: 4, since: at, at }];
    const open: State = { ...state, open: true, history: { ...state.history!, recommendations: runs } };
    const expected = [
      [10, slot + 300],
      [4, slot + 500],
    ];
    expect(seen(open, { lastSeen: slot + 500, closedSeen: slot + 300 })).toEqual(expected);
  });

  test("a closed run stays as it is, unless it was seen", () => {
    expect(recall(state, { lastSeen: next })).toBe(state);
    expect(seen(state, { lastSeen: next, closedSeen: slot + 300 })).toEqual([[10, slot + 300]]);
  });

  test("no sighting goes back", () => {
    expect(recall({ ...state, open: true }, { lastSeen: 1, closedSeen: 1 })).toEqual({ ...state, open: true });
  });
});
