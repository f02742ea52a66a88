import type { HpaKey } from "../model/hpa-key";
import { holdsKey } from "../model/stored/last-observed";
import type { ShardRange } from "../model/stored/shard";
import { type Item, toItem } from "./items/attributes";
import * as schema from "./items/keys";
import type { UnpackOptions, PackedRoom } from "./items/unpack";
import { itemsOf, queryNewest, querySortKeys, type Table } from "./reads";
import { deleteItems, putItems } from "./write-items";

/** LATEST or IDLE items. */
export interface PackedKind<T> {
  readonly prefix: string;
  readonly decode: (item: Item, options: UnpackOptions) => readonly (readonly [HpaKey, T])[] | undefined;
}

/** Shards merge in pairs. Later writes delete anything beyond. */
const mostMerged = 25;

/**
 * Also deletes the outdated items of shards that were merged into this one.
 *
 * @param own the keys of the items of its range, from its own on.
 */
export async function replacePacked(
  table: Table,
  { item, own }: { readonly item: Item; readonly own: schema.KeyRange },
  signal: AbortSignal,
): Promise<void> {
  const { pk } = own;
  const merged = async () => {
    const keys = await querySortKeys(table, { ...own, low: `${own.low}\0` }, signal, { Limit: mostMerged });
    await deleteItems(
      table,
      keys.map((sk) => toItem({ pk, sk })),
      signal,
    );
  };
  await Promise.all([putItems(table, [item], signal), merged()]);
}

/** A shard that begins before the range may reach into it. If two items have a key, the nearer shard's is newer. */
export async function readPacked<T>(
  table: Table,
  { prefix, decode }: PackedKind<T>,
  range: ShardRange,
  { room, signal }: { readonly room: PackedRoom; readonly signal: AbortSignal },
): Promise<Readonly<Record<HpaKey, T>>> {
  const found = new Map<HpaKey, T>();
  const take = (item: Item, to: string | null) => {
    const holds = (key: HpaKey) => holdsKey(range, key) && (to === null || key < to);
    for (const [key, values] of decode(item, { holds, room }) ?? []) found.set(key, values);
  };
  const all = schema.allKeys(prefix, range.cluster);
  const isOneKey = range.to === `${range.from}\0`;
  const before = range.from === "" ? [] : await queryNewest(table, { ...all, high: prefix + range.from }, 1, signal);
  // Held until the next item says where it ends.
  let [held] = before;
  if (!isOneKey)
    for await (const item of itemsOf(table, schema.shardKeys(prefix, range), signal)) {
      if (held !== undefined && held.sk?.S !== item.sk?.S) take(held, item.sk?.S?.slice(prefix.length) ?? "");
      held = item;
      if (room.left === 0) break;
    }
  if (held !== undefined) take(held, null);
  return Object.fromEntries(found);
}
