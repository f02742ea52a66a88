import type { QueueAccount } from "./account";
import { digestAttributes, digestBody, type Message } from "./message";
import {
  batchTooLong,
  invalidAttributeName,
  invalidBatch,
  invalidParameter,
  missingParameter,
  SqsError,
  type ActionInput,
  numberOf,
  textParameter,
} from "./errors";
import { isMap, present } from "../../../lib/k8s/map";
import type { Queue } from "./queue";
import { isFifoName, nameInArn, readableAttributes, redrivePolicyOf, settableAttributes } from "./queue-attributes";
import { listQueueTags, tagQueue, tagsOf, untagQueue } from "./queue-tags";
import { messageBytes, sendMessage } from "./send-message";

/** The signal ends a long poll whose client is gone. */
type Action = (call: Call) => unknown;

interface Call {
  readonly account: QueueAccount;
  readonly input: ActionInput;
  readonly endpoint: string;
  readonly signal: AbortSignal;
}

/** See docs/local-backends.md. */
export const actions: Readonly<Record<string, Action>> = {
  CreateQueue(call) {
    const { account, input } = call;
    const name = textParameter(input, "QueueName");
    const { FifoQueue: asked } = (input["Attributes"] ?? {}) as Readonly<Record<string, unknown>>;
    const attributes = attributesFor(call, isFifoName(name) || asked === "true");
    const queue = account.create(name, attributes, tagsOf(input["tags"]));
    return { QueueUrl: queueUrl(call, queue) };
  },
  GetQueueUrl(call) {
    return { QueueUrl: queueUrl(call, call.account.find(textParameter(call.input, "QueueName"))) };
  },
  ListQueues: (call) => listQueues(call, call.account.list(prefixOf(call.input)), "QueueUrls"),
  ListDeadLetterSourceQueues(call) {
    const arn = call.account.arnOf(queueOf(call));
    const isSource = (queue: Queue) => redrivePolicyOf(queue.attributes())?.deadLetterTargetArn === arn;
    return { queueUrls: [], ...listQueues(call, call.account.list().filter(isSource), "queueUrls") };
  },
  DeleteQueue(call) {
    call.account.remove(queueOf(call).name);
  },
  PurgeQueue: (call) => queueOf(call).purge(),
  GetQueueAttributes: queueAttributes,
  SetQueueAttributes(call) {
    const queue = queueOf(call);
    const { FifoQueue: fixed, ...attributes } = attributesFor(call, queue.isFifo);
    if (fixed !== undefined) throw invalidAttributeName("FifoQueue");
    queue.setAttributes(attributes);
  },
  TagQueue: (call) => tagQueue(queueOf(call), call.input),
  UntagQueue: (call) => untagQueue(queueOf(call), call.input),
  ListQueueTags: (call) => listQueueTags(queueOf(call)),
  SendMessage: (call) => sendMessage(queueOf(call), call.input),
  SendMessageBatch(call) {
    const bytes = entriesOf(call.input).reduce((sum, entry) => sum + messageBytes(entry), 0);
    if (bytes > maxMessageBytes) throw batchTooLong(bytes);
    return batch(call, (entry) => sendMessage(queueOf(call), entry));
  },
  ReceiveMessage: receive,
  DeleteMessage: (call) => queueOf(call).delete(textParameter(call.input, "ReceiptHandle")),
  DeleteMessageBatch: (call) => batch(call, (entry) => queueOf(call).delete(textParameter(entry, "ReceiptHandle"))),
  ChangeMessageVisibility: (call) => changeVisibility(queueOf(call), call.input),
  ChangeMessageVisibilityBatch: (call) => batch(call, (entry) => changeVisibility(queueOf(call), entry)),
};

const mostListed = 1_000;

/** By name. As in SQS, only a list with MaxResults has pages: others end after 1,000 queues. */
function listQueues(call: Call, queues: readonly Queue[], member: "QueueUrls" | "queueUrls"): object {
  const { input } = call;
  const { NextToken: token } = input;
  const max = numberOf(input, "MaxResults", [1, mostListed]);
  const after = token === undefined ? undefined : nameInToken(token);
  const rest = queues
    .filter(({ name }) => after === undefined || name > after)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const page = rest.slice(0, max ?? mostListed);
  const last = page.at(-1);
  return {
    ...(page.length > 0 && { [member]: page.map((queue) => queueUrl(call, queue)) }),
    ...(max !== undefined && last !== undefined && rest.length > page.length && { NextToken: tokenOf(last.name) }),
  };
}

const prefixOf = ({ QueueNamePrefix: prefix }: ActionInput): string => (typeof prefix === "string" ? prefix : "");

const tokenOf = (name: string): string => Buffer.from(`after ${name}`).toString("base64");

function nameInToken(token: unknown): string {
  const name = /^after ([\w.-]+)$/.exec(Buffer.from(String(token), "base64").toString("utf8"))?.[1];
  if (name === undefined) throw invalidParameter("Invalid or expired next token.");
  return name;
}

const queueOf = (call: Call): Queue => call.account.find(textParameter(call.input, "QueueUrl").split("/").at(-1) ?? "");

const queueUrl = ({ endpoint, account }: Call, { name }: Queue): string => `${endpoint}/${account.id}/${name}`;

/** @throws SqsError for a dead-letter queue that does not exist, or of the other kind */
function attributesFor({ account, input }: Call, isFifo: boolean): Record<string, string> {
  const attributes = settableAttributes(input["Attributes"], isFifo);
  const policy = redrivePolicyOf(attributes);
  if (policy === undefined) return { ...attributes };
  const target = account.list().find((queue) => account.arnOf(queue) === policy.deadLetterTargetArn);
  if (target?.isFifo !== isFifo)
    throw invalidParameter(
      `Value ${attributes["RedrivePolicy"]} for parameter RedrivePolicy is invalid. Reason: Dead letter target does not exist, or is of another type: ${nameInArn(policy.deadLetterTargetArn)}.`,
    );
  return { ...attributes };
}

function queueAttributes(call: Call): unknown {
  const queue = queueOf(call);
  const { visible, inFlight, delayed } = queue.counts();
  const inSeconds = (ms: number): string => String(Math.floor(ms / 1_000));
  const all: Readonly<Record<string, string>> = {
    QueueArn: call.account.arnOf(queue),
    ApproximateNumberOfMessages: String(visible),
    ApproximateNumberOfMessagesNotVisible: String(inFlight),
    ApproximateNumberOfMessagesDelayed: String(delayed),
    CreatedTimestamp: inSeconds(queue.createdAt),
    LastModifiedTimestamp: inSeconds(queue.modifiedAt()),
    ...queue.attributes(),
  };
  const asked = namesIn(call.input["AttributeNames"]);
  const known = [...Object.keys(all), ...readableAttributes];
  const unknown = asked.find((name) => !known.includes(name));
  if (unknown !== undefined) throw invalidAttributeName(unknown);
  const chosen = asked.includes("All")
    ? all
    : Object.fromEntries(Object.entries(all).filter(([name]) => asked.includes(name)));
  return Object.keys(chosen).length === 0 ? {} : { Attributes: chosen };
}

const maxMessageBytes = 1_048_576;

const namesIn = (given: unknown): readonly string[] => (Array.isArray(given) ? given.map(String) : []);

function entriesOf({ Entries: given }: ActionInput): readonly ActionInput[] {
  if (given === undefined || given === null) return [];
  if (Array.isArray(given) && given.every(isMap)) return given;
  throw invalidParameter("Entries: expected a list of entries");
}

function batch(call: Call, each: (entry: ActionInput) => unknown): unknown {
  const entries = entriesOf(call.input);
  if (entries.length === 0) throw invalidBatch("Empty", 0);
  if (entries.length > 10) throw invalidBatch("TooMany", entries.length);
  if (new Set(entries.map(({ Id }) => Id)).size < entries.length) throw invalidBatch("NotDistinct", entries.length);
  queueOf(call);
  const Successful: unknown[] = [];
  const Failed: unknown[] = [];
  for (const entry of entries) {
    try {
      Successful.push({ Id: entry["Id"], ...(each(entry) ?? {}) });
    } catch (error) {
      if (!(error instanceof SqsError)) throw error;
      Failed.push({ Id: entry["Id"], SenderFault: true, Code: error.queryCode, Message: error.message });
    }
  }
  return { Successful, ...(Failed.length > 0 && { Failed }) };
}

async function receive(call: Call): Promise<unknown> {
  const { input, signal } = call;
  const queue = queueOf(call);
  const max = numberOf(input, "MaxNumberOfMessages", [1, 10]) ?? 1;
  const wait = numberOf(input, "WaitTimeSeconds", [0, 20]) ?? Number(queue.attribute("ReceiveMessageWaitTimeSeconds"));
  const visibility = numberOf(input, "VisibilityTimeout", [0, 43_200]);
  const options = {
    ...{ max, waitMs: wait * 1_000 },
    ...present({ visibilityTimeoutSeconds: visibility }),
  };
  const messages = await new Promise<readonly Message[]>((resolve) => {
    const giveUp = queue.receive(options, resolve);
    signal.addEventListener("abort", () => {
      giveUp();
      resolve([]);
    });
  });
  return messages.length === 0 ? {} : { Messages: messages.map((message) => messageOf(message, input, call.account)) };
}

function messageOf(message: Message, input: ActionInput, account: QueueAccount): unknown {
  const names = [...namesIn(input["MessageSystemAttributeNames"]), ...namesIn(input["AttributeNames"])];
  const system: Readonly<Record<string, string>> = {
    SenderId: account.id,
    SentTimestamp: String(message.sentAt),
    ApproximateReceiveCount: String(message.receiveCount),
    ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt),
    ...present({ MessageGroupId: message.groupId }),
    ...(message.fifo && {
      MessageDeduplicationId: message.fifo.deduplicationId,
      SequenceNumber: message.fifo.sequenceNumber,
    }),
  };
  const chosen = Object.entries(system).filter(([name]) => names.includes("All") || names.includes(name));
  const wanted = namesIn(input["MessageAttributeNames"]);
  const own = Object.entries(message.attributes).filter(([name]) => wanted.includes("All") || wanted.includes(name));
  const digest = digestAttributes(Object.fromEntries(own));
  return {
    MessageId: message.id,
    ReceiptHandle: message.receiptHandle,
    MD5OfBody: digestBody(message.body),
    Body: message.body,
    ...(chosen.length > 0 && { Attributes: Object.fromEntries(chosen) }),
    ...(digest !== undefined && { MessageAttributes: Object.fromEntries(own), MD5OfMessageAttributes: digest }),
  };
}

function changeVisibility(queue: Queue, input: ActionInput): void {
  const seconds = numberOf(input, "VisibilityTimeout", [0, 43_200]);
  if (seconds === undefined) throw missingParameter("VisibilityTimeout");
  queue.changeVisibility(textParameter(input, "ReceiptHandle"), seconds);
}
