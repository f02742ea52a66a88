import type { HpaKey } from "../../model/hpa-key";
import { includesSorted } from "../../model/metric/queue-hash";
import type { IndexedShard, QueueReads } from "../../model/ports/queue-reads";
import { emptyIndex, type IndexedHpa, indexRecord, type QueueIndex, usableMark } from "../../model/stored/queue-index";
import { openMatch } from "./match";
import { rangesBetween } from "./ranges";
import type { WantedQueue } from "./wanted";

/** What a search reads next, the most urgent first: a step of a higher rank waits for those of all clusters below. */
export type Rank = "indexes" | "named" | "notNamed" | "pages";

export interface Step {
  readonly found: readonly HpaKey[];
  /** Of the step that follows. */
  readonly next: Rank;
}

/** Entries read at a time: 16 of the largest are 6 MB. */
const entriesPerRead = 16;

export interface ClusterSearch {
  readonly cluster: string;
  /** Of the cluster. */
  readonly shards: readonly IndexedShard[];
  readonly wanted: readonly WantedQueue[];
  /** Bound what may be large, for all clusters: batches of entries, and pages of them. */
  readonly inTurn: Readonly<Record<"batches" | "pages", <T>(read: () => Promise<T>) => Promise<T>>>;
  readonly signal: AbortSignal;
}

/**
 * Looks for the HPAs of a cluster that read the wanted queues, step by step, so that no cluster waits for another:
 * those that the indexes name first, and then the entries of shards whose index says nothing. Whatever the index says,
 * the entry as it is now decides.
 */
export async function* searchCluster(reads: QueueReads, search: ClusterSearch): AsyncGenerator<Step> {
  const { cluster, wanted, inTurn, signal } = search;
  const match = openMatch(reads, cluster, wanted);
  const { named, searched } = await readIndexes(reads, search);
  const candidates: { readonly key: HpaKey; readonly isNamed: boolean }[] = [];
  for (const { shard, hash } of named) {
    yield { found: [], next: "indexes" };
    const index = await reads.index(shard, signal);
    if (index?.hash === hash) candidates.push(...candidatesIn(index, wanted));
    else searched.splice(searched.indexOf(shard), 1);
  }
  let found: readonly HpaKey[] = [];
  // Those with too many queues to name come last: they may be many, and large.
  for (const rank of ["named", "notNamed"] as const) {
    const keys = candidates.filter(({ isNamed }) => isNamed === (rank === "named")).map(({ key }) => key);
    for (let start = 0; start < keys.length; start += entriesPerRead) {
      yield { found, next: rank };
      const some = keys.slice(start, start + entriesPerRead);
      found = await inTurn.batches(async () => match(await reads.hpas(cluster, some, signal), signal));
    }
  }
  for (const range of rangesBetween(cluster, searched)) {
    const pages = reads.pages(range, signal)[Symbol.asyncIterator]();
    for (;;) {
      yield { found, next: "pages" };
      const matched = await inTurn.pages(async () => {
        const page = await pages.next();
        return page.done === true ? undefined : await match(page.value, signal);
      });
      found = matched ?? [];
      if (matched === undefined) break;
    }
  }
  yield { found, next: "indexes" };
}

interface Indexes {
  /** Shards whose index may name a wanted queue. */
  readonly named: readonly { readonly shard: IndexedShard; readonly hash: string }[];
  /** Shards whose entries need not be looked through. */
  readonly searched: IndexedShard[];
}

async function readIndexes(reads: QueueReads, { cluster, shards, wanted, signal }: ClusterSearch): Promise<Indexes> {
  const named: { readonly shard: IndexedShard; readonly hash: string }[] = [];
  const hashes = wanted.flatMap((queue) => queue.hashes);
  const usable = new Map(shards.filter((shard) => says(shard, hashes)).map((shard) => [shard.from, shard]));
  const isEmpty = (shard: IndexedShard) => usableMark(shard)?.hash === emptyIndex;
  const searched = [...usable.values()].filter(isEmpty);
  if (searched.length === usable.size) return { named, searched };
  for await (const { from, hash, queues, more } of reads.indexes(cluster, signal)) {
    const shard = usable.get(from);
    if (shard === undefined || usableMark(shard)?.hash !== hash) continue;
    searched.push(shard);
    if (more > 0 || hashes.some((queue) => includesSorted(queues, queue))) named.push({ shard, hash });
  }
  return { named, searched };
}

/** Whether the shard's index, if it is the one that the shard means, says everything about these queues. */
function says(shard: IndexedShard, hashes: readonly number[]): boolean {
  const { lacks = [] } = indexRecord(shard) ?? {};
  return usableMark(shard) !== undefined && !lacks.some(([queue]) => hashes.includes(queue));
}

function candidatesIn({ hpas }: QueueIndex, wanted: readonly WantedQueue[]) {
  const hashes = new Set(wanted.flatMap((queue) => queue.hashes));
  return (Object.entries(hpas) as [HpaKey, IndexedHpa][]).flatMap(([key, hpa]) => {
    const isNamed = "queues" in hpa && hpa.queues.some((queue) => hashes.has(queue));
    return isNamed || "more" in hpa ? [{ key, isNamed }] : [];
  });
}
