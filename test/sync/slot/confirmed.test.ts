import {
  confirmedIn,
  nextConfirmed,
  mostNamed,
  unconfirmedStates,
  sumOfStates,
  unsettling,
} from "../../../lib/sync/slot/confirmed";
import { asHpaKey, type HpaKey } from "../../../lib/model/hpa-key";
import type { Shard } from "../../../lib/model/stored/shard";

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

  test("is the same in every version of ebb, since another process compares what this one wrote", () => {
    expect(sumOfStates({ "b/x": at(1) }, range)).toBe(4_289_343_403);
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
  const outcome = { slot: 200, until: 300, states: { "b/x": at(1) }, hasWritten: false, isSure: true, unsure: [] };
  const known = shard({ confirmed: { version: 7, changed: 50, states: 0 } });
  const changedBy = (more: Partial<typeof outcome>, current = known) =>
    nextConfirmed(current, { ...outcome, ...more }).changed;

  test("belongs to the version that it is written with", () => {
    const confirmed = nextConfirmed(known, outcome);
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
  const [x, y, z] = [asHpaKey("b/x"), asHpaKey("c/y"), asHpaKey("d/z")];
  const states = { [x]: at(1), [y]: at(4) };
  const confirmed = { version: 7, changed: 50, states: sumOfStates(states, range) };
  const unconfirmed = (more: Partial<Shard>, found: Record<string, { version: number }>) =>
    [x, y].filter(unconfirmedStates(shard(more), found));
  const change = (keys: readonly HpaKey[], until = 200) => ({ until, keys, states });

  test.each([
    ["there is none", states, { confirmed }, []],
    ["one was written late: it may be any of them", { ...states, [x]: at(2) }, { confirmed }, [x, y]],
    ["a state is gone", { [x]: at(1) }, { confirmed }, [x, y]],
    ["nothing was confirmed", states, {}, [x, y]],
  ])("%s", (_name, found, more, expected) => {
    expect(unconfirmed(more, found)).toEqual(expected);
  });

  const woken = unsettling(shard({ confirmed }), change([x]));
  const after = shard({ version: 8, ...(woken && { confirmed: woken }) });

  test("beside a wake: the woken state cannot be compared, and the others can", () => {
    expect(woken).toMatchObject({ version: 8, changed: 201, unsettled: [{ until: 201 }] });
    expect(unconfirmed(after, { ...states, [x]: at(3) })).toEqual([x]);
    expect(unconfirmed(after, { ...states, [x]: at(3), [y]: at(5) })).toEqual([x, y]);
  });

  test("a wake of the same HPA says nothing more, and one in the next slot says it again", () => {
    expect(unsettling(after, change([x]))).toBeUndefined();
    expect(unsettling(after, change([x], 300))).toMatchObject({ states: woken?.states, changed: 301 });
  });

  test("of another slot than before, both are known by their own ends; of the same slot, together", () => {
    const ends = (changed: typeof woken) => changed?.unsettled?.map(({ until, keys }) => [until, keys?.length]);
    const later = unsettling(after, change([y], 300));
    expect(ends(later)).toEqual([
      [201, 1],
      [301, 1],
    ]);
    expect(ends(unsettling(after, change([y])))).toEqual([[201, 2]]);
    const both = shard({ version: 9, ...(later && { confirmed: later }) });
    expect(ends(unsettling(both, change([z], 300)))).toEqual([
      [201, 1],
      [301, 2],
    ]);
    expect(ends(unsettling(both, change([z])))).toEqual([
      [301, 1],
      [201, 2],
    ]);
  });

  test("a wake that is known until an earlier end is named until this slot's end as well", () => {
    expect(unsettling(after, change([x], 300))?.unsettled).toEqual([
      { until: 201, keys: woken?.unsettled?.[0]?.keys },
      { until: 301, keys: woken?.unsettled?.[0]?.keys },
    ]);
  });

  test("a new HPA has nothing to compare", () => {
    const created = unsettling(shard({ confirmed }), change([z]));
    expect(created?.states).toBe(confirmed.states);
  });

  test("an HPA of another shard is not named here", () => {
    expect(unsettling(shard({ confirmed }), change([asHpaKey("z/z")]))).not.toHaveProperty("unsettled");
  });

  test("as many as are named are compared one by one", () => {
    const many = Array.from({ length: mostNamed }, (_, index) => asHpaKey(`c/h${index}`));
    expect(unsettling(shard({ confirmed }), change(many))?.unsettled?.[0]?.keys).toHaveLength(mostNamed);
  });

  test("if too many are woken at once, it may be any of them", () => {
    const many = Array.from({ length: mostNamed + 1 }, (_, index) => asHpaKey(`c/h${index}`));
    const crowded = unsettling(shard({ confirmed }), change(many));
    expect(crowded?.unsettled).toEqual([{ until: 201 }]);
    expect(unconfirmed({ version: 8, ...(crowded && { confirmed: crowded }) }, states)).toEqual([x, y]);
    expect(unsettling(shard({ confirmed }), change([x]), false)?.unsettled).toEqual([{ until: 201 }]);
  });

  test("the slot that a wake ends in leaves its state out once more, and the one after it compares all", () => {
    const outcome = { slot: 200, until: 300, states, hasWritten: false, isSure: true, unsure: [] };
    const first = nextConfirmed(after, outcome);
    expect(unconfirmed({ version: 9, slot: 200, confirmed: first }, { ...states, [x]: at(2) })).toEqual([x]);
    const second = nextConfirmed(shard({ version: 9, confirmed: first }), { ...outcome, slot: 300, until: 400 });
    expect(second).not.toHaveProperty("unsettled");
    expect(unconfirmed({ version: 10, confirmed: second }, { ...states, [x]: at(2) })).toEqual([x, y]);
  });

  test.each([
    [200, 1],
    [201, 0],
    [300, 0],
  ])("a state that is unsettled until 201 is left out of the sum of slot %i: %i", (slot, left) => {
    const outcome = { slot, until: slot + 100, states, hasWritten: false, isSure: true, unsure: [] };
    expect(nextConfirmed(after, outcome).unsettled ?? []).toHaveLength(left);
  });

  test("what a slot wrote without an answer cannot be compared in the next two", () => {
    const outcome = { slot: 200, until: 300, states, hasWritten: true, isSure: false, unsure: [y] };
    const unsure = nextConfirmed(shard({ confirmed }), outcome);
    expect(unsure).toMatchObject({ changed: 301, unsettled: [{ until: 301 }] });
    expect(unconfirmed({ version: 8, slot: 200, confirmed: unsure }, { ...states, [y]: at(5) })).toEqual([y]);
    const next = nextConfirmed(shard({ version: 8, confirmed: unsure }), {
      ...outcome,
      slot: 300,
      until: 400,
      unsure: [],
    });
    expect(unconfirmed({ version: 9, slot: 300, confirmed: next }, { ...states, [y]: at(5) })).toEqual([y]);
  });
});
