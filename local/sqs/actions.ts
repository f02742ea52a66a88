import type { QueueAccount } from "./account";
import { digestAttributes, digestBody } from "./digest";
import { invalidAttributeName, invalidBatch, invalidParameter, missingParameter, SqsError } from "./errors";
import type { Message, MessageAttributes, Queue } from "./queue";

export type ActionInput = Readonly<Record<string, unknown>>;

/** An action's answer: at once, or at the end of a long poll. The signal ends a poll whose client is gone. */
type Action = (call: Call) => unknown;

interface Call {
  readonly account: QueueAccount;
  readonly input: ActionInput;
  /** "http://127.0.0.1:9324" */
  readonly endpoint: string;
  readonly signal: AbortSignal;
}

export const actions: Readonly<Record<string, Action>> = {
  CreateQueue(call) {
    const queue = call.account.create(textOf(call, "QueueName"), attributesOf(call.input));
    return { QueueUrl: queueUrl(call, queue) };
  },
  GetQueueUrl(call) {
    return { QueueUrl: queueUrl(call, call.account.find(textOf(call, "QueueName"))) };
  },
  ListQueues: listQueues,
  DeleteQueue(call) {
    call.account.remove(queueOf(call).name);
  },
  PurgeQueue: (call) => queueOf(call).purge(),
  GetQueueAttributes: queueAttributes,
  SetQueueAttributes: (call) => queueOf(call).setAttributes(attributesOf(call.input)),
  SendMessage: (call) => send(queueOf(call), call.input),
  SendMessageBatch: (call) => batch(call, (entry) => send(queueOf(call), entry)),
  ReceiveMessage: receive,
  DeleteMessage: (call) => queueOf(call).delete(textOf(call, "ReceiptHandle")),
  DeleteMessageBatch: (call) => batch(call, (entry) => queueOf(call).delete(String(entry["ReceiptHandle"]))),
  ChangeMessageVisibility: (call) => changeVisibility(queueOf(call), call.input),
  ChangeMessageVisibilityBatch: (call) => batch(call, (entry) => changeVisibility(queueOf(call), entry)),
};

const mostListed = 1_000;

/** In the order of names. As in SQS, only a list that asks for MaxResults goes on: others end after 1,000 queues. */
function listQueues(call: Call): unknown {
  const { input, account } = call;
  const { QueueNamePrefix: prefix, NextToken: token } = input;
  const max = numberOf(input, "MaxResults", [1, mostListed]);
  const after = token === undefined ? undefined : nameInToken(token);
  const rest = account
    .list(typeof prefix === "string" ? prefix : "")
    .filter(({ name }) => after === undefined || name > after)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const page = rest.slice(0, max ?? mostListed);
  const last = page.at(-1);
  return {
    ...(page.length > 0 && { QueueUrls: page.map((queue) => queueUrl(call, queue)) }),
    ...(max !== undefined && last !== undefined && rest.length > page.length && { NextToken: tokenOf(last.name) }),
  };
}

const tokenOf = (name: string): string => Buffer.from(`after ${name}`).toString("base64");

function nameInToken(token: unknown): string {
  const name = /^after ([\w.-]+)$/.exec(Buffer.from(String(token), "base64").toString("utf8"))?.[1];
  if (name === undefined) throw invalidParameter("Invalid or expired next token.");
  return name;
}

function textOf({ input }: Pick<Call, "input">, name: string): string {
  const value = input[name];
  if (typeof value !== "string" || value === "") throw missingParameter(name);
  return value;
}

function numberOf(input: ActionInput, name: string, range: readonly [number, number]): number | undefined {
  const value = input[name];
  if (value === undefined) return undefined;
  const number = Number(value);
  if (Number.isInteger(number) && number >= range[0] && number <= range[1]) return number;
  throw invalidParameter(
    `Value ${JSON.stringify(value)} for parameter ${name} is invalid. Reason: Must be >= ${range[0]} and <= ${range[1]}, if provided.`,
  );
}

const queueOf = (call: Call): Queue => call.account.find(textOf(call, "QueueUrl").split("/").at(-1) ?? "");

const queueUrl = ({ endpoint, account }: Call, { name }: Queue): string => `${endpoint}/${account.id}/${name}`;

function attributesOf(input: ActionInput): Record<string, string> {
  const attributes = (input["Attributes"] ?? {}) as Readonly<Record<string, unknown>>;
  const settable = [
    ...["DelaySeconds", "MaximumMessageSize", "MessageRetentionPeriod", "Policy", "ReceiveMessageWaitTimeSeconds"],
    ...["VisibilityTimeout", "RedrivePolicy", "RedriveAllowPolicy", "KmsMasterKeyId", "SqsManagedSseEnabled"],
  ];
  const unknown = Object.keys(attributes).find((name) => !settable.includes(name));
  if (unknown !== undefined) throw invalidAttributeName(unknown);
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, String(value)]));
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
  const asked = (call.input["AttributeNames"] ?? []) as readonly string[];
  const known = [...Object.keys(all), "All", "Policy", "RedrivePolicy", "RedriveAllowPolicy", "KmsMasterKeyId"];
  const unknown = asked.find((name) => !known.includes(name));
  if (unknown !== undefined) throw invalidAttributeName(unknown);
  const chosen = asked.includes("All")
    ? all
    : Object.fromEntries(Object.entries(all).filter(([name]) => asked.includes(name)));
  return Object.keys(chosen).length === 0 ? {} : { Attributes: chosen };
}

/** 1 MiB, the body and the attributes together. */
const maxMessageBytes = 1_048_576;

function send(queue: Queue, input: ActionInput): unknown {
  const body = textOf({ input }, "MessageBody");
  if (Buffer.byteLength(body) > maxMessageBytes) {
    throw invalidParameter(
      `One or more parameters are invalid. Reason: Message must be shorter than ${maxMessageBytes} bytes.`,
    );
  }
  const attributes = (input["MessageAttributes"] ?? {}) as MessageAttributes;
  const delaySeconds = numberOf(input, "DelaySeconds", [0, 900]);
  const message = queue.send(body, { attributes, ...(delaySeconds !== undefined && { delaySeconds }) });
  const digest = digestAttributes(attributes);
  return {
    MessageId: message.id,
    MD5OfMessageBody: digestBody(body),
    ...(digest !== undefined && { MD5OfMessageAttributes: digest }),
  };
}

function batch(call: Call, each: (entry: ActionInput) => unknown): unknown {
  const entries = (call.input["Entries"] ?? []) as readonly ActionInput[];
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
    ...(visibility !== undefined && { visibilityTimeoutSeconds: visibility }),
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
  const names = [input["MessageSystemAttributeNames"], input["AttributeNames"]].flat().map(String);
  const system: Readonly<Record<string, string>> = {
    SenderId: account.id,
    SentTimestamp: String(message.sentAt),
    ApproximateReceiveCount: String(message.receiveCount),
    ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt),
  };
  const chosen = Object.entries(system).filter(([name]) => names.includes("All") || names.includes(name));
  const wanted = [input["MessageAttributeNames"]].flat().map(String);
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
  queue.changeVisibility(textOf({ input }, "ReceiptHandle"), seconds);
}
