import { problemText, unexpected } from "../../model/check/problem";
import type { Shard } from "../../model/state";
import { shardItem as schema } from "../../model/validators/items";
import { fromItem, type Item, toItem } from "./attributes";
import { type DecodedItem, decodedItem } from "./decoded-item";
import { itemFormat, unknownFormat } from "./format";
import { shardKey } from "./keys";

export function encodeShard(shard: Shard): Item {
  return toItem({ ...shardKey(shard), format: itemFormat, ...shard });
}

export function decodeShard(item: Item): DecodedItem<Shard> {
  const { pk: _pk, sk, writeToken: _writeToken, format, ...attributes } = fromItem(item);
  const shard = unknownFormat(format) ?? decodedItem<Shard>(schema, attributes);
  if ("broken" in shard) return shard;
  const { sk: expected } = shardKey(shard.value);
  return sk === expected ? shard : { broken: problemText(unexpected(["sk"], JSON.stringify(expected), sk)) };
}
