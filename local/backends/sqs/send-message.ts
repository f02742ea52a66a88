import { createHash } from "node:crypto";
import { isMap, present } from "../../../lib/k8s/map";
import { digestAttributes, digestBody, type MessageAttributes, type SendOptions } from "./message";
import { invalidParameter, missingParameter, type ActionInput, numberOf, textParameter } from "./errors";
import type { Queue } from "./queue";

export function sendMessage(queue: Queue, input: ActionInput): unknown {
  const body = textParameter(input, "MessageBody");
  const attributes = attributesOf(input);
  const most = Number(queue.attribute("MaximumMessageSize"));
  if (messageBytes(input) > most) {
    throw invalidParameter(`One or more parameters are invalid. Reason: Message must be shorter than ${most} bytes.`);
  }
  const message = queue.send(body, { attributes, ...deliveryOf(queue, input, body) });
  const digest = digestAttributes(attributes);
  return {
    MessageId: message.id,
    MD5OfMessageBody: digestBody(body),
    ...present({ MD5OfMessageAttributes: digest }),
    ...(message.fifo && { SequenceNumber: message.fifo.sequenceNumber }),
  };
}

export function messageBytes({ MessageBody: body, MessageAttributes: attributes }: ActionInput): number {
  const values = isMap(attributes) ? Object.entries(attributes) : [];
  const sizes = values.map(([name, value]) => {
    const { DataType = "", StringValue = "", BinaryValue = "" } = (isMap(value) ? value : {}) as Record<string, string>;
    return Buffer.byteLength(name + DataType + StringValue) + Buffer.byteLength(BinaryValue, "base64");
  });
  return sizes.reduce((sum, size) => sum + size, Buffer.byteLength(typeof body === "string" ? body : ""));
}

const idFormat = /^[\x21-\x7e]{1,128}$/;

function deliveryOf(queue: Queue, input: ActionInput, body: string): SendOptions {
  const groupId = idOf(input, "MessageGroupId");
  const deduplicationId = idOf(input, "MessageDeduplicationId");
  const delaySeconds = numberOf(input, "DelaySeconds", [0, 900]);
  const group = groupId === undefined ? {} : { groupId };
  if (!queue.isFifo) {
    if (deduplicationId !== undefined) throw notOfThisQueue("MessageDeduplicationId", deduplicationId);
    return { ...group, ...present({ delaySeconds }) };
  }
  if (groupId === undefined) throw missingParameter("MessageGroupId");
  if (delaySeconds !== undefined && delaySeconds > 0) throw notOfThisQueue("DelaySeconds", String(delaySeconds));
  const ofContent = queue.attribute("ContentBasedDeduplication") === "true";
  if (deduplicationId === undefined && !ofContent)
    throw invalidParameter(
      "The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly",
    );
  return { ...group, deduplicationId: deduplicationId ?? createHash("sha256").update(body).digest("hex") };
}

function idOf(input: ActionInput, name: string): string | undefined {
  const value = input[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string" && idFormat.test(value)) return value;
  const text = JSON.stringify(value).slice(0, 140);
  throw invalidParameter(
    `Value ${text} for parameter ${name} is invalid. Reason: ${name} can only include alphanumeric and punctuation characters. 1 to 128 in length.`,
  );
}

function notOfThisQueue(name: string, value: string): Error {
  return invalidParameter(
    `Value ${value} for parameter ${name} is invalid. Reason: The request include parameter that is not valid for this queue type.`,
  );
}

const dataType = /^(String|Number|Binary)(\.[\w.-]+)?$/;
const mostAttributes = 10;

function attributesOf({ MessageAttributes: given }: ActionInput): MessageAttributes {
  if (given === undefined || given === null) return {};
  const entries = isMap(given) ? Object.entries(given) : undefined;
  if (entries === undefined || entries.length > mostAttributes)
    throw invalidParameter(`MessageAttributes: expected a map of at most ${mostAttributes} attributes`);
  for (const [name, value] of entries) {
    const { DataType, StringValue, BinaryValue } = isMap(value) ? value : {};
    const content = String(DataType).startsWith("Binary") ? BinaryValue : StringValue;
    const isRight = /^[\w.-]{1,256}$/.test(name) && typeof DataType === "string" && dataType.test(DataType);
    if (!isRight || typeof content !== "string" || content === "")
      throw invalidParameter(
        `The message attribute '${name.slice(0, 256)}' must contain a non-empty value of the type that its DataType names: String, Number or Binary.`,
      );
  }
  return given as MessageAttributes;
}
