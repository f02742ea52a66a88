import { asHpaKey } from "../../../lib/model/hpa-key";
import { isClassDue, type PeriodClass, periodClass } from "../../../lib/model/stored/last-observed";
import type { ShardContents } from "../../../lib/model/ports/store";
import type { Shard } from "../../../lib/model/stored/shard";
import type { State } from "../../../lib/model/stored/state";
import type { HpaResult } from "../../../lib/sync/hpa/hpa-result";
import { deletedFrom, lastSync, tasksOf } from "../../../lib/sync/slot/slot-tasks";
import { observedInSlot } from "../../../lib/sync/slot/write-latest-values";
import { document, queueSpec } from "../sync-fixture";

const period = 15_000;
const slot = 60 * period;
const message = { cluster: "prod", from: "", slot, until: slot + period };
const shard: Shard = {
  ...{ cluster: "prod", from: "", to: null, version: 1, slot: slot - period, heartbeat: slot - period + 300 },
  ...{ behind: {}, entries: 3 },
};
const state = (more: Partial<State> = {}): State => ({
  ...{ version: 4, slot: 1, status: {}, history: null, open: true },
  ...more,
});
const warnings = [{ type: "Warning" as const, reason: "R", message: "m" }];
const contents = (states: Readonly<Record<string, State>>, names = ["a", "b", "c"]) =>
  ({
    hpas: names.map((name) => ({ key: asHpaKey(`shop/${name}`), document: { name } })),
    states,
    brokenStates: {},
  }) as unknown as ShardContents;

const begun = (states: Readonly<Record<string, State>>, more: Partial<Shard> = {}) =>
  tasksOf(contents(states), { ...shard, ...more }, { message, isUnconfirmed: () => false }).tasks;

test("those that were not reached begin first, those that failed last", () => {
  const states = { "shop/a": state({ warnings }), "shop/b": state({ warnings: [] }) };
  const order = (behind: Shard["behind"]) => begun(states, { behind }).map(({ key }) => key);
  expect(order({})).toEqual(["shop/b", "shop/c", "shop/a"]);
  expect(order({ "shop/c": 7 })).toEqual(["shop/c", "shop/b", "shop/a"]);
  // What failed and was not reached waits all the same: its endpoint may not answer again.
  expect(order({ "shop/a": 7 })).toEqual(["shop/b", "shop/c", "shop/a"]);
});

test("a task has the entry, the state and the last observation of its HPA", () => {
  const [first, second] = begun({ "shop/a": state() }, { behind: { "shop/b": 7 } });
  expect(first).toMatchObject({ key: "shop/b", document: { name: "b" }, state: undefined, lastObserved: 7 });
  expect(second).toMatchObject({ key: "shop/a", state: state(), lastObserved: shard.heartbeat });
  expect(first?.entry).toHaveProperty("errors");
});

test("an HPA whose state cannot be read is left out", () => {
  const { brokenStates: _, ...rest } = contents({});
  const { tasks } = tasksOf({ ...rest, brokenStates: { "shop/b": "format" } }, shard, {
    message,
    isUnconfirmed: () => false,
  });
  expect(tasks.map(({ key }) => key)).toEqual(["shop/a", "shop/c"]);
});

test("after a slot that nobody finished, an HPA may have been seen until now", () => {
  const unfinished = { slot: slot - 2 * period };
  expect(begun({}, unfinished).map(({ lastObserved }) => lastObserved)).toEqual([slot, slot, slot]);
  expect(begun({}, { ...unfinished, heartbeat: slot + 9 })[0]?.lastObserved).toBe(slot + 9);
});

describe("another run may still write", () => {
  const mayHaveConcurrentRun = (...given: Parameters<typeof begun>) =>
    begun(...given)
      .filter((task) => task.mayHaveConcurrentRun)
      .map(({ key }) => key);
  const all = ["shop/a", "shop/b", "shop/c"];

  test.each<[string, Parameters<typeof begun>, readonly string[]]>([
    ["nothing", [{ "shop/a": state({ slot: shard.slot }) }], []],
    ["all, after a slot that nobody finished", [{}, { slot: slot - 2 * period }], all],
    ["all, after a write for this slot", [{ "shop/a": state(), "shop/b": state({ slot }) }], all],
    ["one that was not reached", [{}, { behind: { "shop/c": 7 } }], ["shop/c"]],
    ["one that was woken since", [{ "shop/b": state({ wake: { at: shard.slot + 1, done: true } }) }], ["shop/b"]],
    ["none that was woken before", [{ "shop/b": state({ wake: { at: shard.slot, done: true } }) }], []],
  ])("%s", (_name, given, expected) => {
    expect(mayHaveConcurrentRun(...given)).toEqual(expected);
  });
});

test("a run that closed a span may still be active, and so may another one after an unfinished slot", () => {
  const closing = { closedAt: slot - period, decision: { at: slot - period, from: 1, desiredReplicas: 1, steps: [] } };
  const [a, b] = begun({ "shop/a": state({ ...closing, slot: shard.slot }), "shop/b": state() });
  expect([a?.mayHaveConcurrentRun, b?.mayHaveConcurrentRun]).toEqual([true, false]);
  const readers = (more: Partial<Shard>) => begun({}, more).map(({ hasConcurrentReader }) => hasConcurrentReader);
  expect(readers({})).toEqual([true, true, true]);
  expect(readers({ slot: slot - 2 * period })).toEqual([false, false, false]);
});

test.each([
  ["in its own slot", 100, 100, 100],
  ["later", 100, 101, 100],
  ["before it: the slot failed, and nothing was observed", 100, 99, 99 - period],
])("a heartbeat %s", (_name, finished, heartbeat, expected) => {
  expect(lastSync({ slot: finished, heartbeat }, message)).toBe(expected);
});

test("a state without an entry is one of a deleted HPA", () => {
  expect(deletedFrom(contents({ "shop/a": state(), "shop/gone": state({ version: 9 }) }))).toEqual([
    { key: "shop/gone", version: 9 },
  ]);
});

test("who is behind: what is not recorded, in the range, with a key that can be kept", () => {
  const result = (key: string, recorded = false) => ({ key, recorded }) as HpaResult;
  const longest = `${"n".repeat(63)}/${"x".repeat(253)}`;
  const results = [
    result("shop/a"),
    result("shop/b", true),
    result("team/c"),
    result("shop/d"),
    result(longest),
    result(`${longest}x`),
  ];
  const left = { ...shard, to: "team/", behind: { "shop/d": 7 } };
  const slotTasks = { tasks: [], resting: [], classes: [], shorter: [] };
  expect(observedInSlot(left, { message, now: slot }, { ...slotTasks, results }).behind).toEqual({
    "shop/a": shard.heartbeat,
    "shop/d": 7,
    [longest]: shard.heartbeat,
  });
});

describe("an HPA with a longer period of its own", () => {
  const key = asHpaKey("shop/a");
  const [before, after] = [300, 600].map((seconds) => periodClass(key, seconds, period)!) as [PeriodClass, PeriodClass];
  const ownPeriods = { heartbeat: shard.heartbeat, seen: { [before]: 7_000, [after]: 3_000 } };
  const given = { "shop/a": state({ syncPeriodSeconds: 300 }) };

  test("was last seen by the period of its state, whatever its entry says now", () => {
    const own = begun(given, { ownPeriods }).find((task) => task.key === key);
    expect(own).toMatchObject({ periodClass: before, lastObserved: 7_000 });
  });

  test("a version that moved the heartbeat alone has seen it too", () => {
    const [own] = begun(given, { ownPeriods: { ...ownPeriods, heartbeat: 1 } });
    expect(own?.lastObserved).toBe(shard.heartbeat);
  });

  test("a slot that nobody finished may have seen it only if it was due there", () => {
    const lastSeenAfter = (finished: number) =>
      begun(given, { slot: finished, ownPeriods }).find((task) => task.key === key)?.lastObserved;
    const due = [...Array(40).keys()]
      .map((index) => slot - (index + 2) * period)
      .find((at) => isClassDue(before, { after: at, until: slot - period }));
    expect(lastSeenAfter(slot - 2 * period)).toBe(due === slot - 2 * period ? slot : 7_000);
    expect(lastSeenAfter(due!)).toBe(slot);
  });
});

describe("an HPA with a longer period rests until it is due", () => {
  const entryOf = (seconds?: string, more: object = {}, key = "shop/a") => {
    const entry = document(queueSpec, key) as { readonly metadata: object };
    const annotations = { ...(seconds && { "ebb.dev/sync-period": seconds }), ...more };
    return { ...entry, metadata: { ...entry.metadata, annotations } };
  };
  const rests = state({ syncPeriodSeconds: 3_600, slot: 1 });
  const of = (given: { state?: State | undefined; document?: object; shard?: Partial<Shard> }) => {
    const listed = [{ key: asHpaKey("shop/a"), document: given.document ?? entryOf("1h") }];
    const states = "state" in given ? (given.state ? { "shop/a": given.state } : {}) : { "shop/a": rests };
    const all = { ...contents(states, []), hpas: listed } as unknown as ShardContents;
    return tasksOf(all, { ...shard, ...given.shard }, { message, isUnconfirmed: () => false });
  };
  const isDue = (given: Parameters<typeof of>[0]) => {
    const { tasks, resting } = of(given);
    expect(tasks.length + resting.length).toBe(1);
    return tasks.length === 1;
  };
  const intent = { from: 1, to: 2, at: 1, resourceVersion: "7", countsAsEvent: true, message: "", scaledToZero: false };
  const longAgo = { slot: slot - period, heartbeat: slot - 300 * period };

  test.each<[string, boolean, Parameters<typeof of>[0]]>([
    ["nothing else", false, {}],
    ["it was not reached", true, { shard: { behind: { "shop/a": 7 } } }],
    ["another one was not reached", false, { shard: { behind: { "shop/b": 7 } } }],
    ["it was woken since", true, { state: { ...rests, wake: { at: shard.slot + 1, done: true } } }],
    ["it is new", true, { state: undefined }],
    ["its intent is open", true, { state: { ...rests, intent } }],
    ["it waits for a second reading", true, { state: { ...rests, confirming: true } }],
    ["its period changed", true, { document: entryOf("30m") }],
    ["its entry cannot be read", true, { document: {} }],
    ["no slot was finished since long ago", true, { shard: longAgo }],
    ["the slot before was not finished", true, { shard: { slot: slot - 2 * period } }],
  ])("but if %s: %s", (_why, expected, given) => {
    expect(isDue(given)).toBe(expected);
  });

  test("and is named with the period of its state and that of its entry, once each", () => {
    const names = (given: Parameters<typeof of>[0]) => of(given).classes.map(({ periodClass: name }) => name);
    const [hour, half] = [3_600, 1_800].map((seconds) => periodClass(asHpaKey("shop/a"), seconds, period));
    expect(names({})).toStrictEqual([hour]);
    expect(names({ document: entryOf("30m") })).toStrictEqual([hour, half]);
    expect(names({ document: {} })).toStrictEqual([hour]);
    expect(names({ state: undefined, document: entryOf() })).toStrictEqual([]);
  });

  test("a shorter one is named, unless it is paused or cannot be read: its own wakes would be useless", () => {
    const shorter = (entry: object) => of({ document: entry }).shorter;
    expect(shorter(entryOf("5s"))).toStrictEqual([{ key: "shop/a", seconds: 5 }]);
    expect(shorter(entryOf("15s"))).toStrictEqual([]);
    expect(shorter(entryOf("5s", { "ebb.dev/paused": "true" }))).toStrictEqual([]);
    expect(shorter({})).toStrictEqual([]);
  });

  test("a shorter one beyond the range that is left is the other shard's to wake", () => {
    const named = (to: string | null) =>
      observedInSlot({ ...shard, to }, { message, now: slot }, { ...of({ document: entryOf("5s") }), results: [] })
        .shorterPeriods;
    expect(named(null)).toEqual({ "shop/a": 5 });
    expect(named("shop/a")).toBeUndefined();
  });
});
