import type { Shard } from "../../lib/model/stored/shard";
import type { State } from "../../lib/model/stored/state";
import { isSeenLater } from "./checks/shards";

const shard: Shard = {
  ...{ cluster: "prod", from: "", to: null, version: 7, entries: 1, behind: {} },
  ...{ slot: 15_000, heartbeat: 15_300 },
};

function stateOf(slot: number, seenAt: number, open = true): State {
  const history = {
    recommendations: [{ replicas: 3, since: seenAt, at: seenAt }],
    ...{ scaleUpEvents: [], scaleDownEvents: [] },
  };
  return { version: 2, slot, status: {}, history, open };
}

describe("whether a slot says nothing about an HPA that it did not look at", () => {
  test.each([
    ["a later slot wrote its state", stateOf(30_000, 30_300), true],
    ["a later slot wrote its state, and recommends nothing", stateOf(30_000, 1_000, false), true],
    ["nothing wrote its state since", stateOf(0, 300), false],
    ["a later slot wrote its state, and the heartbeat would move its sighting", stateOf(30_000, 15_200), false],
    ["there is no state", undefined, false],
  ])("%s", (_, state, expected) => {
    expect(isSeenLater(shard, state)).toBe(expected);
  });
});
