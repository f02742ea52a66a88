import { isMap, present } from "../k8s/map";
import { Fault } from "./fault";
import { problemsOf } from "./check/check-schema";
import { excerpt, type Problem, problemText, unexpected } from "./check/problem";
import type { SlotMessage, WakeMessage } from "./schema/messages";
import * as validators from "./validators/messages";

export type { SlotMessage, WakeMessage } from "./schema/messages";

export type QueueMessage = SlotMessage | WakeMessage;

/** SQS refuses the two characters that XML cannot have and JSON does not escape. */
export function encodeQueueMessage(message: QueueMessage): string {
  return JSON.stringify(message).replace(/[\ufffe\uffff]/g, (one) => `\\u${one.charCodeAt(0).toString(16)}`);
}

/** @throws Fault badEntry: the message belongs in the dead-letter queue */
export function decodeQueueMessage(body: string): QueueMessage {
  const message = parseObject(body);
  if (Object.hasOwn(message, "names")) {
    const { cluster, namespace, names, at, until } = checked<WakeMessage>("wake", message);
    return { cluster, namespace, names, at, ...present({ until }) };
  }
  const { cluster, from, slot, until } = checked<SlotMessage>("slot", message);
  if (until > slot) return { cluster, from, slot, until };
  throw refused("slot", unexpected(["until"], "milliseconds since the epoch, after slot", until));
}

export function isWake(message: QueueMessage): message is WakeMessage {
  return "names" in message;
}

function checked<T>(kind: keyof typeof validators, message: object): T {
  const [problem] = problemsOf(validators[kind], message);
  if (problem !== undefined) throw refused(kind, problem);
  return message as T;
}

function refused(kind: string, problem: Problem): Fault {
  return new Fault("badEntry", `${kind} message, field ${problemText(problem)}`);
}

function parseObject(body: string): Readonly<Record<string, unknown>> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch (cause) {
    throw new Fault("badEntry", `queue message: expected JSON, got ${excerpt(body)}`, { cause });
  }
  if (isMap(parsed)) return parsed;
  const expected = "an object {cluster, from, slot, until} or {cluster, namespace, names, at}";
  throw new Fault("badEntry", `queue message: expected ${expected}, got ${excerpt(body)}`);
}
