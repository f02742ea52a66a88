import type { HpaKey } from "../../model/hpa-key";
import { includesSorted } from "./queue-hash";
import {
  type IndexRequest,
  type IndexedShard,
  mostRequestedQueues,
  mostRequestedSources,
  type QueueReads,
} from "../../model/ports/queue-reads";
import { emptyIndex, indexRecord, usableRef } from "../../model/stored/queue-index";
import { openMatch } from "./match";
import { queuesOfSource, readsQueue } from "./queues-of";
import { rangesBetween } from "./ranges";
import type { WantedQueue } from "./wanted";

/** What a search reads next, the most urgent first: a step of a later stage waits for those of all clusters below. */
export type SearchStage = "indexes" | "named" | "notNamed" | "pages";

export interface SearchStep {
  readonly found: readonly HpaKey[];
  /** Of the step that follows. */
  readonly next: SearchStage;
}

/** Entries read at a time: 16 of the largest are 6 MB. */
const entriesPerRead = 16;
/** Indexes read at a time. One of 1,000 HPAs has 20 KB. */
const indexesPerRead = 8;

export interface ClusterSearch {
  readonly cluster: string;
  /** Of the cluster. */
  readonly shards: readonly IndexedShard[];
  readonly wanted: readonly WantedQueue[];
  /** Bounds how much that may be large is read at a time, for all clusters. */
  readonly limited: <T>(read: () => Promise<T>) => Promise<T>;
  readonly signal: AbortSignal;
}

/**
 * Looks for the HPAs of a cluster that read the wanted queues, step by step, so that no cluster waits for another:
 * those that the indexes name first, and then those that the table filters out of the shards whose index says nothing.
 * Whatever the index says, the entry as it is now decides.
 */
export async function* searchCluster(reads: QueueReads, search: ClusterSearch): AsyncGenerator<SearchStep> {
  const { cluster, wanted, limited, signal } = search;
  const match = openMatch(reads, cluster, wanted);
  let found: readonly HpaKey[] = [];
  /** Each read is a step. It ends before the read, with what the one before it has found. */
  const before = (next: SearchStage): SearchStep => {
    const step = { found, next };
    found = [];
    return step;
  };

  async function* compare(keys: readonly HpaKey[], stage: SearchStage): AsyncGenerator<SearchStep> {
    for (const some of chunks(keys, entriesPerRead)) {
      yield before(stage);
      found = await limited(async () => match(await reads.hpas(cluster, some, signal), signal));
    }
  }

  async function* namedBySources(queues: readonly string[], sources: string[]): AsyncGenerator<SearchStep> {
    const pages = reads.sourcesNaming(cluster, queues, signal)[Symbol.asyncIterator]();
    while (sources.length <= mostRequestedSources) {
      yield before("pages");
      const page = await limited(() => pages.next());
      if (page.done === true) return;
      for (const [name, spec] of page.value) if (namesOneOf(spec, queues)) sources.push(name);
    }
  }

  const { named, searched } = await readIndexes(reads, search);
  const [few, many]: [HpaKey[], HpaKey[]] = [[], []];
  for (const some of chunks(named, indexesPerRead)) {
    yield before("indexes");
    const indexed = await limited(() => reads.indexed(cluster, some, signal));
    for (const { from } of some) {
      const keys = indexed.get(from);
      if (keys === undefined) searched.delete(from);
      few.push(...(keys?.named ?? []));
      many.push(...(keys?.more ?? []));
    }
  }
  yield* compare(few, "named");
  // Those with too many queues to name come last: they may be many, and large.
  yield* compare(many, "notNamed");

  const ranges = rangesBetween(cluster, [...searched.values()]);
  for (const queues of ranges.length === 0 ? [] : chunks(namesOf(wanted), mostRequestedQueues)) {
    const sources: string[] = [];
    yield* namedBySources(queues, sources);
    const requested = { queues, sources: sources.length > mostRequestedSources ? undefined : sources };
    for (const range of ranges) {
      const pages = reads.candidates(range, requested, signal)[Symbol.asyncIterator]();
      for (;;) {
        yield before("pages");
        const page = await pages.next();
        if (page.done === true) break;
        yield* compare(page.value, "pages");
      }
    }
  }
  yield before("indexes");
}

interface Indexes {
  /** Indexes that may name a wanted queue. */
  readonly named: readonly IndexRequest[];
  /** Shards whose entries need not be looked through, by `from`. */
  readonly searched: Map<string, IndexedShard>;
}

async function readIndexes(reads: QueueReads, { cluster, shards, wanted, signal }: ClusterSearch): Promise<Indexes> {
  const named: IndexRequest[] = [];
  const hashes = wanted.flatMap((queue) => queue.hashes);
  const usable = new Map(shards.filter((shard) => says(shard, hashes)).map((shard) => [shard.from, shard]));
  const isEmpty = (shard: IndexedShard) => usableRef(shard)?.hash === emptyIndex;
  const searched = new Map([...usable].filter(([, shard]) => isEmpty(shard)));
  if (searched.size === usable.size) return { named, searched };
  for await (const { from, hash, queues, more } of reads.indexes(cluster, signal)) {
    const shard = usable.get(from);
    if (shard === undefined || usableRef(shard)?.hash !== hash) continue;
    searched.set(from, shard);
    const own = hashes.filter((queue) => includesSorted(queues, queue));
    if (more > 0 || own.length > 0) named.push({ from, hash, hashes: own });
  }
  return { named, searched };
}

/** Whether the shard's index, if it is the one that the shard means, says everything about these queues. */
function says(shard: IndexedShard, hashes: readonly number[]): boolean {
  const { lacks = [] } = indexRecord(shard) ?? {};
  return usableRef(shard) !== undefined && !lacks.some(([queue]) => hashes.includes(queue));
}

function namesOf(wanted: readonly WantedQueue[]): readonly string[] {
  return wanted.filter(({ hashes }) => hashes.length > 0).map(({ name }) => name);
}

function namesOneOf(spec: unknown, queues: readonly string[]): boolean {
  const read = queuesOfSource(spec);
  return queues.some((name) => readsQueue(read, name));
}

function chunks<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}
