import { asHpaKey, type HpaKey, namespaceOf } from "../model/hpa-key";
import type { EpochMs } from "../k8s/time";
import type { HistoryRecord, Shard } from "../model/stored/shard";
import { isClassDue, type PeriodClass, classLastObservedAt, holdsKey } from "../model/stored/last-observed";
import { firstVersion } from "../model/stored/version";
import type { Store } from "../model/ports/store";
import { fitTogether, loadsOfBoth, mostEntries, partOf } from "../model/stored/shard-size";

export interface ReshardContext {
  readonly periodMs: number;
  readonly now: () => EpochMs;
  readonly signal: AbortSignal;
}

/**
 * Makes a cluster's shards cover all keys: splits every large shard, or merges one pair. A range leaves its shard
 * before another gets it, so no slot is finished twice for one HPA. The new shard assumes that the range was observed
 * now: recommendations are held longer, never shorter. After a crash in between, the next call gives the range to the
 * shard on its left.
 *
 * @returns the resulting shards, in key order
 */
export async function reshard(
  store: Store,
  cluster: string,
  found: readonly Shard[],
  context: ReshardContext,
): Promise<readonly Shard[]> {
  const shards = [...found].sort((a, b) => (a.from < b.from ? -1 : 1));
  if (shards[0]?.from !== "") {
    const first = emptyShard(cluster, shards[0]?.from ?? null, context.now());
    if (await store.createShard(first, context.signal)) shards.unshift(first);
  }
  const closed = await closeRanges(store, shards, context);
  const split = await splitLarge(store, closed, context);
  return split.length > closed.length ? split : mergeOne(store, closed, context);
}

/** Nobody knows when spans were last observed: the latest moment is safe. */
function emptyShard(cluster: string, to: string | null, now: EpochMs): Shard {
  return { cluster, from: "", to, version: firstVersion(now), slot: 0, heartbeat: now, behind: {}, entries: 0 };
}

async function closeRanges(
  store: Store,
  shards: readonly Shard[],
  { now, signal }: ReshardContext,
): Promise<readonly Shard[]> {
  const closed: Shard[] = [];
  for (const [index, shard] of shards.entries()) {
    const to = shards[index + 1]?.from ?? null;
    const isWidened = shard.to !== null && (to === null || to > shard.to);
    const { ownPeriods: _, ...unclassed } = shard;
    const next = isWidened ? { ...unclassed, to, heartbeat: Math.max(shard.heartbeat, now()) } : { ...shard, to };
    closed.push(shard.to === to ? shard : await replace(store, shard, next, signal));
  }
  return closed;
}

async function splitLarge(store: Store, shards: readonly Shard[], context: ReshardContext): Promise<readonly Shard[]> {
  const split: Shard[] = [];
  for (const shard of shards) {
    const most = mostEntries(shard, context.periodMs);
    if (shard.entries <= most) split.push(shard);
    else {
      const keys = await store.hpaKeys(shard, context.signal);
      split.push(...(await splitShard(store, shard, { keys, most }, context)));
    }
  }
  return split;
}

/** Halves until parts have at most `most` entries. */
async function splitShard(
  store: Store,
  shard: Shard,
  { keys, most }: { readonly keys: readonly HpaKey[]; readonly most: number },
  context: ReshardContext,
): Promise<readonly Shard[]> {
  const halves = await splitInTwo(store, shard, keys, context);
  if (halves.length === 1) return halves;
  const parts: Shard[] = [];
  for (const half of halves) {
    const own = keys.filter((key) => holdsKey(half, key));
    parts.push(...(own.length > most ? await splitShard(store, half, { keys: own, most }, context) : [half]));
  }
  return parts;
}

async function splitInTwo(
  store: Store,
  shard: Shard,
  keys: readonly HpaKey[],
  { now, signal }: ReshardContext,
): Promise<readonly Shard[]> {
  const middle = splitPoint(keys);
  if (middle === undefined) return [shard];
  const half = keys.filter((key) => key < middle).length;
  const left = await replace(store, shard, { ...partOf(shard, half, keys.length), to: middle }, signal);
  if (left.to !== middle || !(await stillEndsThere(store, left, signal))) return [left];
  // Our clock may be behind the last slot's.
  const heartbeat = Math.max(shard.heartbeat, now());
  const other = partOf(shard, keys.length - half, keys.length);
  const { counters: _, ...uncounted } = other;
  const right: Shard = { ...uncounted, from: middle, version: firstVersion(now()), ...movedTo(heartbeat, [shard]) };
  if (await store.createShard(right, signal)) return [left, right];
  return [await replace(store, left, shard, signal)];
}

/**
 * The start of the namespace nearest to the middle, so that one shard lists its pods; else the middle key. `keys` are
 * in order.
 */
export function splitPoint(keys: readonly HpaKey[]): string | undefined {
  const middle = keys.length / 2;
  let best: { readonly key: HpaKey; readonly distance: number } | undefined;
  for (const [index, key] of keys.entries()) {
    if (index === 0 || namespaceOf(key) === namespaceOf(keys[index - 1] ?? "")) continue;
    const distance = Math.abs(index - middle);
    if (best === undefined || distance < best.distance) best = { key: `${namespaceOf(key)}/`, distance };
  }
  return best?.key ?? (keys.length > 1 ? keys[Math.floor(middle)] : undefined);
}

/**
 * Only adjacent shards that finished the same slot. A sync under way can no longer finish it, so the heartbeat is this
 * moment.
 */
async function mergeOne(
  store: Store,
  shards: readonly Shard[],
  { now, signal, periodMs }: ReshardContext,
): Promise<readonly Shard[]> {
  const index = shards.findIndex((shard, i) => fitTogether(shard, shards[i + 1], periodMs));
  const [left, right] = shards.slice(index, index + 2);
  if (index === -1 || left === undefined || right === undefined) return shards;
  if (!(await store.replaceShard(right, null, signal))) return shards;
  const merged: Shard = {
    ...left,
    to: right.to,
    ...movedTo(Math.max(left.heartbeat, right.heartbeat, now()), [left, right]),
    behind: { ...left.behind, ...right.behind },
    entries: left.entries + right.entries,
    ...loadsOfBoth(left, right),
    ...latestOf(left, right),
    ...historyOf(left, right),
    ...shorterOf(left, right),
  };
  const replaced = await replace(store, left, merged, signal);
  if (replaced.to === right.to) return [...shards.slice(0, index), replaced, ...shards.slice(index + 2)];
  if (await stillEndsThere(store, left, signal)) await store.createShard(unconfirmed(right), signal);
  return shards;
}

/** How far the clock of a sync may be ahead. */
const skewMs = 60_000;

/** A sync under way has observed HPAs due in every slot, and the classes due since the last finished one. */
function movedTo(heartbeat: EpochMs, shards: readonly Shard[]): Pick<Shard, "heartbeat" | "ownPeriods"> {
  const names = [...new Set(shards.flatMap(({ ownPeriods }) => Object.keys(ownPeriods?.seen ?? {}) as PeriodClass[]))];
  if (names.length === 0) return { heartbeat };
  const seen = names.map((name) => {
    const known = shards.filter(({ ownPeriods }) => Object.hasOwn(ownPeriods?.seen ?? {}, name));
    const isUnderWay = known.some(({ slot }) => isClassDue(name, { after: slot, until: heartbeat + skewMs }));
    return [
      name,
      isUnderWay ? heartbeat : Math.max(...known.map((shard) => classLastObservedAt(shard, name))),
    ] as const;
  });
  return { heartbeat, ownPeriods: { heartbeat, seen: Object.fromEntries(seen) } };
}

/** A slot must replace what both show. */
function latestOf({ latest: first }: Shard, { latest: second }: Shard): Pick<Shard, "latest"> {
  const latest = first ?? second;
  return latest === undefined ? {} : { latest };
}

function historyOf({ history: first }: Shard, { history: second }: Shard): Pick<Shard, "history"> {
  if (first === undefined || second === undefined) return {};
  const { hash: _, ...history } = first;
  const last = [...history.last, ...second.last];
  const packed = Math.min(first.packed, second.packed);
  return { history: { ...history, last, packed, seen: Math.min(first.seen, second.seen), ...lostOf(first, second) } };
}

function lostOf({ lost: first }: HistoryRecord, { lost: second }: HistoryRecord): Pick<HistoryRecord, "lost"> {
  const lost = [first, second].filter((one) => one !== undefined);
  return lost.length === 0 ? {} : { lost: Math.min(...lost) };
}

function shorterOf(left: Shard, right: Shard): Pick<Shard, "shorterPeriods"> {
  const own = [left, right].flatMap((shard) =>
    Object.entries(shard.shorterPeriods ?? {}).filter(([key]) => holdsKey(shard, asHpaKey(key))),
  );
  return own.length === 0 ? {} : { shorterPeriods: Object.fromEntries(own) };
}

/** After a pause, the next tick may have closed the gap. */
async function stillEndsThere(store: Store, left: Shard, signal: AbortSignal): Promise<boolean> {
  return (await store.shard(left, signal))?.to === left.to;
}

/** Without a shard, a wake could not report a change. */
function unconfirmed({ confirmed: _, ...shard }: Shard): Shard {
  return shard;
}

async function replace(store: Store, before: Shard, after: Shard, signal: AbortSignal): Promise<Shard> {
  const next = { ...after, version: before.version + 1 };
  return (await store.replaceShard(before, next, signal)) ? next : before;
}
