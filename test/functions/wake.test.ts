import type { AttributeValue, Context, DynamoDBRecord, DynamoDBStreamEvent } from "aws-lambda";
import { openSlotQueue } from "../../lib/aws/slot-queue";
import { wakeHandler } from "../../functions/wake";
import { decodeQueueMessage } from "../../lib/model/messages";
import { toItem } from "../../lib/table/items/attributes";
import { hpaItemKey, stateKey } from "../../lib/table/items/keys";
import { openReporter, type Telemetry } from "../../lib/telemetry/reporter";
import { accepted, fakeSqs } from "./fake-sqs";

const at = Date.parse("2026-03-01T12:00:20.400Z");
const queueUrl = "https://sqs.eu-west-1.amazonaws.com/123456789012/slots";
const context = { awsRequestId: "request-1", getRemainingTimeInMillis: () => 10_000 } as unknown as Context;

function open(answer: Parameters<typeof fakeSqs>[0] = accepted) {
  const reported: string[] = [];
  const reporter: Telemetry = {
    ...openReporter(),
    started: (id) => reported.push(`started ${id}`),
    invocationFailed: (error) => reported.push(`invocationFailed ${String(error)}`),
    flush: () => reported.push("flush"),
  };
  const { client, calls } = fakeSqs(answer);
  const handle = wakeHandler({ queue: openSlotQueue({ client, queueUrl }), reporter, now: () => at });
  const sent = () =>
    calls.flatMap(({ input }) =>
      input.Entries.map(({ MessageBody, DelaySeconds }) => [DelaySeconds, decodeQueueMessage(String(MessageBody))]),
    );
  return { handle: (event: DynamoDBStreamEvent) => handle(event, context), sent, calls, reported };
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

test("an event that is no batch fails, and says so", async () => {
  const { handle } = open();
  await expect(handle({} as DynamoDBStreamEvent)).rejects.toThrow("field Records: expected a batch of stream records");
});
