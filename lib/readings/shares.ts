import type { HorizontalPodAutoscaler } from "../k8s/hpa";
import type { HpaKey } from "../model/hpa-key";
import { limits } from "../model/entry/limits";
import { type Claims, maxMin, maxMinWhole } from "../model/max-min";
import { smallestPart } from "../model/stored/shard-size";
import { type IdentifyQuery, listQueries, type HpaQueries, type ListedQueries, type Room } from "./list-queries";

export interface Shares {
  /** For a metric of several queries, the last one's. */
  admissionOf(key: HpaKey, index: number): QueryAdmission;
  /**
   * Queries that a shard needs room for; large ones count as more. At most a smallest shard's share: further splits
   * would not help.
   */
  readonly wanted: number;
}

export type QueryAdmission =
  /** `priority`: queries of its HPA before it. `requester`: where it comes first. */
  | { readonly priority: number; readonly requester: HpaKey }
  /** Beyond its HPA's share. */
  | { readonly refused: string };

/**
 * Every HPA's first query goes before any HPA's second one, and so on:
 *
 *     orders   q1                        priority 0: q1 a1 b1
 *     heavy-a  a1 a2 a3 … a1500          priority 1: a2 b2
 *     heavy-b  b1 b2 b3 … b1500          priority 2: a3 b3 …
 *
 * Queries and their memory are bounded, beyond each HPA's first, with fair shares for namespaces and HPAs. Until the
 * tick has split the shard, the same ones are refused in each slot, or metrics would come and go.
 */
export function planShares(
  hpas: readonly { readonly key: HpaKey; readonly hpa: HorizontalPodAutoscaler }[],
  identify: IdentifyQuery,
  given: Partial<Room> = {},
): Shares {
  const room: Room = { queries: limits.queriesPerRun, memory: Infinity, weigh: () => undefined, ...given };
  const listed = listQueries(hpas, identify, room);
  const all = [...listed.hpas.values()];
  const shareOf = shareQueries(listed, room.queries);
  const memory = shareMemory(listed, room.memory);
  const first = new Map<string, { readonly priority: number; readonly requester: HpaKey }>();
  for (const [key, own] of listed.hpas)
    [...own.queries].slice(0, shareOf(own)).forEach((query, priority) => {
      if (priority < (first.get(query)?.priority ?? Infinity)) first.set(query, { priority, requester: key });
    });

  const wanted = wantedOf(all, room);
  const isSplit = wanted > room.queries;
  const tooMany = (own: HpaQueries) =>
    `${refusal(all, shareOf(own), room)}: ${isSplit ? "the next tick splits the shard" : "remove metrics that you do not need"}`;
  const tooLarge = (own: HpaQueries) =>
    `${memoryRefusal(listed, memory.shareOf(own), room)}: ${isSplit ? "the next tick splits the shard" : "make the parameters of its source shorter, or remove metrics that you do not need"}`;

  return {
    wanted,
    admissionOf(key, index) {
      const own = listed.hpas.get(key);
      const metric = own?.metrics[index];
      if (own === undefined) return { priority: 0, requester: key };
      if (metric === undefined && index < own.all)
        return { refused: own.queries.size > shareOf(own) ? tooMany(own) : tooLarge(own) };
      const { queries = [], weight } = metric ?? {};
      const admissions = queries.flatMap((query) => first.get(query) ?? []);
      if (admissions.length < queries.length) return { refused: tooMany(own) };
      if (weight !== undefined && weight.upTo > memory.of(weight.owner)) return { refused: tooLarge(own) };
      const [admission = { priority: 0, requester: key }] = admissions.sort((a, b) => b.priority - a.priority);
      return admission;
    },
  };
}

/** At least 1, even with more HPAs than queries. */
function shareQueries({ hpas, tree }: ListedQueries, most: number): (own: HpaQueries) => number {
  const all = [...hpas.values()];
  const shares = maxMin(most, { tree, demands: all.map(({ queries }) => queries.size) }, 0);
  const byHpa = new Map(all.map((own, index) => [own, Math.max(1, shares[index] ?? 0)]));
  return (own) => byHpa.get(own) ?? 1;
}

/** Whole queries within fair shares; the rest goes to whole next queries. */
function shareMemory({ hpas, tree }: ListedQueries, most: number) {
  const all = [...hpas.values()];
  const claims: Claims = { tree, demands: all.map(({ memory }) => memory) };
  const shares = maxMin(most, claims, 0);
  const filled = all.map(({ steps }, index) => steps.findLast((step) => step <= (shares[index] ?? 0)) ?? 0);
  const left = most - filled.reduce((sum, taken) => sum + taken, 0);
  const next = all.map(({ steps }, index) => steps.find((step) => step > (filled[index] ?? 0)) ?? filled[index] ?? 0);
  const more = maxMinWhole(left, { tree, demands: next.map((step, index) => step - (filled[index] ?? 0)) }, 0);
  const byHpa = new Map(
    all.map((own, index) => [own, { share: shares[index], has: more[index] ? next[index] : filled[index] }]),
  );
  return {
    shareOf: (own: HpaQueries): number => byHpa.get(own)?.share ?? 0,
    of: (own: HpaQueries): number => byHpa.get(own)?.has ?? 0,
  };
}

function wantedOf(all: readonly HpaQueries[], { queries, memory }: Room): number {
  const sum = (most: number, of: (hpa: HpaQueries) => number) =>
    all.reduce((total, hpa) => total + Math.min(of(hpa), Math.ceil(most / smallestPart)), 0);
  const bytes = memory === Infinity ? 0 : sum(memory, (hpa) => hpa.memory) / memory;
  return Math.max(sum(queries, countOf), Math.ceil(queries * bytes));
}

/** Unidentified metrics count, too. */
function countOf({ queries, unlisted }: HpaQueries): number {
  return queries.size + unlisted;
}

/** Constant, so that it is reported once. */
function refusal(all: readonly HpaQueries[], share: number, { queries: most }: Room): string {
  const sum = all.reduce((total, hpa) => total + countOf(hpa), 0);
  const what = `expected at most ${most} queries in a slot from the HPAs of a shard, got ${sum}`;
  return `${what}: the share of this HPA is its first ${share}, and this one comes later (a limit of ebb)`;
}

function memoryRefusal({ memory }: ListedQueries, share: number, { memory: most }: Room): string {
  const kilobytes = (bytes: number) => `${Math.floor(bytes / 2 ** 10)} KB`;
  const what = `expected the queries of a shard's HPAs to take at most ${kilobytes(most)} of memory, got ${kilobytes(memory)} or more`;
  return `${what}: the share of this HPA is its first ${kilobytes(share)}, and this query comes later (a limit of ebb)`;
}
