import { Fault } from "./fault";
import type { EpochMs } from "../k8s/time";

/**
 * What is wrong with a field of a queue message: such a message can never succeed and belongs in the dead-letter queue.
 */
export function malformed(message: string): (field: string, expected: string, got: unknown) => Fault {
  return (field, expected, got) =>
    new Fault("badEntry", `${message}, field ${field}: expected ${expected}, got ${excerpt(JSON.stringify(got))}`);
}

export function isInstant(value: unknown): value is EpochMs {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}

export function excerpt(text: string | undefined): string {
  if (text === undefined) return "nothing";
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** Sync this shard, for this slot. */
export interface SlotMessage {
  readonly cluster: string;
  /** The shard's first key; "" is the start of the cluster's keys. */
  readonly from: string;
  /** A multiple of the cluster's sync period since the epoch. */
  readonly slot: EpochMs;
  /** When the slot's successor begins: a message that comes later than that is dropped. */
  readonly until: EpochMs;
}

/** @throws Fault badEntry, naming the field. */
export function checkSlotMessage({ cluster, from, slot, until }: Record<string, unknown>): SlotMessage {
  const wrong = malformed("slot message");
  if (typeof cluster !== "string" || cluster === "") throw wrong("cluster", "a cluster's name", cluster);
  if (typeof from !== "string") throw wrong("from", "the shard's first key", from);
  if (!isInstant(slot)) throw wrong("slot", "milliseconds since the epoch", slot);
  if (!isInstant(until) || until <= slot) throw wrong("until", "milliseconds since the epoch, after slot", until);
  return { cluster, from, slot, until };
}

/** Sync these HPAs of one namespace, now: their entries changed. docs/decisions/0014-wakes.md */
export interface WakeMessage {
  readonly cluster: string;
  readonly namespace: string;
  readonly names: readonly string[];
  /** When the change was heard of. */
  readonly at: EpochMs;
}

/** @throws Fault badEntry, naming the field. */
export function checkWakeMessage({ cluster, namespace, names, at }: Record<string, unknown>): WakeMessage {
  const wrong = malformed("wake message");
  if (!isName(cluster)) throw wrong("cluster", "a cluster's name", cluster);
  if (!isName(namespace)) throw wrong("namespace", "a namespace", namespace);
  if (!Array.isArray(names) || names.length === 0 || !names.every(isName))
    throw wrong("names", "a list of names", names);
  if (!isInstant(at)) throw wrong("at", "milliseconds since the epoch", at);
  return { cluster, namespace, names, at };
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

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
