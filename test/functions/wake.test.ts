import type { AttributeValue, Context, DynamoDBRecord } from "aws-lambda";
import { openSlotQueue } from "../../lib/aws/slot-queue";
import { wakeHandler } from "../../functions/wake";
import { decodeQueueMessage } from "../../lib/model/messages";
import { toItem } from "../../lib/table/items/attributes";
import type { QueueReads } from "../../lib/model/ports/queue-reads";
import { openQueueReads } from "../../lib/table/queue-reads";
import { hpaItemKey, stateKey } from "../../lib/table/items/keys";
import { openReporter, type Telemetry } from "../../functions/reporter";
import { tableForTests } from "../cli/table";
import { accepted, fakeSqs } from "./fake-sqs";

const at = Date.parse("2026-03-01T12:00:20.400Z");
const queueUrl = "https://sqs.eu-west-1.amazonaws.com/123456789012/slots";
const context = { awsRequestId: "request-1", getRemainingTimeInMillis: () => 10_000 } as unknown as Context;

const unasked = {} as QueueReads;

function open(answer: Parameters<typeof fakeSqs>[0] = accepted, reads = unasked) {
  const reported: string[] = [];
  const reporter: Telemetry = {
    ...openReporter(),
    started: (id) => reported.push(`started ${id}`),
    invocationFailed: (error) => reported.push(`invocationFailed ${String(error)}`),
    flush: () => reported.push("flush"),
  };
  const { client, calls } = fakeSqs(answer);
  let clock = at;
  const now = () => clock;
  const handle = wakeHandler({ queue: openSlotQueue({ client, queueUrl }), reads, reporter, now });
  const sent = () =>
    calls.flatMap(({ input }) =>
      input.Entries.map(({ MessageBody, DelaySeconds }) => [DelaySeconds, decodeQueueMessage(String(MessageBody))]),
    );
  const later = (ms: number) => void (clock += ms);
  return { handle: (event: unknown) => handle(event, context), later, sent, calls, reported };
}

/** As Lambda hands over a record of the stream. */
function record(keys: object, before?: object, after?: object): DynamoDBRecord {
  const image = (entry: object) => toItem({ ...keys, ...entry }) as Record<string, AttributeValue>;
  return {
    eventID: "1",
    eventName: before === undefined ? "INSERT" : after === undefined ? "REMOVE" : "MODIFY",
    eventSource: "aws:dynamodb",
    dynamodb: {
      Keys: toItem(keys) as Record<string, AttributeValue>,
      ...(before && { OldImage: image(before) }),
      ...(after && { NewImage: image(after) }),
      SequenceNumber: "4421584500000000017450439091",
      StreamViewType: "NEW_AND_OLD_IMAGES",
    },
  };
}

const spec = { scaleTargetRef: { kind: "Deployment", name: "orders" }, maxReplicas: 10 };
const orders = hpaItemKey("prod", "shop/orders");

test("created, changed and deleted entries are sent at once; items that only look alike are not", async () => {
  const { handle, sent, reported } = open();
  await handle({
    Records: [
      record(orders, undefined, { spec }),
      record(hpaItemKey("prod", "shop/invoices"), { spec }, { spec: { ...spec, maxReplicas: 3 } }),
      record(hpaItemKey("prod", "mail/outgoing"), { spec }),
      record(hpaItemKey("prod", "shop/labelled"), { spec }, { spec, metadata: { labels: { team: "orders" } } }),
      record(stateKey("prod", "shop/orders"), { version: 1 }, { version: 2 }),
    ],
  });
  expect(sent()).toEqual([
    [0, { cluster: "prod", namespace: "shop", names: ["orders", "invoices"], at }],
    [0, { cluster: "prod", namespace: "mail", names: ["outgoing"], at }],
  ]);
  expect(reported).toEqual(["started request-1", "flush"]);
});

test("several changes of one entry are one wake", async () => {
  const { handle, sent } = open();
  await handle({
    Records: [record(orders, undefined, { spec }), record(orders, { spec }), record(orders, undefined, { spec })],
  });
  expect(sent()).toHaveLength(1);
});

test("without changes, there is no call", async () => {
  const { handle, calls } = open();
  await handle({ Records: [record(orders, { spec }, { spec, status: { currentReplicas: 3 } })] });
  expect(calls).toEqual([]);
});

test("a queue that takes nothing fails the invocation, so that the records come again", async () => {
  const denied = Object.assign(new Error("not you"), { name: "AccessDenied" });
  const { handle, reported } = open(() => {
    throw denied;
  });
  await expect(handle({ Records: [record(orders, undefined, { spec })] })).rejects.toThrow("sqs:SendMessage");
  expect(reported.map((line) => line.split(" ")[0])).toEqual(["started", "invocationFailed", "flush"]);
});

describe("requests", () => {
  const { byHand, register, table } = tableForTests();
  const metric = (name: string, labels: object = {}) => ({
    type: "External",
    external: { metric: { name, selector: { matchLabels: labels } } },
  });
  const ofTable = () => open(accepted, openQueueReads(table()));
  const mail = { cluster: "prod", namespace: "shop", names: ["by-source", "by-url"], at };

  beforeAll(async () => {
    await Promise.all(["prod", "test"].map(register));
    const hpas: Readonly<Record<string, unknown>> = {
      "HPA#shop/by-source": { ...spec, metrics: [metric("jobs")] },
      "HPA#shop/by-url": { ...spec, metrics: [metric("sqs", { queue: "https://sqs.eu-west-1.amazonaws.com/1/mail" })] },
      "HPA#shop/other-queue": { ...spec, metrics: [metric("jobs", { queue: "orders" })] },
      "HPA#shop/other-kind": { ...spec, metrics: [metric("waiting", { queue: "mail" }), metric("inside")] },
      "HPA#shop/by-list": { ...spec, metrics: [metric("sqs", { queues: "a, arn:aws:sqs:eu-west-1:1:mail-in" })] },
      "HPA#shop/by-prefix": { ...spec, metrics: [metric("sqs", { queuePrefix: "mail-" })] },
      "HPA#shop/no-prefix": { ...spec, metrics: [metric("sqs", { queues: 7, queuePrefix: "" })] },
      "HPA#shop/hostile": { metrics: [null, 7, { external: { metric: { name: "sqs", selector: [] } } }] },
      "HPA#shop/no-spec": "mail",
      "SOURCE#jobs": { kind: "sqs", parameters: { queue: "mail" } },
      "SOURCE#waiting": { kind: "rabbitmq" },
    };
    for (const [sk, document] of Object.entries(hpas)) await byHand({ pk: "CLUSTER#prod", sk, spec: document });
    await byHand({ pk: "CLUSTER#test", sk: "HPA#shop/by-arn", spec: { metrics: [metric("sqs", { queue: "mail" })] } });
  });

  test.each<[string, unknown]>([
    ["Invoke", { cluster: "prod", namespace: "shop", name: "orders" }],
    ["an EventBridge rule", { "detail-type": "x", detail: { cluster: "prod", namespace: "shop", name: "orders" } }],
    ["SNS", { Records: [{ Sns: { Message: '{"cluster":"prod","namespace":"shop","name":"orders"}' } }] }],
  ])("%s names an HPA", async (_by, event) => {
    const { handle, sent } = open();
    await handle(event);
    expect(sent()).toEqual([[0, { cluster: "prod", namespace: "shop", names: ["orders"], at }]]);
  });

  const alarm = (value: string, dimensions: object = { QueueName: "mail" }) => ({
    ...{ alarmName: "waiting", state: { value } },
    configuration: { metrics: [{ metricStat: { metric: { namespace: "AWS/SQS", dimensions } } }] },
  });
  const notice = (state: string, trigger: object) => ({
    Records: [{ Sns: { Message: JSON.stringify({ AlarmName: "waiting", NewStateValue: state, Trigger: trigger }) } }],
  });
  const dimensions = [{ name: "QueueName", value: "mail" }];

  test.each<[string, unknown]>([
    ["an alarm that invokes the function", { alarmArn: "arn:…", alarmData: alarm("ALARM") }],
    ["an alarm through EventBridge", { "detail-type": "CloudWatch Alarm State Change", detail: alarm("ALARM") }],
    ["an alarm through SNS", notice("ALARM", { Dimensions: dimensions })],
    [
      "an alarm of several metrics",
      notice("ALARM", { Metrics: [{ MetricStat: { Metric: { Dimensions: dimensions } } }] }),
    ],
    ["a request by name", { queue: "mail" }],
    ["a request by ARN", { queue: "arn:aws:sqs:eu-west-1:123456789012:mail" }],
  ])("%s wakes all HPAs on the queue", async (_what, event) => {
    const { handle, sent } = ofTable();
    await handle(event);
    expect(sent()).toEqual([
      [0, mail],
      [0, { ...mail, cluster: "test", names: ["by-arn"] }],
    ]);
  });

  test.each([
    ["mail-in", ["by-list", "by-prefix"]],
    ["mail-out", ["by-prefix"]],
  ])("a request for %s wakes the HPAs that list it or begin as it does", async (queue, names) => {
    const { handle, sent } = ofTable();
    await handle({ queue });
    expect(sent()).toEqual([[0, { ...mail, names }]]);
  });

  test("in one cluster only, if the request names it", async () => {
    const { handle, sent } = ofTable();
    await handle({ queue: "mail", cluster: "prod" });
    expect(sent()).toEqual([[0, mail]]);
  });

  test.each<[string, unknown]>([
    ["OK", { alarmData: alarm("OK") }],
    ["INSUFFICIENT_DATA", { "detail-type": "CloudWatch Alarm State Change", detail: alarm("INSUFFICIENT_DATA") }],
    ["OK, through SNS", notice("OK", { Dimensions: dimensions })],
    ["a queue that no HPA reads", { queue: "nobody" }],
  ])("%s wakes nothing", async (_what, event) => {
    const { handle, calls } = ofTable();
    await handle(event);
    expect(calls).toEqual([]);
  });

  test.each<[unknown, string]>([
    [7, "wake event: expected an object, got 7"],
    [{ Records: {} }, "wake event, field Records: expected a list, got {}"],
    [
      { Records: [{ Sns: { Message: "wake up" } }] },
      'wake request: expected an object {"cluster", "namespace", "name"}',
    ],
    [{}, "wake request: field cluster: expected a cluster's name of at most 2048 characters, got nothing"],
    [
      { cluster: "prod", namespace: "shop", name: "" },
      'wake request: field name: expected an HPA\'s name of at most 2048 characters, got ""',
    ],
    [
      { queue: ["mail"] },
      'wake request: field queue: expected a queue\'s name, URL or ARN of at most 2048 characters, got ["mail"]',
    ],
    [{ queue: "mail", namespace: "shop" }, "wake request: field namespace: "],
    [
      { alarmData: alarm("ALARM", { InstanceId: "i-1" }) },
      'alarm "waiting": expected a metric with the dimension QueueName',
    ],
  ])("%j is refused", async (event, message) => {
    const { handle, calls } = open();
    await expect(handle(event)).rejects.toThrow(message);
    expect(calls).toEqual([]);
  });

  /** The queue takes 256 KB: such a message would fail the invocation again and again, with all that came beside it. */
  describe.each(["a", "é", "\n"])("300 KB of %j", (character) => {
    const long = character.repeat(300_000 / Buffer.byteLength(character));

    test.each<[string, object]>([
      ["cluster", { cluster: long, namespace: "shop", name: "orders" }],
      ["namespace", { cluster: "prod", namespace: long, name: "orders" }],
      ["name", { cluster: "prod", namespace: "shop", name: long }],
      ["queue", { queue: long }],
      ["cluster", { queue: "mail", cluster: long }],
    ])("as a request's %s are refused by name, however it comes", async (field, request) => {
      const { handle, calls } = ofTable();
      const sns = { Records: [{ Sns: { Message: JSON.stringify(request) } }] };
      for (const event of [request, { "detail-type": "x", detail: request }, sns]) {
        const failure = (await handle(event).catch((error: unknown) => error)) as Error;
        expect(failure.message).toContain(`wake request: field ${field}: expected a`);
        expect(failure.message).toContain("of at most 2048 characters, got");
        expect(failure.message.length).toBeLessThan(300);
      }
      expect(calls).toEqual([]);
    });
  });

  test("however many requests come for an HPA, it is woken once a second", async () => {
    const { handle, sent, later } = open();
    const request = { cluster: "prod", namespace: "shop", name: "orders" };
    for (let i = 0; i < 100; i++) await handle(request);
    const orders = { cluster: "prod", namespace: "shop", names: ["orders"] };
    expect(sent()).toEqual([
      [0, { ...orders, at }],
      [1, { ...orders, at: at + 1_000 }], // sees what came after the first
    ]);
    later(2_000);
    await handle(request);
    expect(sent().slice(2)).toEqual([[0, { ...orders, at: at + 2_000 }]]);
  });

  test("a wake that could not be sent is no wake: the next request is due at once", async () => {
    let refuses = true;
    const { handle, sent, calls } = open((input) => {
      if (refuses) throw new Error("the queue is away");
      return accepted(input);
    });
    const request = { cluster: "prod", namespace: "shop", name: "orders" };
    await expect(handle(request)).rejects.toThrow("the queue is away");
    refuses = false;
    calls.length = 0;
    await handle(request);
    expect(sent()).toEqual([[0, { cluster: "prod", namespace: "shop", names: ["orders"], at }]]);
  });
});
