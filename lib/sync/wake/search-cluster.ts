import { isMap } from "../../k8s/map";
import type { HpaKey } from "../../model/hpa-key";
import {
  type HpaMetrics,
  type IndexRequest,
  type IndexedShard,
  type QueueReads,
  mostRequestedQueues,
  mostRequestedSources,
} from "../../model/ports/queue-reads";
import { Fault } from "../../model/fault";
import { emptyIndex, indexRecord, usableRef } from "../../model/stored/queue-index";
import type { ShardRange } from "../../model/stored/shard";
import {
  includesSorted,
  longestName,
  namesIn,
  queuesOf,
  queuesOfSource,
  readsQueue,
  sourceNames,
  type WantedQueue,
} from "./queues-of";

export type SearchStage = "indexes" | "named" | "notNamed" | "pages";

export interface SearchStep {
  readonly found: readonly HpaKey[];
  readonly next: SearchStage;
}

/** 16 of the largest are 6 MB. */
const entriesPerRead = 16;
/** An index of 1,000 HPAs has 20 KB. */
const indexesPerRead = 8;

/** The table sends each entry that no index names: a team may have 250 MB, and 16 MB take 256 MB of memory a second. */
const mostBytes = 16 * 2 ** 20;

export interface ClusterSearch {
  readonly cluster: string;
  readonly shards: readonly IndexedShard[];
  readonly wanted: readonly WantedQueue[];
  /** Bounds large reads over all clusters. */
  readonly limited: <T>(read: () => Promise<T>) => Promise<T>;
  readonly signal: AbortSignal;
}

/** No cluster waits for another. HPAs in indexes come first. The current entry decides. */
export async function* searchCluster(reads: QueueReads, search: ClusterSearch): AsyncGenerator<SearchStep> {
  const { cluster, wanted, limited, signal } = search;
  const match = openMatch(reads, cluster, wanted);
  let found: readonly HpaKey[] = [];
  /** A step ends before its read, with the results of the one before. */
  const before = (next: SearchStage): SearchStep => {
    const step = { found, next };
    found = [];
    return step;
  };

  let bytes = 0;

  async function* compare(keys: readonly HpaKey[], stage: SearchStage): AsyncGenerator<SearchStep> {
    for (const some of chunks(keys, entriesPerRead)) {
      yield before(stage);
      if (bytes > mostBytes) throw tooManyBytes();
      found = await limited(async () => {
        const entries = await reads.hpas(cluster, some, signal);
        if (stage !== "named") bytes += entries.reduce((sum, entry) => sum + entry.bytes, 0);
        return match(entries, signal);
      });
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
  // HPAs with too many queues to name: they may be many, and large.
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

function tooManyBytes(): Fault {
  const what = `expected at most ${mostBytes / 2 ** 20} MB of metrics of the HPAs that no index names, found more`;
  return new Fault("badEntry", `${what} (a limit of ebb)`);
}

interface Indexes {
  readonly named: readonly IndexRequest[];
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

/** True if the index is the referenced one, and lacks none of the queues. */
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

export function rangesBetween(
  cluster: string,
  ranges: readonly Pick<ShardRange, "from" | "to">[],
): readonly ShardRange[] {
  const left: ShardRange[] = [];
  let from: string | null = "";
  for (const range of ranges.toSorted((a, b) => (a.from < b.from ? -1 : 1))) {
    if (from === null) break;
    if (range.from > from) left.push({ cluster, from, to: range.from });
    if (range.to === null || range.to > from) from = range.to;
  }
  return from === null ? left : [...left, { cluster, from, to: null }];
}

/** 25 of the largest are 10 MB. */
const sourcesPerRead = 25;
const mostKept = 20_000;

/** Keeps HPAs whose current entries read the wanted queues. */
type Match = (hpas: readonly HpaMetrics[], signal: AbortSignal) => Promise<readonly HpaKey[]>;

function openMatch(reads: Pick<QueueReads, "sources">, cluster: string, wanted: readonly WantedQueue[]): Match {
  const names = new Set(wanted.map(({ name }) => name));
  /** Undefined: no such source. */
  const specs = new Map<string, object | undefined>();

  async function know(hpas: readonly HpaMetrics[], signal: AbortSignal): Promise<void> {
    const named = new Set(hpas.flatMap(({ document }) => sourceNames(document)));
    const unknown = [...named].filter((name) => !specs.has(name) && isNameOfEntry(name));
    if (specs.size + unknown.length > mostKept) specs.clear();
    for (let start = 0; start < unknown.length; start += sourcesPerRead) {
      const some = unknown.slice(start, start + sourcesPerRead);
      const found = await reads.sources(cluster, some, signal);
      for (const name of some) specs.set(name, found.has(name) ? reduced(found.get(name), names) : undefined);
    }
  }

  return async (hpas, signal) => {
    await know(hpas, signal);
    return hpas
      .filter(({ document }) => {
        const queues = queuesOf(document, (name) => specs.get(name));
        return wanted.some(({ name }) => readsQueue(queues, name));
      })
      .map(({ key }) => key);
  };
}

/** A request with a longer key would fail. */
function isNameOfEntry(name: string): boolean {
  return name !== "" && Buffer.byteLength(name) <= 1_000;
}

/** A thousand long specs must take no memory. */
function reduced(spec: unknown, names: ReadonlySet<string>): object {
  if (!isMap(spec) || spec["kind"] !== "sqs") return { kind: "other" };
  const { queue, queues, queuePrefix } = isMap(spec["parameters"]) ? spec["parameters"] : {};
  const wantedIn = (...listed: Parameters<typeof namesIn>) => namesIn(...listed).filter((name) => names.has(name));
  const prefix = typeof queuePrefix === "string" && queuePrefix.length <= longestName ? queuePrefix : "";
  const parameters = { queue: wantedIn(queue, "")[0] ?? "", queues: wantedIn("", queues).join(), queuePrefix: prefix };
  return { kind: "sqs", parameters };
}
