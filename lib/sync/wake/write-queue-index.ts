import type { EpochMs } from "../../k8s/time";
import type { SourceEntry } from "../../model/entry/entries";
import { isFault } from "../../model/fault";
import { type HpaKey, splitKey } from "../../model/hpa-key";
import { maxMin, treeOf } from "../../model/max-min";
import type { SlotMessage } from "../../model/messages";
import type { Entry, ListedHpa, ShardContents, Store } from "../../model/ports/store";
import type { IndexRef, MissingQueue, Shard } from "../../model/stored/shard";
import {
  type IndexedHpa,
  type QueueIndex,
  type WrittenIndex,
  emptyIndex,
  hashOfRange,
  missingQueue,
  usableRef,
} from "../../model/stored/queue-index";
import { holdsKey } from "../../model/stored/last-observed";
import type { SyncContext, SyncPorts } from "../ports";
import type { MissingQueues } from "../slot/record-change";
import { type SpecOfSource, queueHashes, queuesOf } from "./queues-of";
import { createHash } from "node:crypto";

/** Unwritten items expire after two days. */
const rewrittenAfterMs = 24 * 60 * 60_000;

interface Loaded {
  readonly shard: Shard;
  readonly contents: Pick<ShardContents, "hpas" | "sources">;
  readonly message: SlotMessage;
  readonly context: SyncContext;
}

/** Writes before the slot reads the queues: a message that comes later finds the HPA by the index. */
export async function writeQueueIndex(
  { store, reporter }: Pick<SyncPorts, "store" | "reporter">,
  { shard, contents, message, context }: Loaded,
): Promise<WrittenIndex> {
  const hpas = contents.hpas.filter(({ key }) => holdsKey(shard, key));
  const reads = readsOf(hpas, contents.sources);
  const index = indexOf(reads);
  const { until } = message;
  const pairs = once(() => new Set(missingIn(reads, until).map(([, pair]) => pair)));
  const names = ([, pair]: MissingQueue) => pairs().has(pair);
  const before = usableRef(shard);
  if (before?.hash === index.hash && isYoung(before, message)) return { mark: before, names, removed: [], until };
  const mark = { hash: index.hash, range: hashOfRange(shard), at: message.slot };
  try {
    const removed = (await namedBefore(store, shard, before, context.signal))?.map(([key, queue]) =>
      missingQueue(key, queue, until),
    );
    const isWritten = index.hash === emptyIndex || (await store.putIndex(shard, index, context.signal));
    const lacks = removed?.filter((lack) => !names(lack)) ?? [];
    return { names, until, removed: lacks, ...(isWritten && removed !== undefined && { mark }) };
  } catch (error) {
    if (!isFault(error)) throw error;
    const { cluster } = shard;
    reporter.failed({ cluster, reason: "IndexNotWritten", message: error.message, at: context.now() });
    return { names, until, removed: [] };
  }
}

/** Undefined: the item is not the referenced one. */
async function namedBefore(
  store: Pick<Store, "index">,
  shard: Shard,
  mark: IndexRef | undefined,
  signal: AbortSignal,
): Promise<readonly (readonly [HpaKey, number])[] | undefined> {
  if (mark === undefined || mark.hash === emptyIndex) return [];
  const index = await store.index(shard, signal);
  if (index?.hash !== mark.hash) return [];
  const all = Object.entries(index.hpas) as [HpaKey, IndexedHpa][];
  if (all.some(([, hpa]) => "more" in hpa)) return undefined;
  return all.flatMap(([key, hpa]) => ("queues" in hpa ? hpa.queues.map((queue) => [key, queue] as const) : []));
}

function isYoung({ hash, at }: IndexRef, { slot }: { readonly slot: EpochMs }): boolean {
  return hash === emptyIndex || slot - at < rewrittenAfterMs;
}

/** Queues that the index lacks. `end`: of the current slot. */
export async function missingQueuesOf(
  store: Pick<Store, "index">,
  shard: Shard,
  contents: Pick<ShardContents, "hpas" | "sources">,
  { end, signal }: { readonly end: EpochMs; readonly signal: AbortSignal },
): Promise<MissingQueues> {
  const reads = readsOf(contents.hpas, contents.sources);
  if (reads.length === 0) return { lacks: [], isLost: false };
  const mark = usableRef(shard);
  const all = { lacks: missingIn(reads, end), isLost: false };
  if (mark === undefined || mark.hash === emptyIndex) return all;
  const index = await store.index(shard, signal);
  if (index?.hash !== mark.hash) return { ...all, isLost: true };
  return {
    lacks: missingIn(
      reads.filter((read) => !isNamed(index, read)),
      end,
    ),
    isLost: false,
  };
}

function isNamed({ hpas }: QueueIndex, { key, queues }: QueuesRead): boolean {
  const hpa = Object.hasOwn(hpas, key) ? hpas[key] : undefined;
  if (hpa === undefined) return false;
  return "more" in hpa || queues.every((queue) => hpa.queues.includes(queue));
}

function missingIn(reads: readonly QueuesRead[], until: EpochMs): readonly MissingQueue[] {
  return reads.flatMap(({ key, queues }) => queues.map((queue) => missingQueue(key, queue, until)));
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** Eight for each of 1,000 HPAs, to fit into an item. */
const mostQueues = 8_000;

export interface QueuesRead {
  readonly key: HpaKey;
  readonly queues: readonly number[];
}

/** In key order. */
export function readsOf(hpas: readonly ListedHpa[], sources: readonly Entry<SourceEntry>[]): readonly QueuesRead[] {
  const specs = new Map(sources.map((source) => [source.key, "value" in source ? source.value.spec : undefined]));
  const specOf: SpecOfSource = (name) => specs.get(name);
  return hpas.flatMap(({ key, document }) => {
    const queues = queueHashes(queuesOf(document, specOf));
    return queues.length === 0 ? [] : [{ key, queues }];
  });
}

/** If the queues do not fit, HPAs above their fair share are not named. */
export function indexOf(reads: readonly QueuesRead[]): QueueIndex {
  const tree = treeOf(reads.map(({ key }) => splitKey(key)));
  const shares = maxMin(mostQueues, { tree, demands: reads.map(({ queues }) => queues.length) }, 0);
  const hpas = Object.fromEntries(
    reads.map(({ key, queues }, index): [HpaKey, IndexedHpa] => [
      key,
      queues.length <= (shares[index] ?? 0) ? { queues } : { more: true },
    ]),
  );
  return { hash: reads.length === 0 ? emptyIndex : hashOf(hpas), hpas };
}

function hashOf(hpas: QueueIndex["hpas"]): string {
  return createHash("sha256").update(JSON.stringify(hpas)).digest("base64url").slice(0, 16);
}
