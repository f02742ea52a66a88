import type { PollerLease } from "../../model/stored/idle";
import { leaseItem as schema } from "../../model/validators/items";
import { fromItem, type Item, toItem } from "./attributes";
import { decodedItem } from "./decoded-item";
import { leaseKey } from "./keys";

export function encodeLease(lease: PollerLease): Item {
  return toItem({ ...leaseKey, ...lease });
}

/** Undefined: it cannot be read, and the next poller replaces it. */
export function decodeLease(item: Item): PollerLease | undefined {
  const { pk: _pk, sk: _sk, writeToken: _writeToken, ...attributes } = fromItem(item);
  const lease = decodedItem<PollerLease>(schema, attributes);
  return "value" in lease ? lease.value : undefined;
}
