import type { ClusterEntry } from "../../../lib/model/entry/entries";
import { hpaKey } from "../../../lib/model/hpa-key";
import type { State } from "../../../lib/model/stored/state";
import { emitEvents, type EmittingSync, isEmittedAnyway } from "../../../lib/sync/events/emit-events";
import type { Emitted, EventRecorder, RecordingTime } from "../../../lib/sync/events/event-recorder";
import type { HpaResult } from "../../../lib/sync/hpa/hpa-result";

const { signal } = new AbortController();
const range = { cluster: "prod", from: "", to: null };
const [orders, mails, gone] = ["orders", "mails", "gone"].map((name) => hpaKey("shop", name)) as [
  ReturnType<typeof hpaKey>,
  ReturnType<typeof hpaKey>,
  ReturnType<typeof hpaKey>,
];
const warning = { type: "Warning", reason: "FailedGetScale", message: "gone" } as const;
const normal = { type: "Normal", reason: "SuccessfulRescale", message: "New size: 2" } as const;
const target = { apiVersion: "apps/v1", kind: "Deployment", name: "orders", namespace: "shop", uid: "u" };

const result = (over: Partial<HpaResult> = {}): HpaResult => ({
  ...{ key: orders, recorded: true, scaled: false, warnings: [], recovered: false, events: [] },
  ...over,
});

/** What reaches the recorder from a sync of `orders` and `mails`, of which only `orders` has a state. */
async function emitted(results: readonly HpaResult[], over: Partial<EmittingSync> = {}, clock = { now: 0 }) {
  const recorded: { emitted: Emitted; time: RecordingTime }[] = [];
  const recorder: EventRecorder = {
    record: (one, time) => Promise.resolve(void recorded.push({ emitted: one, time })),
    forget: () => undefined,
  };
  await emitEvents(recorder, results, {
    range,
    contents: {
      cluster: { key: "prod", invalid: "broken" },
      hpas: [orders, mails].map((key) => ({ key, document: {} })),
      states: { [orders]: {} as State },
    },
    message: { until: 100 },
    at: 50,
    context: { now: () => clock.now, workedMs: () => 0, deadline: 200, signal },
    ...over,
  });
  const [first] = recorded;
  if (first === undefined || recorded.length > 1) throw new Error("expected one call");
  return first;
}

test("each HPA that is still there, with its target, and whether it is new", async () => {
  const { emitted: all, time } = await emitted([
    result({ events: [warning], target }),
    result({ key: mails, events: [normal] }),
    result({ key: gone, events: [warning] }),
  ]);
  expect(all).toEqual({
    entry: undefined,
    range,
    at: 50,
    hpas: [
      { key: orders, events: [warning], target, isNew: false },
      { key: mails, events: [normal], target: undefined, isNew: true },
    ],
  });
  expect(time.signal).toBe(signal);
});

test("the cluster's entry comes with them, if it can be read", async () => {
  const entry = { name: "prod", spec: {} } as ClusterEntry;
  const contents = { cluster: { key: "prod", value: entry }, hpas: [], states: {} };
  expect((await emitted([], { contents })).emitted.entry).toBe(entry);
});

test.each<[string, number, number, number]>([
  ["the slot", 100, 200, 100],
  ["the invocation, if that is earlier", 300, 200, 200],
])("requests may begin until the end of %s", async (_name, until, deadline, end) => {
  const clock = { now: 0 };
  const context = { now: () => clock.now, workedMs: () => 0, deadline, signal };
  const { time } = await emitted([], { message: { until }, context }, clock);
  const at = (now: number) => {
    clock.now = now;
    return time.inTime();
  };
  expect([at(0), at(end - 1), at(end), at(end + 1)]).toEqual([true, true, false, false]);
});

test.each<[string, Partial<HpaResult>, boolean]>([
  ["a scaling that is recorded", { events: [warning, normal] }, true],
  ["news that is recorded", { events: [warning], news: warning }, true],
  ["a lasting failure: the other run emits it", { events: [warning, warning] }, false],
  ["nothing", {}, false],
  ["a scaling that is not recorded", { recorded: false, events: [normal] }, false],
  ["news that is not recorded", { recorded: false, events: [warning], news: warning }, false],
])("what a run emits although another one finishes the slot: %s", (_name, over, expected) => {
  expect(isEmittedAnyway(result(over))).toBe(expected);
});
