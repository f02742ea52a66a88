import type { Shard } from "../../model/state";
import { fromItem, type Item, toItem } from "./attributes";
import { count, filledText, mapOf, membersOf, orNull, problem, text, wholeNumber } from "./checks";
import { shardKey } from "./keys";

/** A SHARD item's data, or why it cannot be read. */
export type DecodedShard = { readonly value: Shard } | { readonly broken: string };

export function encodeShard(shard: Shard): Item {
  return toItem({ ...shardKey(shard), ...shard });
}

export function decodeShard(item: Item): DecodedShard {
  const { pk: _pk, sk, writeToken: _writeToken, ...attributes } = fromItem(item);
  const broken = shardForm(attributes, "") ?? standsUnderItsKey(attributes as unknown as Shard, sk);
  return broken === undefined ? { value: attributes as unknown as Shard } : { broken };
}

function standsUnderItsKey(shard: Shard, sk: unknown): string | undefined {
  const { sk: expected } = shardKey(shard);
  return sk === expected ? undefined : problem("sk", JSON.stringify(expected), sk);
}

const shardForm = membersOf<Shard>(
  {
    cluster: filledText,
    from: text,
    to: orNull(text),
    version: count,
    slot: wholeNumber,
    heartbeat: wholeNumber,
    behind: mapOf(wholeNumber),
    entries: count,
  },
  { failure: text },
);
