import {
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
  StartMessageMoveTaskCommand,
  TagQueueCommand,
} from "@aws-sdk/client-sqs";
import { manualClock } from "../../local/clock";
import { replay } from "../../local/demo/journal";
import type { SimulationChange } from "../../local/demo/simulation";
import { seededRandom } from "../../local/random";
import { createAccount, type QueueAccount } from "../../local/backends/sqs/account";
import { actions } from "../../local/backends/sqs/actions";
import { type SqsServer, startSqsServer } from "../../local/backends/sqs/server";

/** What SQS refuses or answers, where the emulators do not follow it. */
const clock = manualClock(1_800_000_000_000);
const fifo = { FifoQueue: "true", ContentBasedDeduplication: "true" };
let changes: SimulationChange[] = [];
let account: QueueAccount;
let server: SqsServer;
let client: SQSClient;

beforeEach(async () => {
  changes = [];
  account = createAccount({ clock, random: seededRandom(1), record: (change) => changes.push(change) });
  server = await startSqsServer(account);
  const { endpoint, credential: credentials } = server;
  client = new SQSClient({ endpoint, region: "us-east-1", credentials, maxAttempts: 1 });
});
afterEach(async () => {
  client.destroy();
  await server.close();
});

async function newQueue(QueueName: string, Attributes: Record<string, string> = {}): Promise<string> {
  return (await client.send(new CreateQueueCommand({ QueueName, Attributes }))).QueueUrl ?? "";
}

test.each<[string, Record<string, string>, string]>([
  ["q", { FifoQueue: "true" }, "InvalidParameterValue"],
  ["q.fifo", {}, "InvalidParameterValue"],
  ["q", { FifoQueue: "false" }, "InvalidAttributeName"],
  ["../q", {}, "InvalidParameterValue"],
  ["q.fifo.fifo", { FifoQueue: "true" }, "InvalidParameterValue"],
  [".fifo", { FifoQueue: "true" }, "InvalidParameterValue"],
  ["__proto__.x", {}, "InvalidParameterValue"],
  ["x".repeat(81), {}, "InvalidParameterValue"],
  ["q", { Nonsense: "1" }, "InvalidAttributeName"],
  ["q", { constructor: "1" }, "InvalidAttributeName"],
  ["q", { VisibilityTimeout: "soon" }, "InvalidAttributeValue"],
  ["q", { VisibilityTimeout: "1e3" }, "InvalidAttributeValue"],
  ["q", { DelaySeconds: "901" }, "InvalidAttributeValue"],
  ["q", { DelaySeconds: "-1" }, "InvalidAttributeValue"],
  ["q", { RedrivePolicy: "{" }, "InvalidAttributeValue"],
  [
    "q",
    { RedrivePolicy: '{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:none","maxReceiveCount":1}' },
    "InvalidParameterValue",
  ],
])("no queue %s with %j", async (name, attributes, error) => {
  await expect(newQueue(name, attributes)).rejects.toMatchObject({ $fault: "client", Code: error });
  expect(account.list()).toEqual([]);
});

test("a queue named like what every object inherits is a queue", async () => {
  const QueueUrl = await newQueue("__proto__");
  await client.send(new TagQueueCommand({ QueueUrl, Tags: { constructor: "x" } }));
  await client.send(new SendMessageCommand({ QueueUrl, MessageBody: "x" }));
  expect(account.find("__proto__").counts().visible).toBe(1);
});

test.each<[string, object]>([
  ["an attribute without a type", { MessageAttributes: { a: { StringValue: "x" } } }],
  ["an attribute of a type that is none", { MessageAttributes: { a: { DataType: "Nonsense", StringValue: "x" } } }],
  ["an attribute without a value", { MessageAttributes: { a: { DataType: "String" } } }],
  ["attributes that are no map", { MessageAttributes: "x" }],
  ["a delay that is none", { DelaySeconds: {} }],
  ["a group on a standard queue that is no text", { MessageGroupId: "" }],
  ["a deduplication ID on a standard queue", { MessageDeduplicationId: "1" }],
  ["a body that is no text", { MessageBody: 5 }],
])("refuses %s", (_case, more) => {
  const queue = account.create("q");
  const call = { account, endpoint: "http://x", signal: new AbortController().signal };
  const input = { QueueUrl: "http://x/q", MessageBody: "x", ...more };
  expect(() => actions["SendMessage"]?.({ ...call, input })).toThrow(
    expect.objectContaining({ name: "SqsError" }) as Error,
  );
  expect(queue.counts().visible).toBe(0);
});

test("refuses batches that are none, or too long together", async () => {
  const QueueUrl = await newQueue("q");
  const call = { account, endpoint: "http://x", signal: new AbortController().signal };
  for (const Entries of ["x", [null], { a: 1 }])
    expect(() => actions["SendMessageBatch"]?.({ ...call, input: { QueueUrl, Entries } })).toThrow("list of entries");
  const Entries = ["1", "2", "3"].map((Id) => ({ Id, MessageBody: "x".repeat(400_000) }));
  await expect(client.send(new SendMessageBatchCommand({ QueueUrl, Entries }))).rejects.toMatchObject({
    name: "BatchRequestTooLong",
  });
  expect(account.find("q").counts().visible).toBe(0);
});

test("a queue's own limit of a message holds", async () => {
  const QueueUrl = await newQueue("q", { MaximumMessageSize: "1024" });
  await client.send(new SendMessageCommand({ QueueUrl, MessageBody: "x".repeat(1_024) }));
  const tooLong = client.send(new SendMessageCommand({ QueueUrl, MessageBody: "x".repeat(1_025) }));
  await expect(tooLong).rejects.toThrow("Message must be shorter than 1024 bytes");
});

test("a repeated message of a FIFO queue has the first one's ID and number; five minutes later it is another", async () => {
  const QueueUrl = await newQueue("q.fifo", fifo);
  const send = () => client.send(new SendMessageCommand({ QueueUrl, MessageBody: "same", MessageGroupId: "a" }));
  const first = await send();
  clock.advance(5 * 60_000 - 1);
  const again = await send();
  expect([again.MessageId, again.SequenceNumber]).toEqual([first.MessageId, first.SequenceNumber]);
  clock.advance(1);
  const later = await send();
  expect(later.MessageId).not.toBe(first.MessageId);
  expect((later.SequenceNumber ?? "") > (first.SequenceNumber ?? "")).toBe(true);
});

test("a message of a FIFO queue is not sent again within five minutes, also when it is deleted", async () => {
  const QueueUrl = await newQueue("a.fifo", fifo);
  const send = () => client.send(new SendMessageCommand({ QueueUrl, MessageBody: "same", MessageGroupId: "a" }));
  const receive = async () => (await client.send(new ReceiveMessageCommand({ QueueUrl }))).Messages ?? [];
  await send();
  const [received] = await receive();
  await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: received?.ReceiptHandle }));
  await send();
  expect(await receive()).toEqual([]);
});

test("with the scope messageGroup, equal messages of two groups are two", async () => {
  const QueueUrl = await newQueue("q.fifo", { ...fifo, DeduplicationScope: "messageGroup" });
  for (const MessageGroupId of ["a", "b", "a"])
    await client.send(new SendMessageCommand({ QueueUrl, MessageBody: "same", MessageGroupId }));
  expect(account.find("q.fifo").counts().visible).toBe(2);
});

test("a FIFO queue takes no delay of one message, deletes with no old handle, and stays what it is", async () => {
  const QueueUrl = await newQueue("q.fifo", fifo);
  const message = { QueueUrl, MessageBody: "x", MessageGroupId: "a" };
  await expect(client.send(new SendMessageCommand({ ...message, DelaySeconds: 5 }))).rejects.toThrow("queue type");
  await client.send(new SendMessageCommand(message));
  const { Messages = [] } = await client.send(new ReceiveMessageCommand({ QueueUrl, VisibilityTimeout: 10 }));
  clock.advance(10_000);
  const { ReceiptHandle } = Messages[0] ?? {};
  await expect(client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }))).rejects.toThrow("has expired");
  const change = new SetQueueAttributesCommand({ QueueUrl, Attributes: { FifoQueue: "true" } });
  await expect(client.send(change)).rejects.toMatchObject({ name: "InvalidAttributeName" });
});

test("an operation that is not there is refused by name, with what there is", async () => {
  const refused = client.send(new StartMessageMoveTaskCommand({ SourceArn: "arn:aws:sqs:us-east-1:0:q" }));
  await expect(refused).rejects.toThrow(
    /^the local SQS has no AmazonSQS\.StartMessageMoveTask; it has CreateQueue, .*SendMessage/,
  );
});

test("10,000 messages of 100 groups come once each, each group in its order, and a restart in between changes nothing", () => {
  const queue = account.create("many.fifo", fifo);
  for (let number = 0; number < 10_000; number += 1) {
    const groupId = String(number % 100);
    queue.send(String(number), { groupId, deduplicationId: String(number) });
  }
  const snapshot = replay({ cluster: { objects: [] }, sqs: { queues: [] } }, changes);
  const restarted = createAccount({ clock, random: seededRandom(2), snapshot: snapshot.sqs });
  const same = restarted.find("many.fifo");
  expect(same.send("0", { groupId: "0", deduplicationId: "0" }).id).toBe(queue.messages()[0]?.id);
  const last = new Map<string, number>();
  let received = 0;
  for (let empty = false; !empty;) {
    same.receive({ max: 10, waitMs: 0 }, (messages) => {
      empty = messages.length === 0;
      for (const { body, groupId = "", receiptHandle = "" } of messages) {
        expect(Number(body)).toBeGreaterThan(last.get(groupId) ?? -1);
        last.set(groupId, Number(body));
        received += 1;
        same.delete(receiptHandle);
      }
    });
    // A large queue is drained in part: the order is the same at its start and at its end.
    if (received === 2_000) break;
  }
  expect(received).toBe(2_000);
});

test("tags, attributes and what was sent survive a restart", async () => {
  const QueueUrl = await newQueue("q.fifo", fifo);
  await client.send(new TagQueueCommand({ QueueUrl, Tags: { team: "blue" } }));
  const queue = account.find("q.fifo");
  const { id } = queue.send("x", { groupId: "a", deduplicationId: "1" });
  queue.purge();
  const { sqs } = replay({ cluster: { objects: [] }, sqs: { queues: [] } }, changes);
  const restarted = createAccount({ clock, random: seededRandom(2), snapshot: sqs }).find("q.fifo");
  expect([restarted.tags(), restarted.isFifo, restarted.counts().visible]).toEqual([{ team: "blue" }, true, 0]);
  expect(restarted.send("x", { groupId: "a", deduplicationId: "1" }).id).toBe(id);
  const { Attributes } = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] }));
  expect(Attributes).toMatchObject(fifo);
});
