import type { HorizontalPodAutoscaler } from "../../k8s/hpa";
import type { HpaKey } from "../../model/hpa-key";
import { limits } from "../../model/entry/limits";
import { smallestPart } from "../plan/shard-size";
import { fairShare } from "./fair-share";
import { type IdentifyQuery, listQueries, type ListedHpa, type ListedQueries, type Room } from "./list-queries";

/** What each HPA of a turn may ask for, so that an HPA with many metrics delays and costs only itself. */
export interface Shares {
  /** The place of a metric's query, or of the last one of several. */
  placeOf(key: HpaKey, index: number): QueryPlace;
  /**
   * How many queries a shard of these HPAs has to have room for. Of an HPA, at most as many as it has room for in the
   * smallest shard: to split further would not help it. Queries that take much memory count as more.
   */
  readonly wanted: number;
}

export type QueryPlace =
  /** How many of its HPA's queries go before it. `asker`: of the HPAs that ask it, the one where it comes first. */
  | { readonly rank: number; readonly asker: HpaKey }
  /** Beyond its HPA's share: not asked. */
  | { readonly refused: string };

/**
 * Every HPA's first query goes before any HPA's second one, and so on:
 *
 *     orders   q1                        rank 0: q1 a1 b1
 *     heavy-a  a1 a2 a3 … a1500          rank 1: a2 b2
 *     heavy-b  b1 b2 b3 … b1500          rank 2: a3 b3 …
 *
 * A turn sends a bounded number of queries, and each HPA's first one. Their parameters take a bounded memory. If its
 * HPAs have more, each gets the same share, and what a small HPA does not need goes to the others. An HPA's later
 * queries are refused, the same ones in each slot, until the tick has split the shard.
 */
export function planShares(
  hpas: readonly { readonly key: HpaKey; readonly hpa: HorizontalPodAutoscaler }[],
  identify: IdentifyQuery,
  given: Partial<Room> = {},
): Shares {
  const room: Room = { queries: limits.queriesPerTurn, memory: Infinity, weigh: () => undefined, ...given };
  const listed = listQueries(hpas, identify, room);
  const all = [...listed.hpas.values()];
  const share = fairShare(
    all.map(({ queries }) => queries.size),
    room.queries,
  );
  const memory = shareMemory(all, room.memory);
  const first = new Map<string, { readonly rank: number; readonly asker: HpaKey }>();
  for (const [key, { queries }] of listed.hpas)
    [...queries].forEach((query, rank) => {
      if (rank < (first.get(query)?.rank ?? Infinity)) first.set(query, { rank, asker: key });
    });

  const wanted = wantedOf(all, room);
  const isSplit = wanted > room.queries;
  const tooMany = `${refusal(all, share, room)}: ${isSplit ? "the next tick splits the shard" : "remove metrics that you do not need"}`;
  const tooLarge = `${memoryRefusal(listed, memory.share, room)}: ${isSplit ? "the next tick splits the shard" : "make the parameters of its source shorter, or remove metrics that you do not need"}`;

  return {
    wanted,
    placeOf(key, index) {
      const own = listed.hpas.get(key);
      const metric = own?.metrics[index];
      if (own !== undefined && metric === undefined && index < own.all)
        return { refused: own.queries.size > share ? tooMany : tooLarge };
      const places = (metric?.queries ?? []).flatMap((query) => first.get(query) ?? []);
      // A metric of several queries waits for its last one.
      const [place = { rank: 0, asker: key }] = places.sort((a, b) => b.rank - a.rank);
      if (place.rank >= share) return { refused: tooMany };
      const { weight } = metric ?? {};
      return weight !== undefined && weight.upTo > memory.of(weight.owner) ? { refused: tooLarge } : place;
    },
  };
}

/**
 * The memory of each HPA: its fair share, as far as whole queries fill it. What is left goes to those whose next query
 * is the smallest, the first in the list before others.
 */
function shareMemory(all: readonly ListedHpa[], most: number) {
  const share = fairShare(
    all.map(({ memory }) => memory),
    most,
  );
  const own = new Map(all.map((hpa) => [hpa, share === Infinity ? Infinity : filled(hpa, share)]));
  if (share === Infinity) return { share, of: () => Infinity };
  let left = most - [...own.values()].reduce((sum, taken) => sum + taken, 0);
  const next = all.map((hpa) => {
    const taken = own.get(hpa) ?? 0;
    return { hpa, upTo: hpa.steps.find((step) => step > taken) ?? Infinity, taken };
  });
  for (const { hpa, upTo, taken } of next.sort((a, b) => a.upTo - a.taken - (b.upTo - b.taken))) {
    if (upTo - taken > left) break;
    own.set(hpa, upTo);
    left -= upTo - taken;
  }
  return { share, of: (hpa: ListedHpa) => own.get(hpa) ?? 0 };
}

function filled({ steps }: ListedHpa, share: number): number {
  return steps.findLast((step) => step <= share) ?? 0;
}

function wantedOf(all: readonly ListedHpa[], { queries, memory }: Room): number {
  const sum = (most: number, of: (hpa: ListedHpa) => number) =>
    all.reduce((total, hpa) => total + Math.min(of(hpa), Math.ceil(most / smallestPart)), 0);
  const bytes = memory === Infinity ? 0 : sum(memory, (hpa) => hpa.memory) / memory;
  return Math.max(sum(queries, countOf), Math.ceil(queries * bytes));
}

/** A metric that was not identified counts as one query. */
function countOf({ queries, unlisted }: ListedHpa): number {
  return queries.size + unlisted;
}

/** The same text in each slot, so that it is reported once. */
function refusal(all: readonly ListedHpa[], share: number, { queries: most }: Room): string {
  const sum = all.reduce((total, hpa) => total + countOf(hpa), 0);
  const what = `expected at most ${most} queries in a slot from the HPAs of a shard, got ${sum}`;
  return `${what}: each HPA has its first ${share}, and this one comes later (a limit of ebb)`;
}

function memoryRefusal({ memory }: ListedQueries, share: number, { memory: most }: Room): string {
  const kilobytes = (bytes: number) => `${Math.floor(bytes / 2 ** 10)} KB`;
  const what = `expected the queries of a shard's HPAs to take at most ${kilobytes(most)} of memory, got ${kilobytes(memory)} or more`;
  return `${what}: each HPA has its first ${kilobytes(share)}, and this query comes later (a limit of ebb)`;
}
