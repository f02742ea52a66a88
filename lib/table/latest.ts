import { asHpaKey } from "../model/hpa-key";
import type { Latest } from "../model/latest";
import { PutItemCommand } from "../aws/dynamodb-commands";
import { holdsKey } from "../model/sightings";
import type { ShardRange } from "../model/state";
import type { Item } from "./items/attributes";
import * as schema from "./items/keys";
import { deleteItems } from "./delete-items";
import { reached } from "./faults";
import { decodeLatest } from "./items/latest-item";
import { placeOf, queryNewest, queryRange, type Table, until } from "./reads";

/** Also deletes the items of shards that were merged into this one: they are outdated, and nearer to their keys. */
export async function replaceLatest(table: Table, item: Item, shard: ShardRange, signal: AbortSignal): Promise<void> {
  const own = schema.shardKeys(schema.latestPrefix, shard);
  const put = new PutItemCommand({ TableName: table.name, Item: item });
  const merged = async () =>
    deleteItems(table, await queryRange(table, { ...own, low: `${own.low}\0` }, signal), signal);
  await Promise.all([reached(table.client.send(put, until(signal)), await placeOf(table, "PutItem")), merged()]);
}

/**
 * What the HPAs of a range show. A shard that begins before the range may reach into it. Of a key that two items have,
 * the one of the nearer shard counts: its shard was split off the other one.
 */
export async function readLatest(table: Table, range: ShardRange, signal: AbortSignal): Promise<Latest> {
  const all = schema.allKeys(schema.latestPrefix, range.cluster);
  const isOneKey = range.to === `${range.from}\0`;
  const [before, within] = await Promise.all([
    range.from === "" ? [] : queryNewest(table, { ...all, high: schema.latestPrefix + range.from }, 1, signal),
    isOneKey ? [] : queryRange(table, schema.shardKeys(schema.latestPrefix, range), signal),
  ]);
  const items = [...before.filter(({ sk }) => sk?.S !== within[0]?.sk?.S), ...within];
  return Object.fromEntries(items.flatMap((item, index) => entriesOf(item, items[index + 1], range)));
}

function entriesOf(item: Item, next: Item | undefined, range: ShardRange) {
  const to = next === undefined ? null : fromOf(next);
  return Object.entries(decodeLatest(item) ?? {})
    .map(([key, values]) => [asHpaKey(key), values] as const)
    .filter(([key]) => holdsKey(range, key) && (to === null || key < to));
}

function fromOf(item: Item): string {
  return item.sk?.S?.slice(schema.latestPrefix.length) ?? "";
}
