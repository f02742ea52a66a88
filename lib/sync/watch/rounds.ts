import { withinTime } from "../../async/within-time";
import { findWork } from "../../core/has-work";
import type { MetricResponse } from "../../k8s/objects";
import type { EpochMs } from "../../k8s/time";
import type { Clusters } from "../../model/ports/cluster";
import type { MetricSources } from "../../model/ports/sources";
import { readSource } from "../observe/read-operands";
import { shareSources, type SourceReads } from "../observe/read-sources";
import { type Reader, textOf, type WatchedCluster, type WatchedId, type WatchedQuery, windowOf } from "./watched";

export interface RoundPorts {
  readonly clusters: Clusters;
  readonly sources: MetricSources;
}

export interface RoundEvents {
  readonly now: () => EpochMs;
  /** A reading that takes these HPAs from zero, or the second one in a row that may. Called for each reading. */
  readonly found: (ids: readonly WatchedId[]) => void;
  /** An answer or a failure, but for those that the end of the invocation cut off. */
  readonly noted: (query: WatchedQuery, response: MetricResponse) => void;
}

/** A source gives up earlier; this bounds a round whatever it does. */
const longestRoundMs = 20_000;

/**
 * Reads in rounds, by the code of a sync. A query that is still under way is left out of the next rounds, so that a far
 * end that hangs holds up nobody and is asked once.
 */
export function openRounds({ clusters, sources }: RoundPorts, { now, found, noted }: RoundEvents, startedAt: EpochMs) {
  const underWay = new Set<string>();
  const lastWindows = new Map<string, EpochMs | undefined>();
  /** By query: the HPAs that its last reading may have taken from zero. */
  const possible = new Map<string, ReadonlySet<string>>();

  /** The watcher before this one has read what was due when this one began. */
  function isDue(query: WatchedQuery, at: EpochMs): boolean {
    if (underWay.has(query.id)) return false;
    if (query.keepMs === 0) return true;
    const window = windowOf(query, at);
    const last = lastWindows.has(query.id) ? lastWindows.get(query.id) : windowOf(query, startedAt);
    lastWindows.set(query.id, window);
    return window !== undefined && window !== last;
  }

  function workFor({ idle, index }: Reader, { cluster }: WatchedQuery, response: MetricResponse) {
    try {
      const { hpa, rules } = idle;
      return findWork({ hpa, rules, options: cluster.options }, { index, response }, now());
    } catch {
      // What one HPA's item makes of a reading concerns no other HPA. Its slots report what is wrong with it.
      return "none";
    }
  }

  function judge(query: WatchedQuery, response: MetricResponse): void {
    const before = possible.get(query.id);
    const judged = query.readers.map((reader) => ({ reader, work: workFor(reader, query, response) }));
    const working = judged.filter(
      ({ reader, work }) => work === "certain" || (work === "possible" && before?.has(textOf(reader.id)) === true),
    );
    const maybe = judged.filter(({ work }) => work === "possible").map(({ reader }) => textOf(reader.id));
    if (maybe.length === 0) possible.delete(query.id);
    else possible.set(query.id, new Set(maybe));
    if (working.length > 0) found(working.map(({ reader }) => reader.id));
  }

  async function readOne(reads: SourceReads, query: WatchedQuery, signal: AbortSignal): Promise<void> {
    underWay.add(query.id);
    try {
      const { found: source, metricName, readers } = query;
      const asker = readers[0]?.id.key;
      const { response } = await readSource(reads, source, { metricName, ...(asker && { asker }) });
      if (!signal.aborted) noted(query, response);
      judge(query, { from: source.source, ...response });
    } finally {
      underWay.delete(query.id);
    }
  }

  return {
    /** What is read now. */
    due: (queries: readonly WatchedQuery[], at: EpochMs) => queries.filter((query) => isDue(query, at)),

    /** Reads these queries at once. Resolves when each has its answer, or the signal fired. */
    async read(queries: readonly WatchedQuery[], at: EpochMs, signal: AbortSignal): Promise<void> {
      await withinTime(longestRoundMs, signal, async (limit) => {
        const ofClusters = groupByCluster(queries);
        const rounds = [...ofClusters].map(([cluster, asked]) => {
          const asking = { name: cluster.name, api: () => clusters.connect(cluster.entry, limit) };
          const reads = shareSources(sources, {}, { slot: at, now: at, signal: limit, cluster: asking });
          return asked.map((query) => readOne(reads, query, signal));
        });
        await Promise.all(rounds.flat());
      });
    },
  };
}

function groupByCluster(queries: readonly WatchedQuery[]): ReadonlyMap<WatchedCluster, readonly WatchedQuery[]> {
  const groups = new Map<WatchedCluster, WatchedQuery[]>();
  for (const query of queries) {
    const known = groups.get(query.cluster);
    if (known === undefined) groups.set(query.cluster, [query]);
    else known.push(query);
  }
  return groups;
}
