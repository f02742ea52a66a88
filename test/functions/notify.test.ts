import type { Context } from "aws-lambda";
import { notifyHandler } from "../../functions/notify";
import { notifySettings } from "../../functions/notify-wiring";
import { openReporter, type Telemetry } from "../../functions/reporter";
import { PutItemCommand } from "../../lib/aws/http/dynamodb-commands";
import { asHpaKey } from "../../lib/model/hpa-key";
import type { RefusedEvent } from "../../lib/model/ports/publisher";
import type { State } from "../../lib/model/stored/state";
import { type Item, toItem } from "../../lib/table/items/attributes";
import { encodeState } from "../../lib/table/items/hpa-items";
import { hpaItemKey, stateKey } from "../../lib/table/items/keys";
import { openNotifiedStore } from "../../lib/table/notified";
import { memoryDynamodb, memoryTableName } from "../fakes/memory-dynamodb";
import { fakePublisher } from "../notify/fake-publisher";
import { atMax, minutes, noon, ourZero, settingsWith, stateAt } from "../notify/states";

const context = { awsRequestId: "request-1", getRemainingTimeInMillis: () => 60_000 } as unknown as Context;

function open() {
  const client = memoryDynamodb();
  let clock = noon;
  const now = () => clock;
  const topic = fakePublisher();
  const said: string[] = [];
  const reporter: Telemetry = {
    ...openReporter(),
    warned: (message) => void said.push(message),
    invocationFailed: (error) => void said.push(`failed: ${String(error)}`),
    flush: () => undefined,
  };
  const store = openNotifiedStore({ client, name: memoryTableName }, now);
  const ports = { store, publisher: topic.publisher, reporter, now };
  const handle = notifyHandler({ ports, settings: settingsWith(), reporter });
  return {
    ...{ topic, said },
    at: (moment: number) => void (clock = moment),
    put: (item: Item) => client.send(new PutItemCommand({ TableName: memoryTableName, Item: item })),
    handle: (event: unknown) => handle(event, context),
    types: () => topic.sent().map(({ type, ...one }) => `${type} ${"subject" in one ? one.subject : ""}`),
  };
}

let sequence = 0;

/** As Lambda hands over a record of the stream. */
function record(key: string, before: State | undefined, after: State | undefined | object) {
  const imageOf = (state: object) => ({ ...encodeState("prod", asHpaKey(key), state as State) });
  return {
    eventName: "MODIFY",
    dynamodb: {
      Keys: toItem(stateKey("prod", asHpaKey(key))),
      ...(before && { OldImage: imageOf(before) }),
      ...(after && { NewImage: imageOf(after) }),
      SequenceNumber: String(++sequence),
    },
  };
}

const entryOf = (key: string) => toItem({ ...hpaItemKey("prod", asHpaKey(key)), spec: { minReplicas: 0 } });
const zero = { ...ourZero, current: 2, desired: 0, scaledAt: "2026-03-01T12:00:00Z" };
const zeroed = (key: string) => record(key, stateAt(noon, 1), stateAt(noon, 2, zero));

test("records of states become notifications, and the schedule announces what lasts", async () => {
  const { handle, put, at, types } = open();
  for (const key of ["shop/orders", "shop/mail"]) await put(entryOf(key));
  const full = stateAt(noon, 2, atMax);
  await put(encodeState("prod", asHpaKey("shop/mail"), full));
  const answer: unknown = await handle({
    Records: [zeroed("shop/orders"), record("shop/mail", stateAt(noon, 1), full)],
  });
  expect(answer).toEqual({ batchItemFailures: [] });
  at(noon + minutes(10));
  await handle({ time: "2026-03-01T12:10:00Z" });
  expect(types()).toEqual(["dev.ebb.hpa.scaled-to-zero shop/orders", "dev.ebb.hpa.at-max shop/mail"]);
});

test("a state that cannot be read is skipped by name, and harms no other", async () => {
  const { handle, put, types, said } = open();
  await put(entryOf("shop/orders"));
  const answer: unknown = await handle({
    Records: [
      record("shop/broken", stateAt(noon, 1), { version: "x" }),
      record("shop/newer", stateAt(noon, 1), { ...stateAt(noon, 2, zero), format: 99 }),
      { dynamodb: { Keys: toItem(hpaItemKey("prod", asHpaKey("shop/orders"))) } },
      { dynamodb: { Keys: 7 } },
      {},
      zeroed("shop/orders"),
    ],
  });
  expect(answer).toEqual({ batchItemFailures: [] });
  expect(types()).toEqual(["dev.ebb.hpa.scaled-to-zero shop/orders"]);
  expect(said).toEqual([
    expect.stringMatching(/^prod: shop\/broken: skipped, because its state cannot be read: version: expected/),
    expect.stringMatching(/^prod: shop\/newer: skipped.*a newer version of ebb wrote the item/),
  ]);
});

test("Lambda gets the first record that must come again", async () => {
  const { handle, put, topic, types } = open();
  const keys = ["shop/a", "shop/b", "shop/c"];
  for (const key of keys) await put(entryOf(key));
  topic.publisher.publish = (events) => {
    topic.calls.push(events);
    const refused =
      topic.calls.length > 1 ? [] : events.filter((event) => "subject" in event && event.subject !== "shop/a");
    return Promise.resolve(
      new Map(refused.map(({ id }): [string, RefusedEvent] => [id, { message: "slow", isFinal: false }])),
    );
  };
  const Records = keys.map(zeroed);
  expect(await handle({ Records })).toEqual({
    batchItemFailures: [{ itemIdentifier: Records[1]?.dynamodb.SequenceNumber }],
  });
  expect(await handle({ Records: Records.slice(1) })).toEqual({ batchItemFailures: [] });
  expect(types().map((line) => line.at(-1))).toEqual(["a", "b", "c", "b", "c"]);
});

test.each([[undefined], ["text"], [{ Records: 7 }]])("an event that is none is an error: %j", async (event) => {
  await expect(open().handle(event)).rejects.toThrow(/expected (an object|a batch of records|an instant)/);
});

describe("settings", () => {
  test("have the stack's defaults", () => {
    expect(notifySettings({})).toEqual({ ...settingsWith(), stack: "ebb" });
  });

  test("are read from the environment", () => {
    const env = {
      ...{
        NOTIFY_MINUTES: "5",
        NOTIFY_FAILING_MINUTES: "0",
        NOTIFY_HOURLY_CAP: "7",
        NOTIFY_TYPES: "failing, recovered",
      },
      ...{ NOTIFY_CLUSTERS: "prod", NOTIFY_NAMESPACES: "shop,mail", NOTIFY_LABELS: "team in (shop)" },
    };
    const { afterMs, hourlyCap, filters } = notifySettings(env);
    expect(afterMs).toEqual({
      failing: 0,
      "unknown-metric": minutes(5),
      "at-max": minutes(5),
      "not-woken": minutes(5),
    });
    expect(hourlyCap).toBe(7);
    expect([filters.types, filters.clusters, filters.namespaces].map((set) => [...set])).toEqual([
      ["failing", "recovered"],
      ["prod"],
      ["shop", "mail"],
    ]);
  });

  test.each([
    [{ NOTIFY_MINUTES: "soon" }, "NOTIFY_MINUTES: expected a whole number of minutes, got soon"],
    [{ NOTIFY_HOURLY_CAP: "0" }, "NOTIFY_HOURLY_CAP: expected a whole number, 1 or more, got 0"],
    [{ NOTIFY_TYPES: "asleep" }, "NOTIFY_TYPES: expected scaled-to-zero, scaled-from-zero, failing,"],
    [{ NOTIFY_LABELS: "team in" }, "NOTIFY_LABELS: expected a label selector, got team in: "],
  ])("%j is refused", (env, message) => {
    expect(() => notifySettings(env)).toThrow(`environment variable ${message}`);
  });
});
