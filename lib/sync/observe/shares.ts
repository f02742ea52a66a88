import type { HorizontalPodAutoscaler, MetricSpec } from "../../k8s/hpa";
import type { HpaKey } from "../../model/hpa-key";
import { limits } from "../../model/entry/limits";
import { smallestPart } from "../plan/shard-size";

/** What each HPA of a turn may ask for, so that an HPA with many metrics delays and costs only itself. */
export interface Shares {
  /** The place of a metric's query, or of the last one of several. */
  placeOf(key: HpaKey, index: number): QueryPlace;
  /**
   * How many queries a shard of these HPAs has to have room for. Of an HPA, at most as many as it has room for in the
   * smallest shard: to split further would not help it.
   */
  readonly wanted: number;
}

export type QueryPlace =
  /** How many of its HPA's queries go before it. `asker`: of the HPAs that ask it, the one where it comes first. */
  | { readonly rank: number; readonly asker: HpaKey }
  /** Beyond its HPA's share: not asked. */
  | { readonly refused: string };

/** The requests that a metric of an HPA needs: texts that are equal for those that one answers. */
export type IdentifyQuery = (metric: MetricSpec, hpa: HorizontalPodAutoscaler) => readonly string[];

/**
 * Every HPA's first query goes before any HPA's second one, and so on:
 *
 *     orders   q1                        rank 0: q1 a1 b1
 *     heavy-a  a1 a2 a3 … a1500          rank 1: a2 b2
 *     heavy-b  b1 b2 b3 … b1500          rank 2: a3 b3 …
 *
 * A turn sends at most `most` queries, and each HPA's first one. If its HPAs have more, each gets the same share, and
 * what a small HPA does not need goes to the others. An HPA's later queries are refused, the same ones in each slot,
 * until the tick has split the shard.
 */
export function planShares(
  hpas: readonly { readonly key: HpaKey; readonly hpa: HorizontalPodAutoscaler }[],
  identify: IdentifyQuery,
  most: number = limits.queriesPerTurn,
): Shares {
  const queries = new Map<HpaKey, readonly (readonly string[])[]>();
  const counts: number[] = [];
  for (const { key, hpa } of hpas) {
    const own = (hpa.spec.metrics ?? []).map((metric) => (isQuery(metric) ? identify(metric, hpa) : []));
    queries.set(key, own);
    counts.push(new Set(own.flat()).size);
  }
  const share = fairShare(counts, most);
  const first = new Map<string, { readonly rank: number; readonly asker: HpaKey }>();
  for (const [key, own] of queries)
    [...new Set(own.flat())].forEach((query, rank) => {
      if (rank < (first.get(query)?.rank ?? Infinity)) first.set(query, { rank, asker: key });
    });

  const wanted = counts.reduce((sum, count) => sum + Math.min(count, Math.ceil(most / smallestPart)), 0);
  const remedy = wanted > most ? "the next tick splits the shard" : "remove metrics that you do not need";

  return {
    wanted,
    placeOf(key, index) {
      const places = (queries.get(key)?.[index] ?? []).flatMap((query) => first.get(query) ?? []);
      // A metric of several queries waits for its last one.
      const [place = { rank: 0, asker: key }] = places.sort((a, b) => b.rank - a.rank);
      return place.rank < share ? place : { refused: `${refusal(counts, share, most)}: ${remedy}` };
    },
  };
}

/**
 * The largest number of queries for each HPA with which all of them together send at most `most`. But at least one: a
 * new shard may have more HPAs than that, until the next tick splits it.
 */
function fairShare(counts: readonly number[], most: number): number {
  const ascending = [...counts].sort((a, b) => a - b);
  let left = most;
  for (const [index, count] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index));
    if (count > share) return Math.max(1, share);
    left -= count;
  }
  return Infinity;
}

/** The same text in each slot, so that it is reported once. */
function refusal(counts: readonly number[], share: number, most: number): string {
  const all = counts.reduce((sum, count) => sum + count, 0);
  const what = `expected at most ${most} queries in a slot from the HPAs of a shard, got ${all}`;
  return `${what}: each HPA has its first ${share}, and this one comes later (a limit of ebb)`;
}

/** Resource metrics need no query of their own: the HPAs of a namespace share one list. */
function isQuery({ type }: MetricSpec): boolean {
  return type === "External" || type === "Object" || type === "Pods";
}
