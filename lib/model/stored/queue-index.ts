import type { EpochMs } from "../../k8s/time";
import type { HpaKey } from "../hpa-key";
import { fnv1a } from "../fnv1a";
import type { IndexRef, IndexRecord, MissingQueue, Shard, ShardRange } from "./shard";

/** Hashes of queues and prefixes, or `more`: too many, so the entry is compared. */
export type IndexedHpa = { readonly queues: readonly number[] } | { readonly more: true };

/** The table's INDEX item, without HPAs that read no queues. */
export interface QueueIndex {
  readonly hash: string;
  readonly hpas: Readonly<Record<HpaKey, IndexedHpa>>;
}

export interface IndexedQueues {
  readonly hash: string;
  readonly queues: Uint32Array;
  readonly more: number;
}

export const missingQueue = (key: HpaKey, queue: number, until: EpochMs): MissingQueue => [
  queue,
  fnv1a(`${queue}#${key}`),
  until,
];

export const emptyIndex = "none";

/** Beyond this, the index is not used: the SHARD item must not fill up. */
const mostLacks = 100;

type Recorded = Pick<Shard, "version" | "from" | "to" | "index">;

/** Undefined: the last writer does not know the index. */
export function indexRecord({ version, index }: Recorded): IndexRecord | undefined {
  return index?.version === version ? index : undefined;
}

/** Undefined: search the entries. */
export function usableRef(shard: Recorded): IndexRef | undefined {
  const mark = indexRecord(shard)?.mark;
  return mark?.range === hashOfRange(shard) ? mark : undefined;
}

export function hashOfRange({ from, to }: Pick<ShardRange, "from" | "to">): number {
  return fnv1a(JSON.stringify([from, to]));
}

/** For a writer that leaves the index as it is. `version`: of its write. */
export function unchangedRecord(shard: Recorded, version: number): { readonly index: IndexRecord } {
  return { index: { ...(indexRecord(shard) ?? { since: shard.version }), version } };
}

/** The current slot drops what was found before it began. */
export function namesMissing(lacks: readonly MissingQueue[], [, pair, until]: MissingQueue): boolean {
  return lacks.some((known) => known[1] === pair && known[2] >= until);
}

export function recordWithMissing(
  shard: Recorded,
  version: number,
  lacking: readonly MissingQueue[],
): { readonly index: IndexRecord } {
  const { mark, lacks = [], ...record } = unchangedRecord(shard, version).index;
  const all = [...lacks.filter((lack) => !lacking.some(([, pair]) => pair === lack[1])), ...lacking];
  const isUsable = mark !== undefined && all.length < mostLacks;
  return { index: { ...record, ...(isUsable && { mark }), lacks: all.slice(0, mostLacks) } };
}

export interface WrittenIndex {
  /** Absent: no item has what the slot loaded. */
  readonly mark?: IndexRef;
  readonly names: (lack: MissingQueue) => boolean;
  /** Queues that the item named before, and no longer. */
  readonly removed: readonly MissingQueue[];
  readonly until: EpochMs;
}

/**
 * For a slot that finishes: the index lacks queues of entries that changed after the slot loaded them. A wake does not
 * report queues that the item named when it looked, so what the slot removed may be lacking too:
 *
 *     12:00:15.0   the slot loads: nobody reads `orders` any more
 *     12:00:15.1   an HPA changes back to `orders`; its wake finds that the item, still the last slot's, names it
 *     12:00:15.2   the slot writes the item without `orders`
 *
 * @param loaded the shard before its entries were loaded.
 * @param current the shard that this write replaces.
 */
export function finishedRecord(
  loaded: Shard,
  current: Shard,
  { mark, names, removed, until }: WrittenIndex,
): { readonly index: IndexRecord } {
  const version = current.version + 1;
  const isAlone = current.version === loaded.version;
  const { since = current.version, lacks: known = [] } = indexRecord(current) ?? {};
  const isKept = isAlone || (indexRecord(current) !== undefined && since <= loaded.version);
  const isFull = !isAlone && known.length >= mostLacks;
  const before = indexRecord(loaded)?.lacks ?? [];
  const isOver = (lack: MissingQueue) => names(lack) || (lack[2] < until && namesMissing(before, lack));
  const lacks = [...known.filter((lack) => !isOver(lack)), ...removed];
  const isUsable = mark !== undefined && isKept && !isFull && lacks.length < mostLacks;
  const left = lacks.slice(0, mostLacks);
  return { index: { version, since, ...(isUsable && { mark }), ...(left.length > 0 && { lacks: left }) } };
}
