import { Fault } from "../api/errors";
import { excerpt } from "./malformed";
import { checkSlotMessage, type SlotMessage } from "./slot-message";
import { checkWakeMessage, type WakeMessage } from "./wake-message";

/** What is on the queue: slots from the tick, and wakes from the table's stream. A wake is known by its names. */
export type QueueMessage = SlotMessage | WakeMessage;

export function encodeQueueMessage(message: QueueMessage): string {
  return JSON.stringify(message);
}

/** @throws Fault badEntry, naming the field: such a message can never succeed and belongs in the dead-letter queue. */
export function decodeQueueMessage(body: string): QueueMessage {
  const fields = parseObject(body);
  return Object.hasOwn(fields, "names") ? checkWakeMessage(fields) : checkSlotMessage(fields);
}

export function isWake(message: QueueMessage): message is WakeMessage {
  return "names" in message;
}

function parseObject(body: string): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch (cause) {
    throw new Fault("badEntry", `queue message: expected JSON, got ${excerpt(body)}`, { cause });
  }
  if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) return parsed as Record<string, unknown>;
  const expected = "an object {cluster, from, slot, until} or {cluster, namespace, names, at}";
  throw new Fault("badEntry", `queue message: expected ${expected}, got ${excerpt(body)}`);
}
