import { PutItemCommand } from "../../lib/aws/http/dynamodb-commands";
import { type HpaKey, asHpaKey } from "../../lib/model/hpa-key";
import { Fault } from "../../lib/model/fault";
import type { HpaRef } from "../../lib/model/ports/notified";
import { refText } from "../../lib/model/ports/notified";
import type { RefusedEvent } from "../../lib/model/ports/publisher";
import type { State } from "../../lib/model/stored/state";
import { type HpaChange, notifyOfChanges, notifyOfTime } from "../../lib/notify/notify";
import type { NotifySettings } from "../../lib/notify/settings";
import { toItem } from "../../lib/table/items/attributes";
import { encodeState } from "../../lib/table/items/hpa-items";
import { hpaItemKey, notifiedKey } from "../../lib/table/items/keys";
import { openNotifiedStore } from "../../lib/table/notified";
import { memoryDynamodb, memoryTableName } from "../fakes/memory-dynamodb";
import { fakePublisher } from "./fake-publisher";
import { atMax, failing, minutes, noon, orders, ourZero, settingsWith, stateAt } from "./states";

const { signal } = new AbortController();
const lost = new Fault("timeout", "topic t: no complete answer to sns:Publish in 10 s");
const denied = new Fault("forbidden", "topic t: access denied, the role needs sns:Publish");
const atOnce = { failing: 0, "unknown-metric": 0, "at-max": 0, "not-woken": 0 };

/** A table in memory, and a topic. */
function open(answers: Parameters<typeof fakePublisher>[0] = [], given: Partial<NotifySettings> = {}) {
  const client = memoryDynamodb();
  const topic = fakePublisher(answers);
  const warnings: string[] = [];
  let clock = noon;
  const store = openNotifiedStore({ client, name: memoryTableName }, () => clock);
  let unsent = 0;
  const reporter = {
    warned: (message: string) => void warnings.push(message),
    unsent: (count: number) => void (unsent += count),
  };
  const ports = { store, publisher: topic.publisher, reporter, now: () => clock };
  const settings = settingsWith(given);
  const put = (item: object) => client.send(new PutItemCommand({ TableName: memoryTableName, Item: toItem(item) }));
  return {
    ...{ topic, warnings, store, ports, put },
    at: (moment: number) => void (clock = moment),
    putEntry: ({ cluster, key }: HpaRef, entry: object = {}) =>
      put({ ...hpaItemKey(cluster, key), spec: { minReplicas: 0, maxReplicas: 10 }, ...entry }),
    putState: ({ cluster, key }: HpaRef, state: State) =>
      client.send(new PutItemCommand({ TableName: memoryTableName, Item: encodeState(cluster, key, state) })),
    changes: (...changes: readonly HpaChange[]) =>
      notifyOfChanges(ports, settings, changes, { signal, sendUntil: noon + minutes(600) }),
    minute: () => notifyOfTime(ports, settings, { signal, sendUntil: noon + minutes(600) }),
    types: () => topic.sent().map(({ type }) => type.split(".").at(-1)),
    ids: () => topic.sent().map(({ id }) => id),
    unsent: () => unsent,
  };
}

const change = (before: State | undefined, after: State | undefined, hpa = orders): HpaChange => ({
  hpa,
  before,
  after,
});
const zeroed = (version = 2, hpa = orders) =>
  change(
    stateAt(noon, version - 1),
    stateAt(noon, version, { ...ourZero, current: 2, desired: 0, scaledAt: "2026-03-01T12:00:00Z" }),
    hpa,
  );
const nth = (index: number): HpaRef => ({ cluster: "prod", key: asHpaKey(`shop/web-${index}`) });

test("a batch that comes again sends nothing again", async () => {
  const { changes, putEntry, types } = open();
  await putEntry(orders);
  expect(await changes(zeroed())).toEqual(new Set());
  expect(await changes(zeroed())).toEqual(new Set());
  expect(types()).toEqual(["scaled-to-zero"]);
});

test("after a lost answer, the same id goes again", async () => {
  const { changes, putEntry, ids, warnings, unsent } = open([lost]);
  await putEntry(orders);
  expect(await changes(zeroed())).toEqual(new Set([refText(orders)]));
  expect(await changes(zeroed())).toEqual(new Set());
  const [first, ...others] = ids();
  expect(others).toEqual([first]);
  expect(warnings).toEqual([expect.stringContaining("not sent yet: topic t: no complete answer")]);
  expect(unsent()).toBe(1);
});

test("of a batch that half fails, the other half is not sent again", async () => {
  const { changes, putEntry, topic } = open();
  const batch = [nth(1), nth(2)].map((hpa) => zeroed(2, hpa));
  for (const { hpa } of batch) await putEntry(hpa);
  topic.publisher.publish = (events) => {
    topic.calls.push(events);
    const refused = topic.calls.length === 1 ? events.slice(0, 1) : [];
    return Promise.resolve(new Map(refused.map(({ id }) => [id, { message: "InternalError", isFinal: false }])));
  };
  expect(await changes(...batch)).toEqual(new Set([refText(nth(1))]));
  expect(await changes(...batch)).toEqual(new Set());
  expect(topic.calls.map((events) => events.length)).toEqual([2, 1]);
});

test("an HPA's second event waits for the first", async () => {
  const { changes, putEntry, types } = open([lost], { afterMs: atOnce });
  await putEntry(orders);
  const batch = [
    change(stateAt(noon, 1), stateAt(noon, 2, failing)),
    change(stateAt(noon, 2, failing), stateAt(noon, 3)),
  ];
  await changes(...batch);
  expect(types()).toEqual(["failing"]);
  await changes(...batch);
  expect(types()).toEqual(["failing", "failing", "recovered"]);
});

test("an event that the topic refuses is named and left behind; it stops no other", async () => {
  const bad: RefusedEvent = { message: "InvalidParameter", isFinal: true };
  const { changes, putEntry, topic, warnings, unsent } = open();
  const batch = [nth(1), nth(2)].map((hpa) => zeroed(2, hpa));
  for (const { hpa } of batch) await putEntry(hpa);
  topic.publisher.publish = (events) => {
    topic.calls.push(events);
    if (events.length > 1) return Promise.reject(new Fault("badEntry", "topic t: sns:Publish refused the request"));
    return Promise.resolve(new Map(topic.calls.length === 2 ? [[events[0]?.id ?? "", bad]] : []));
  };
  expect(await changes(...batch)).toEqual(new Set());
  expect(topic.calls.map((events) => events.length)).toEqual([2, 1, 1]);
  expect(unsent()).toBe(1);
  expect(warnings).toEqual([
    expect.stringMatching(/^scaled-to-zero\.2\.\w+: notification refused, and not sent again/),
  ]);
});

test("a topic that may not be used loses nothing within the hour of the stream", async () => {
  const { changes, putEntry, types } = open([denied, denied]);
  await putEntry(orders);
  for (const _ of [1, 2]) expect(await changes(zeroed())).toEqual(new Set([refText(orders)]));
  expect(await changes(zeroed())).toEqual(new Set());
  expect(types()).toHaveLength(3);
});

test("a slow topic gets no call that could not be remembered, and the rest of the batch later", async () => {
  const { ports, at, putEntry, topic, store } = open();
  const batch = Array.from({ length: 100 }, (_, index) => zeroed(2, nth(index)));
  for (const { hpa } of batch) await putEntry(hpa);
  topic.publisher.publish = (events) => {
    topic.calls.push(events);
    at(noon + topic.calls.length * 4_000);
    return Promise.resolve(new Map());
  };
  const again = await notifyOfChanges(ports, settingsWith(), batch, { signal, sendUntil: noon + 20_000 });
  expect(again.size).toBe(50);
  expect(await store.hour(signal)).toMatchObject({ sent: 50, leftOut: 0 });
  await notifyOfChanges(ports, settingsWith(), batch, { signal, sendUntil: noon + minutes(10) });
  const ids = topic.sent().map(({ id }) => id);
  expect([ids.length, new Set(ids).size]).toEqual([100, 100]);
});

describe("the minute's schedule", () => {
  test("announces what has lasted, once, and reads nothing of what has not", async () => {
    const { changes, minute, at, putEntry, putState, types } = open();
    await putEntry(orders);
    const state = stateAt(noon, 8, atMax);
    await putState(orders, state);
    await changes(change(stateAt(noon, 7), state));
    at(noon + minutes(9));
    await minute();
    expect(types()).toEqual([]);
    at(noon + minutes(10));
    await minute();
    await minute();
    expect(types()).toEqual(["at-max"]);
  });

  test("two at once send one id", async () => {
    const { changes, minute, at, putEntry, putState, ids } = open();
    await putEntry(orders);
    await putState(orders, stateAt(noon, 8, atMax));
    await changes(change(stateAt(noon, 7), stateAt(noon, 8, atMax)));
    at(noon + minutes(10));
    await Promise.all([minute(), minute()]);
    expect(new Set(ids()).size).toBe(1);
  });

  test("says nothing of an HPA whose state went on meanwhile", async () => {
    const { changes, minute, at, putEntry, putState, types } = open();
    await putEntry(orders);
    await changes(change(stateAt(noon, 7), stateAt(noon, 8, atMax)));
    await putState(orders, stateAt(noon, 9));
    at(noon + minutes(10));
    await minute();
    expect(types()).toEqual([]);
  });
});

describe("the hourly cap", () => {
  const crowd = Array.from({ length: 1_000 }, (_, index) => zeroed(2, nth(index)));

  test("of 1,000 scalings at once, 100 are sent, and the next hour begins with how many were not", async () => {
    const { changes, minute, at, putEntry, types, topic } = open();
    await Promise.all(crowd.map(({ hpa }) => putEntry(hpa)));
    expect(await changes(...crowd)).toEqual(new Set());
    expect(types()).toHaveLength(100);
    expect(Math.max(...topic.calls.map((events) => events.length))).toBe(10);
    await minute();
    expect(types()).toHaveLength(100);
    at(noon + minutes(60));
    await changes(zeroed(9));
    await minute();
    await minute();
    expect(topic.sent().slice(100)).toEqual([
      expect.objectContaining({
        type: "dev.ebb.notifications.left-out",
        data: expect.objectContaining({ leftOut: 900, cap: 100, hour: "2026-03-01T12:00:00.000Z" }) as object,
      }),
    ]);
    at(noon + minutes(120));
    await putEntry(orders);
    await changes(zeroed(10));
    expect(types().slice(101)).toEqual(["scaled-to-zero"]);
  });

  test("what was not sent takes no room", async () => {
    const { changes, putEntry, store } = open([denied, denied, denied], { hourlyCap: 1 });
    await putEntry(orders);
    for (const _ of [1, 2, 3]) await changes(zeroed());
    expect(await store.hour(signal)).toMatchObject({ sent: 0, leftOut: 0 });
    await changes(zeroed());
    expect(await store.hour(signal)).toMatchObject({ sent: 1, leftOut: 0 });
  });

  test("a report of left out ones that is not sent keeps the count", async () => {
    const { changes, minute, at, putEntry, store } = open([undefined, lost], { hourlyCap: 1 });
    for (const index of [1, 2]) await putEntry(nth(index));
    await changes(zeroed(2, nth(1)), zeroed(2, nth(2)));
    at(noon + minutes(60));
    await expect(minute()).rejects.toThrow("no complete answer");
    expect(await store.hour(signal)).toMatchObject({ leftOut: 1 });
    await minute();
    expect(await store.hour(signal)).toMatchObject({ leftOut: 0 });
  });
});

describe("hostile", () => {
  test("an item of its own that cannot be read is written over", async () => {
    const { changes, putEntry, put, store, types } = open();
    await putEntry(orders);
    await put({ ...notifiedKey(orders.cluster, orders.key), version: "x" });
    expect(await changes(zeroed())).toEqual(new Set());
    expect(types()).toEqual(["scaled-to-zero"]);
    expect(await store.all(signal)).toHaveLength(1);
  });

  test("entries of anything in any place are read as far as they are of use", async () => {
    const keys = ["shop/a", "shop/b", "", "/", "x".repeat(900), "shop/\u0000\u001b[31m", "shop/__proto__"] as HpaKey[];
    const { changes, putEntry, store, types } = open();
    const hpas = keys.map((key) => ({ cluster: "prod", key }));
    const junk = [
      { metadata: 7 },
      { metadata: { labels: [1], annotations: { a: 7 } }, spec: { minReplicas: "x" } },
      {},
    ];
    for (const [index, hpa] of hpas.entries()) await putEntry(hpa, junk[index % junk.length]);
    const found = await store.entries(hpas, signal);
    expect(found.get(refText(hpas[1] as HpaRef))).toEqual({ labels: {}, annotations: {} });
    expect(await changes(...hpas.map((hpa) => zeroed(2, hpa)))).toEqual(new Set());
    expect(types()).toHaveLength(keys.length);
  });
});
