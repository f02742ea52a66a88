import { type HpaKey } from "../../../lib/model/hpa-key";
import { Fault } from "../../../lib/model/fault";
import type { FailureLine } from "../../../lib/model/report";
import {
  eventName,
  openEventRecorder,
  type EmittedEvents,
  type EventRecorder,
} from "../../../lib/sync/events/event-recorder";
import type { Store } from "../../../lib/model/ports/store";
import { memoryStore } from "../../fakes/memory-store";
import { slotAt } from "../sync-fixture";

const signal = new AbortController().signal;
const failed = { type: "Warning", reason: "FailedGetScale", message: "gone" } as const;
const scaled = (to: number) => ({ type: "Normal", reason: "SuccessfulRescale", message: `New size: ${to}` }) as const;
const hpa = (key: HpaKey, ...events: EmittedEvents["events"]): EmittedEvents => ({ key, events, isNew: false });

/** A table, and processes that record what their syncs emit into it. */
function setUp() {
  const clock = { now: slotAt(0) };
  const store = memoryStore(() => clock.now);
  const lines: FailureLine[] = [];
  const process = (far: Store = store): EventRecorder =>
    openEventRecorder({ store: far, reporter: { failed: (line) => void lines.push(line) } });
  /** One sync, in the slot of this index. */
  const record = (
    recorder: EventRecorder,
    index: number,
    hpas: readonly EmittedEvents[],
    { from = "", to = null, inTime = () => true }: { from?: string; to?: string | null; inTime?: () => boolean } = {},
  ) => {
    clock.now = slotAt(index);
    return recorder.record({ range: { cluster: "prod", from, to }, at: clock.now, hpas }, { inTime, signal });
  };
  const shown = async () => {
    const all = await store.events({ cluster: "prod", from: "", to: null }, signal);
    return all.flatMap(({ key, events }) => events.map(({ reason, count }) => `${key} ${reason} x${count}`));
  };
  const calls = () => ({ reads: store.calls.eventLogs ?? 0, writes: store.calls.replaceEvents ?? 0 });
  return { store, clock, lines, process, record, shown, calls };
}

test("an emitted event is kept under its HPA", async () => {
  const { process, record, shown, calls } = setUp();
  const recorder = process();
  await record(recorder, 0, [hpa("shop/a", failed, scaled(2)), hpa("shop/b"), hpa("shop/c", failed)]);
  await record(recorder, 1, [hpa("shop/a", failed)]);
  expect(await shown()).toEqual([
    "shop/a SuccessfulRescale x1",
    "shop/a FailedGetScale x2",
    "shop/c FailedGetScale x1",
  ]);
  expect(calls()).toEqual({ reads: 1, writes: 3 });
});

test("a sync that emits nothing asks for nothing", async () => {
  const { process, record, calls } = setUp();
  await record(process(), 0, [hpa("shop/a"), hpa("shop/b")]);
  expect(calls()).toEqual({ reads: 0, writes: 0 });
});

test("an HPA that keeps failing costs one read, 26 writes in the first seven minutes, then one write in five", async () => {
  const { process, record, shown, calls } = setUp();
  const recorder = process();
  for (let slot = 0; slot < 240; slot++) await record(recorder, slot, [hpa("shop/a", failed)]);
  expect(calls()).toEqual({ reads: 1, writes: 26 + 10 });
  expect(await shown()).toEqual(["shop/a FailedGetScale x221"]);
});

test("processes that take turns count the same events, with the same number of effective writes", async () => {
  const { process, record, shown, calls } = setUp();
  const processes = [process(), process()];
  for (let slot = 0; slot < 240; slot++) {
    const recorder = processes[Math.floor(slot / 3) % 2];
    if (recorder !== undefined) await record(recorder, slot, [hpa("shop/a", failed)]);
  }
  const [line = ""] = await shown();
  // What one of them has dropped is written by that one, with the next event that it may record.
  expect(Number(line.split("x")[1])).toBeGreaterThan(200);
  expect(calls().reads).toBe(2);
  expect(calls().writes).toBeLessThan(110);
});

test("two that write at once both count", async () => {
  const { process, record, shown } = setUp();
  await Promise.all([1, 2, 3].map(() => record(process(), 0, [hpa("shop/a", failed)])));
  expect(await shown()).toEqual(["shop/a FailedGetScale x3"]);
});

test("when a thousand begin to fail at once, each slot writes 250, longest waiting first", async () => {
  const { process, record, shown, calls } = setUp();
  const recorder = process();
  const all = Array.from({ length: 1_000 }, (_, index) => hpa(`shop/${String(index).padStart(4, "0")}`, failed));
  for (const [slot, kept] of [250, 500, 750, 1_000].entries()) {
    await record(recorder, slot, all);
    expect(await shown()).toHaveLength(kept);
    expect(calls()).toEqual({ reads: 1, writes: kept });
  }
  await record(recorder, 4, []);
  expect((await shown()).slice(0, 2)).toEqual(["shop/0000 FailedGetScale x4", "shop/0001 FailedGetScale x4"]);
});

test("a shard's sync leaves the events of other shards alone", async () => {
  const { process, record, shown } = setUp();
  const recorder = process();
  await record(recorder, 0, [hpa("shop/a", failed)], { to: "shop/b", inTime: () => false });
  await record(recorder, 0, [hpa("shop/c", failed)], { from: "shop/b" });
  expect(await shown()).toEqual(["shop/c FailedGetScale x1"]);
});

test("the next sync writes what the last one had no time for", async () => {
  const { process, record, shown } = setUp();
  const recorder = process();
  await record(recorder, 0, [hpa("shop/a", failed)]);
  await record(recorder, 1, [hpa("shop/a", scaled(3))], { inTime: () => false });
  expect(await shown()).toEqual(["shop/a FailedGetScale x1"]);
  await record(recorder, 2, []);
  expect(await shown()).toEqual(["shop/a FailedGetScale x1", "shop/a SuccessfulRescale x1"]);
});

test("a new HPA of a deleted one's name starts fresh", async () => {
  const { process, store, record, shown } = setUp();
  const recorder = process();
  for (let slot = 0; slot < 30; slot++) await record(recorder, slot, [hpa("shop/a", failed), hpa("shop/b", failed)]);
  store.eventItems.clear();
  recorder.forget("prod", "shop/b");
  await record(recorder, 31, [{ ...hpa("shop/a", failed), isNew: true }, hpa("shop/b", failed)]);
  expect(await shown()).toEqual(["shop/a FailedGetScale x1", "shop/b FailedGetScale x1"]);
});

test("an expired item is created again from what has occurred since", async () => {
  const { process, store, record, shown } = setUp();
  const recorder = process();
  await record(recorder, 0, [hpa("shop/a", failed)]);
  store.eventItems.clear();
  await record(recorder, 1, [hpa("shop/a", scaled(2))]);
  expect(await shown()).toEqual(["shop/a SuccessfulRescale x1"]);
});

test("a refusing table is reported once per reason; nothing is thrown, and unsaved events are kept", async () => {
  const { process, store, lines, record, shown } = setUp();
  let refusal: Fault | undefined = new Fault("throttled", "table ebb: PutItem was throttled");
  const recorder = process({
    ...store,
    replaceEvents: (...args) => (refusal === undefined ? store.replaceEvents(...args) : Promise.reject(refusal)),
  });
  const both = [hpa("shop/a", failed), hpa("shop/b", failed)];
  await record(recorder, 0, both);
  await record(recorder, 1, both);
  expect(lines).toEqual([
    {
      cluster: "prod",
      hpas: 2,
      reason: "FailedRecordEvents",
      message: "table ebb: PutItem was throttled",
      at: slotAt(0),
    },
  ]);
  refusal = new Fault("forbidden", "table ebb: the credentials lack dynamodb:PutItem");
  await record(recorder, 2, both);
  refusal = undefined;
  await record(recorder, 3, []);
  expect(await shown()).toEqual(["shop/a FailedGetScale x3", "shop/b FailedGetScale x3"]);
  expect(lines.map(({ message }) => message)).toHaveLength(2);
});

test("a table or item that cannot be read is reported with the HPA", async () => {
  const { process, store, lines, record, shown } = setUp();
  const broken = { broken: "entries: expected a list, got nothing" };
  const recorder = process({ ...store, eventLogs: () => Promise.resolve(new Map([["shop/a", broken]])) });
  await record(recorder, 0, [hpa("shop/a", failed), hpa("shop/b", failed)]);
  expect(lines).toEqual([
    expect.objectContaining({ key: "shop/a", message: expect.stringContaining("EVENTS#shop/a: entries:") as string }),
  ]);
  const blind = process({ ...store, eventLogs: () => Promise.reject(new Fault("unreachable", "table ebb: away")) });
  await record(blind, 1, [hpa("shop/c", failed)]);
  expect(lines.at(-1)).toMatchObject({ key: "shop/c", message: "table ebb: away" });
  expect(await shown()).toEqual(["shop/b FailedGetScale x1"]);
});

test("a write whose answer was lost is repeated: rather counted twice than never", async () => {
  const { process, store, record, shown } = setUp();
  let loses = true;
  const recorder = process({
    ...store,
    replaceEvents: async (...args) => {
      const written = await store.replaceEvents(...args);
      if (loses) throw new Fault("lost", "not known whether the write was applied");
      return written;
    },
  });
  await record(recorder, 0, [hpa("shop/a", failed)]);
  loses = false;
  await record(recorder, 1, []);
  expect(await shown()).toEqual(["shop/a FailedGetScale x2"]);
});

test("an event's name is the HPA's and the moment in nanoseconds, one more for each event of the moment", () => {
  const at = Date.parse("2026-03-01T12:00:00Z");
  expect(eventName("shop/orders", at + 0.7, 0)).toBe(`orders.${1772366400000000000n.toString(16)}`);
  expect(eventName("shop/orders", at, 2)).toBe(`orders.${1772366400000000002n.toString(16)}`);
});

test("what is reported of a defect names the place in ebb", async () => {
  const { process, store, lines, record } = setUp();
  const defect = new TypeError("x is not a function");
  const bare = Object.assign(new Error("no stack"), { stack: undefined });
  for (const [slot, error] of [defect, bare, "a text"].entries()) {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- whatever is thrown
    await record(process({ ...store, replaceEvents: () => Promise.reject(error) }), slot, [hpa("shop/a", failed)]);
  }
  expect(lines.map(({ message }) => message)).toEqual([defect.stack, "no stack", "a text"]);
});

test("a failure that is over is reported again when it returns", async () => {
  const { process, store, lines, record } = setUp();
  let refuses = true;
  const throttled = new Fault("throttled", "busy");
  const recorder = process({
    ...store,
    replaceEvents: (...args) => (refuses ? Promise.reject(throttled) : store.replaceEvents(...args)),
  });
  await record(recorder, 0, [hpa("shop/a", failed)]);
  refuses = false;
  await record(recorder, 1, []);
  refuses = true;
  await record(recorder, 2, [hpa("shop/a", failed)]);
  expect(lines.map(({ at }) => at)).toEqual([slotAt(0), slotAt(2)]);
});

describe("two syncs at once in one process", () => {
  /** A table whose reads wait until they are let go. */
  function slow() {
    const { store, process, record } = setUp();
    const waiting: (() => void)[] = [];
    const order: string[] = [];
    const recorder = process({
      ...store,
      async eventLogs(cluster, keys, within) {
        order.push(keys.join());
        await new Promise<void>((resolve) => waiting.push(resolve));
        return store.eventLogs(cluster, keys, within);
      },
    });
    const settle = () => new Promise((resolve) => setImmediate(resolve));
    return { recorder, record, order, waiting, settle };
  }

  test("of one shard: one after the other, and a third later", async () => {
    const { recorder, record, order, waiting, settle } = slow();
    const both = [record(recorder, 0, [hpa("shop/a", failed)]), record(recorder, 0, [hpa("shop/b", failed)])];
    await settle();
    expect(order).toEqual(["shop/a"]);
    waiting[0]?.();
    await settle();
    expect(order).toEqual(["shop/a", "shop/b"]);
    const third = record(recorder, 1, [hpa("shop/c", failed)]);
    await settle();
    expect(order).toEqual(["shop/a", "shop/b"]);
    waiting[1]?.();
    await settle();
    expect(order).toEqual(["shop/a", "shop/b", "shop/c"]);
    waiting[2]?.();
    await Promise.all([...both, third]);
  });

  test("of two shards: at the same time", async () => {
    const { recorder, record, order, waiting, settle } = slow();
    const left = record(recorder, 0, [hpa("shop/a", failed)], { to: "shop/b" });
    const right = record(recorder, 0, [hpa("shop/b", failed)], { from: "shop/b" });
    await settle();
    expect(order).toEqual(["shop/a", "shop/b"]);
    for (const go of waiting) go();
    await Promise.all([left, right]);
  });
});

test("without the cluster's entry, nothing is shown on a target", async () => {
  const { store, clock } = setUp();
  const shown: string[] = [];
  const recorder = openEventRecorder({
    store,
    reporter: { failed: () => undefined },
    mirror: { show: (entry, events) => Promise.resolve(void shown.push(`${entry.name} ${events.length}`)) },
  });
  const target = { apiVersion: "apps/v1", kind: "Deployment", name: "a", namespace: "shop", uid: "u" };
  const entry = {
    name: "prod",
    spec: { endpoint: "https://x.example", auth: { type: "token", secret: "ebb/x" } },
  } as const;
  const emit = (more: object, at: number) =>
    recorder.record(
      { ...more, range: { cluster: "prod", from: "", to: null }, at, hpas: [{ ...hpa("shop/a", failed), target }] },
      { inTime: () => true, signal },
    );
  await emit({}, clock.now);
  await emit({ entry }, clock.now + 15_000);
  expect(shown).toEqual(["prod 1"]);
});
