import { asHpaKey } from "../../../lib/model/hpa-key";
import { Fault } from "../../../lib/model/fault";
import type { LatestValues } from "../../../lib/model/stored/latest";
import type { Shard } from "../../../lib/model/stored/shard";
import type { FailureLine } from "../../../lib/model/report";
import type { HpaResult, HpaTask } from "../../../lib/sync/hpa/hpa-result";
import type { SyncContext } from "../../../lib/sync/ports";
import { writeLatestValues } from "../../../lib/sync/slot/write-latest-values";
import { memoryStore } from "../../fakes/memory-store";

const period = 15_000;
const slot = Date.parse("2026-11-10T12:00:00Z");
const shard: Shard = {
  ...{ cluster: "prod", from: "", to: null, version: 1, slot, heartbeat: slot, behind: {}, entries: 3 },
};
const values = (replicas: number): LatestValues => ({ version: 4, status: { desiredReplicas: replicas } });
const hpa = (name: string) => asHpaKey(`shop/${name}`);

interface Given {
  /** What the slot's HPAs show beyond their states. */
  readonly moved?: Readonly<Record<string, LatestValues>>;
  readonly still?: readonly string[];
  readonly missed?: readonly string[];
  readonly resting?: readonly string[];
  /** Of the HPAs of this slot. */
  readonly rare?: readonly string[];
  readonly stored?: Readonly<Record<string, LatestValues>>;
  /** Age of the stored item at the slot's end, in ms. */
  readonly age?: number;
  /** What reading the stored item rejects with. */
  readonly failure?: Error;
}

async function show({
  moved = {},
  still = [],
  missed = [],
  resting = [],
  rare = [],
  stored,
  age = 60_001,
  failure,
}: Given) {
  const memory = memoryStore();
  const store = failure === undefined ? memory : { ...memory, latest: () => Promise.reject(failure) };
  const keyed = (given: Given["stored"] = {}) =>
    Object.fromEntries(Object.entries(given).map(([name, value]) => [hpa(name), value]));
  if (stored !== undefined) store.latestItems.set("prod ", keyed(stored));
  const result = (name: string, more: object) => ({ key: hpa(name), recorded: true, ...more }) as HpaResult;
  const results = [
    ...Object.entries(moved).map(([name, latest]) => result(name, { latest })),
    ...still.map((name) => result(name, {})),
    ...missed.map((name) => result(name, { recorded: false })),
  ];
  const task = (name: string): HpaTask =>
    ({ key: hpa(name), ...(rare.includes(name) && { periodClass: "60/0" }) }) as Partial<HpaTask> as HpaTask;
  const failures: FailureLine[] = [];
  const latest = await writeLatestValues(
    { store, reporter: { failed: (line: FailureLine) => failures.push(line) } as never },
    {
      shard: stored === undefined ? shard : { ...shard, latest: slot + period - age },
      results,
      slotTasks: { tasks: results.map(({ key }) => task(key.slice(5))), resting: resting.map(task) },
      message: { cluster: "prod", from: "", slot, until: slot + period },
      now: slot + 900,
      context: { signal: new AbortController().signal } as SyncContext,
    },
  );
  const item = store.latestItems.get("prod ") ?? {};
  const shown = Object.fromEntries(
    Object.entries(item).map(([key, { status }]) => [key.slice(5), status.desiredReplicas]),
  );
  return { latest, shown, failures, store };
}

test("while nothing shows more than its state, nothing is read or written", async () => {
  const { latest, store } = await show({ still: ["a"] });
  expect([latest, store.calls]).toEqual([undefined, {}]);
});

test("the first values are written with the slot that has them", async () => {
  const { latest, shown, store } = await show({ moved: { a: values(3) }, missed: ["b"] });
  expect([latest, shown]).toEqual([slot, { a: 3 }]);
  expect(store.calls).toEqual({ putLatest: 1 });
});

test.each([
  ["of a minute stays", 60_000, { a: 1 }, slot + period - 60_000],
  ["of more than a minute is replaced", 60_001, { a: 2 }, slot],
])("an item %s", async (_name, age, expected, writtenAt) => {
  const { latest, shown } = await show({ moved: { a: values(2) }, stored: { a: values(1) }, age });
  expect([latest, shown]).toEqual([writtenAt, expected]);
});

test("an HPA that rests in the next slot is shown now, however young the item is", async () => {
  const given = { moved: { a: values(2), b: values(5) }, stored: { a: values(1) }, age: period };
  expect((await show({ ...given, rare: ["b"] })).shown).toEqual({ a: 2, b: 5 });
  expect((await show(given)).shown).toEqual({ a: 1 });
});

test("a rare HPA whose values stand still is no reason to write", async () => {
  const given = { moved: { a: values(2) }, still: ["b"], rare: ["b"], stored: { a: values(1) }, age: period };
  expect((await show(given)).shown).toEqual({ a: 1 });
});

test("when all were seen, only what moved is shown, and nothing is read", async () => {
  const { shown, store } = await show({
    moved: { a: values(2) },
    still: ["b"],
    stored: { a: values(1), b: values(7) },
  });
  expect(shown).toEqual({ a: 2 });
  expect(store.calls).toEqual({ putLatest: 1 });
});

test.each<[string, Given]>([
  ["that a slot did not reach", { missed: ["b"] }],
  ["that rest", { resting: ["b"] }],
])("HPAs %s show what they showed", async (_name, given) => {
  const stored = { a: values(1), b: values(7), gone: values(9) };
  const { shown } = await show({ moved: { a: values(2) }, still: ["c"], stored, ...given });
  expect(shown).toEqual({ a: 2, b: 7 });
});

test("an HPA that was seen and shows no more than its state is dropped, although another one was missed", async () => {
  const { shown } = await show({ still: ["a"], missed: ["b"], stored: { a: values(1), b: values(7) } });
  expect(shown).toEqual({ b: 7 });
});

test("an item that would say the same is not written again, and counts as written", async () => {
  const { latest, store } = await show({
    moved: { a: values(2) },
    resting: ["b"],
    stored: { a: values(2), b: values(7) },
  });
  expect([latest, store.calls]).toEqual([slot, { latest: 1 }]);
});

test("when nothing is shown any more, the item is emptied, and the shard forgets it", async () => {
  const { latest, shown } = await show({ still: ["a"], stored: { a: values(1) } });
  expect([latest, shown]).toEqual([undefined, {}]);
});

test("a table that refuses is reported, and the next slot tries again", async () => {
  const given = { moved: { a: values(2) }, resting: ["b"], stored: { a: values(1) } };
  const { latest, shown, failures } = await show({ ...given, failure: new Fault("throttled", "too fast") });
  expect([latest, shown]).toEqual([slot + period - 60_001, { a: 1 }]);
  expect(failures).toEqual([{ cluster: "prod", reason: "LatestNotWritten", message: "too fast", at: slot + 900 }]);
  await expect(show({ ...given, failure: new TypeError("a bug") })).rejects.toThrow(TypeError);
});
