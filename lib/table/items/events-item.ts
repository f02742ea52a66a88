import type { HpaKey } from "../../model/hpa-key";
import { type EventLog, forgottenAfterMs } from "../../model/stored/event-log";
import type { StoredEvents } from "../../model/ports/store";
import { eventsItem as schema } from "../../model/validators/items";
import { fromItem, type Item, toItem } from "./attributes";
import { type DecodedItem, decodedItem } from "./decoded-item";
import { eventsKey, expiresAtAttribute } from "./keys";

/** The item expires when its last event is too old to have any effect, so expiry decides nothing. */
export function encodeEvents(cluster: string, key: HpaKey, { version, log }: StoredEvents): Item {
  const lastSeen = Math.max(0, ...log.entries.map(({ seenAt }) => seenAt));
  const expiresAt = Math.ceil((lastSeen + forgottenAfterMs) / 1000);
  return toItem({ ...eventsKey(cluster, key), version, ...log, [expiresAtAttribute]: expiresAt });
}

export function decodeEvents(item: Item): DecodedItem<StoredEvents> {
  const decoded = decodedItem<EventLog & { readonly version: number }>(schema, fromItem(item));
  if ("broken" in decoded) return decoded;
  const { version, entries, groups, buckets } = decoded.value;
  return { value: { version, log: { entries, groups, buckets } } };
}
