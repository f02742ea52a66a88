import { Fault } from "../api/errors";
import type { EpochMs } from "../core/situation";

/** The body of a queue message: sync this shard, for this slot. */
export interface SlotMessage {
  readonly cluster: string;
  /** The shard's first key; "" is the start of the cluster's keys. */
  readonly from: string;
  /** A multiple of the cluster's sync period since the epoch. */
  readonly slot: EpochMs;
  /** When the slot's successor begins: a message that comes later than that is dropped. */
  readonly until: EpochMs;
}

export function encodeSlotMessage(message: SlotMessage): string {
  return JSON.stringify(message);
}

/** @throws Fault badEntry, naming the field: such a message can never succeed and belongs in the dead-letter queue. */
export function decodeSlotMessage(body: string): SlotMessage {
  const { cluster, from, slot, until } = parseObject(body);
  if (typeof cluster !== "string" || cluster === "") throw malformed("cluster", "a cluster's name", cluster);
  if (typeof from !== "string") throw malformed("from", "the shard's first key", from);
  if (!isInstant(slot)) throw malformed("slot", "milliseconds since the epoch", slot);
  if (!isInstant(until) || until <= slot) throw malformed("until", "milliseconds since the epoch, after slot", until);
  return { cluster, from, slot, until };
}

function isInstant(value: unknown): value is EpochMs {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}

function parseObject(body: string): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch (cause) {
    throw new Fault("badEntry", `slot message: expected JSON, got ${excerpt(body)}`, { cause });
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw new Fault("badEntry", `slot message: expected an object {cluster, from, slot, until}, got ${excerpt(body)}`);
  }
  return parsed as Record<string, unknown>;
}

function malformed(field: string, expected: string, got: unknown): Fault {
  return new Fault(
    "badEntry",
    `slot message, field ${field}: expected ${expected}, got ${excerpt(JSON.stringify(got))}`,
  );
}

function excerpt(text: string | undefined): string {
  if (text === undefined) return "nothing";
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
