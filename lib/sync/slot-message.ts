import type { EpochMs } from "../core/situation";
import { isInstant, malformed } from "./malformed";

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
