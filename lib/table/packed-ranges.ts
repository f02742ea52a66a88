import { asHpaKey, type HpaKey } from "../model/hpa-key";
import { holdsKey } from "../model/stored/sightings";
import type { ShardRange } from "../model/stored/state";
import type { Item } from "./items/attributes";
import * as schema from "./items/keys";
import { queryNewest, queryRange, type Table } from "./reads";
import { deleteItems, putItems } from "./write-items";

/** Items of shards that hold a map by HPA: LATEST and IDLE. */
export interface PackedKind<T> {
  readonly prefix: string;
  readonly decode: (item: Item) => Readonly<Record<string, T>> | undefined;
}

/** Also deletes the items of shards that were merged into this one: they are outdated, and nearer to their keys. */
export async function replacePacked(
  table: Table,
  { item, prefix }: { readonly item: Item; readonly prefix: string },
  shard: ShardRange,
  signal: AbortSignal,
): Promise<void> {
  const own = schema.shardKeys(prefix, shard);
  const merged = async () =>
    deleteItems(table, await queryRange(table, { ...own, low: `${own.low}\0` }, signal), signal);
  await Promise.all([putItems(table, [item], signal), merged()]);
}

/**
 * What the items say of the HPAs of a range. A shard that begins before the range may reach into it. Of a key that two
 * items have, the one of the nearer shard counts: its shard was split off the other one.
 */
export async function readPacked<T>(
  table: Table,
  { prefix, decode }: PackedKind<T>,
  range: ShardRange,
  signal: AbortSignal,
): Promise<Readonly<Record<HpaKey, T>>> {
  const all = schema.allKeys(prefix, range.cluster);
  const isOneKey = range.to === `${range.from}\0`;
  const [before, within] = await Promise.all([
    range.from === "" ? [] : queryNewest(table, { ...all, high: prefix + range.from }, 1, signal),
    isOneKey ? [] : queryRange(table, schema.shardKeys(prefix, range), signal),
  ]);
  const items = [...before.filter(({ sk }) => sk?.S !== within[0]?.sk?.S), ...within];
  const fromOf = (item: Item) => item.sk?.S?.slice(prefix.length) ?? "";
  return Object.fromEntries(
    items.flatMap((item, index) => {
      const next = items[index + 1];
      const to = next === undefined ? null : fromOf(next);
      return Object.entries(decode(item) ?? {})
        .map(([key, values]) => [asHpaKey(key), values] as const)
        .filter(([key]) => holdsKey(range, key) && (to === null || key < to));
    }),
  );
}
