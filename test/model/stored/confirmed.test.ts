import {
  confirmedIn,
  confirming,
  hasStrayState,
  sumOfStates,
  unsettledUntil,
} from "../../../lib/model/stored/confirmed";
import type { Shard } from "../../../lib/model/stored/state";

const range = { cluster: "prod", from: "b/", to: "m/" };
const shard = (more: Partial<Shard> = {}): Shard => ({
  ...{ ...range, version: 7, slot: 100, heartbeat: 101, behind: {}, entries: 2 },
  ...more,
});
const at = (version: number) => ({ version });

describe("the sum of states", () => {
  const sum = sumOfStates({ "b/x": at(1), "c/y": at(2 ** 40 + 3) }, range);

  test("does not depend on their order, or on states beyond the range", () => {
    expect(sumOfStates({ "c/y": at(2 ** 40 + 3), "a/x": at(9), "b/x": at(1), "m/": at(9) }, range)).toBe(sum);
  });

  test.each([
    ["a version grows", { "b/x": at(2), "c/y": at(2 ** 40 + 3) }],
    ["an item is made again, a second later", { "b/x": at(1 + 2 ** 32), "c/y": at(2 ** 40 + 3) }],
    ["a state is gone", { "b/x": at(1) }],
    ["a state is new", { "b/x": at(1), "c/y": at(2 ** 40 + 3), "c/z": at(1) }],
    ["two swap their versions", { "b/x": at(2 ** 40 + 3), "c/y": at(1) }],
  ])("is another one if %s", (_name, states) => {
    expect(sumOfStates(states, range)).not.toBe(sum);
  });
});

describe("what a finished slot confirms", () => {
  const outcome = { slot: 200, until: 300, states: { "b/x": at(1) }, hasWritten: false, isSure: true };
  const known = shard({ confirmed: { version: 7, changed: 50, states: 0 } });
  const changedBy = (more: Partial<typeof outcome>, current = known) =>
    confirming(current, { ...outcome, ...more }).changed;

  test("belongs to the version that it is written with", () => {
    const confirmed = confirming(known, outcome);
    expect(confirmed).toEqual({ version: 8, changed: 50, states: sumOfStates(outcome.states, known) });
    expect(confirmedIn(shard({ version: 8, confirmed }))).toBe(confirmed);
    expect(confirmedIn(shard({ version: 9, confirmed }))).toBeUndefined();
  });

  test.each([
    ["it wrote nothing", {}, 50],
    ["it wrote states: they are as of this slot", { hasWritten: true }, 200],
    ["a write was not answered: it may land while the next slot loads", { isSure: false }, 301],
  ])("%s", (_name, more, changed) => {
    expect(changedBy(more)).toBe(changed);
  });

  test("after a write of the shard that confirms nothing, the next slot may meet that writer's states", () => {
    expect(changedBy({}, shard())).toBe(301);
    expect(changedBy({}, shard({ confirmed: { version: 6, changed: 50, states: 0 } }))).toBe(301);
  });

  test("a wake that came meanwhile stays", () => {
    expect(changedBy({ hasWritten: true }, shard({ confirmed: { version: 7, changed: 301, states: 0 } }))).toBe(301);
  });
});

describe("a state that the last finished sync did not know", () => {
  const states = { "b/x": at(1) };
  const confirmed = { version: 7, changed: 50, states: sumOfStates(states, range) };

  test.each([
    ["none", states, { confirmed }, false],
    ["one that was written late", { "b/x": at(2) }, { confirmed }, true],
    [
      "after a wake, nobody can tell",
      { "b/x": at(2) },
      { confirmed: { ...confirmed, changed: unsettledUntil(200) } },
      false,
    ],
    ["an older ebb confirms nothing", { "b/x": at(2) }, {}, false],
  ])("%s", (_name, found, more, isStray) => {
    expect(hasStrayState(shard(more), found)).toBe(isStray);
  });
});
