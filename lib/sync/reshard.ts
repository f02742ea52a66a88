import type { Shard } from "../core/state";
import type { Store } from "./ports";

/** A shard with more entries than this is split; two neighbours with fewer than `mergeBelow` together become one. */
export const splitAbove = 1_000;
export const mergeBelow = 500;

/**
 * Makes one cluster's shards cover all of its keys, and no shard too large or two too small. At most one split or merge for each call:
 * the next tick goes on. Every step leaves all keys covered, at worst twice (a crash between two writes), which is harmless:
 * states are written conditionally. The next call mends what it finds (`to` follows from the neighbour's `from`).
 *
 * @returns the shards as they stand afterwards, in key order.
 */
export async function reshard(
  store: Store,
  cluster: string,
  found: readonly Shard[],
  signal: AbortSignal,
): Promise<Shard[]> {
  const shards = [...found].sort((a, b) => (a.from < b.from ? -1 : 1));
  if (shards[0]?.from !== "") {
    const first = emptyShard(cluster, shards[0]?.from ?? null);
    if (await store.createShard(first, signal)) shards.unshift(first);
  }
  const mended = await mendRanges(store, shards, signal);
  return (await splitOne(store, mended, signal)) ?? (await mergeOne(store, mended, signal)) ?? mended;
}

function emptyShard(cluster: string, to: string | null): Shard {
  return { cluster, from: "", to, version: 1, slot: 0, heartbeat: 0, behind: {}, entries: 0 };
}

async function mendRanges(store: Store, shards: readonly Shard[], signal: AbortSignal): Promise<Shard[]> {
  const mended: Shard[] = [];
  for (const [index, shard] of shards.entries()) {
    const to = shards[index + 1]?.from ?? null;
    mended.push(shard.to === to ? shard : await replace(store, shard, { ...shard, to }, signal));
  }
  return mended;
}

async function splitOne(store: Store, shards: readonly Shard[], signal: AbortSignal): Promise<Shard[] | undefined> {
  const index = shards.findIndex((shard) => shard.entries > splitAbove);
  const shard = shards[index];
  if (shard === undefined) return undefined;
  const { hpas } = await store.load(shard, signal);
  const middle = splitPoint(hpas.map(({ key }) => key));
  if (middle === undefined) return undefined;
  const half = Math.ceil(shard.entries / 2);
  const right: Shard = { ...shard, from: middle, version: 1, entries: half };
  if (!(await store.createShard(right, signal))) return undefined;
  const left = await replace(store, shard, { ...shard, to: middle, entries: half }, signal);
  return [...shards.slice(0, index), left, right, ...shards.slice(index + 1)];
}

/**
 * The first key of the namespace that begins nearest to the middle, so that a namespace's pods are listed once; the middle key itself
 * where one namespace fills the shard.
 *
 * @param keys "namespace/name", in order.
 */
export function splitPoint(keys: readonly string[]): string | undefined {
  const middle = keys.length / 2;
  let best: { readonly key: string; readonly distance: number } | undefined;
  for (const [index, key] of keys.entries()) {
    if (index === 0 || namespaceOf(key) === namespaceOf(keys[index - 1] ?? "")) continue;
    const distance = Math.abs(index - middle);
    if (best === undefined || distance < best.distance) best = { key: `${namespaceOf(key)}/`, distance };
  }
  return best?.key ?? (keys.length > 1 ? keys[Math.floor(middle)] : undefined);
}

function namespaceOf(key: string): string {
  return key.slice(0, key.indexOf("/"));
}

/**
 * Only neighbours that finished the same slot are merged: their heartbeats then lie within one sync of each other, and taking the later one
 * holds an open recommendation at most that moment longer, never shorter.
 */
async function mergeOne(store: Store, shards: readonly Shard[], signal: AbortSignal): Promise<Shard[] | undefined> {
  for (const [index, left] of shards.entries()) {
    const right = shards[index + 1];
    if (right === undefined || left.slot !== right.slot || left.entries + right.entries >= mergeBelow) continue;
    const merged: Shard = {
      ...left,
      to: right.to,
      heartbeat: Math.max(left.heartbeat, right.heartbeat),
      behind: { ...left.behind, ...right.behind },
      entries: left.entries + right.entries,
    };
    const replaced = await replace(store, left, merged, signal);
    if (replaced.to !== right.to) return undefined;
    await store.replaceShard(right, null, signal);
    return [...shards.slice(0, index), replaced, ...shards.slice(index + 2)];
  }
  return undefined;
}

/** The shard as it stands afterwards: unchanged where somebody else wrote first (a sync that finished a slot); the next tick tries again. */
async function replace(store: Store, before: Shard, after: Shard, signal: AbortSignal): Promise<Shard> {
  const next = { ...after, version: before.version + 1 };
  return (await store.replaceShard(before, next, signal)) ? next : before;
}
