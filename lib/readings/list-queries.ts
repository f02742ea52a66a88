import type { HorizontalPodAutoscaler, MetricSpec } from "../k8s/hpa";
import { type HpaKey, splitKey } from "../model/hpa-key";
import { maxMin, type Tree, treeOf } from "../model/max-min";

/** Equal texts: one request answers both. */
export type IdentifyQuery = (metric: MetricSpec, hpa: HorizontalPodAutoscaler) => readonly string[];

/** Metrics with the same `of` need the memory once. */
export type WeighQuery = (metric: MetricSpec) => { readonly of: object; readonly bytes: number } | undefined;

export interface Room {
  readonly queries: number;
  /** In bytes. */
  readonly memory: number;
  readonly weigh: WeighQuery;
}

export interface HpaQueries {
  /** By index; undefined: not identified. */
  readonly metrics: readonly (ListedMetric | undefined)[];
  /** In the metrics' order. */
  readonly queries: ReadonlySet<string>;
  /** For queries that no HPA before it has, in bytes. */
  readonly memory: number;
  /** `memory` after each of them. */
  readonly steps: readonly number[];
  readonly all: number;
  /** Not identified: beyond the share. */
  readonly unlisted: number;
}

interface ListedMetric {
  readonly queries: readonly string[];
  readonly weight?: Weight | undefined;
}

/** Added to its first HPA. */
interface Weight {
  readonly owner: HpaQueries;
  /** The owner's, up to this query. */
  readonly upTo: number;
}

export interface ListedQueries {
  readonly hpas: ReadonlyMap<HpaKey, HpaQueries>;
  /** Namespaces and HPAs, in order. */
  readonly tree: Tree;
  /** In bytes. */
  readonly memory: number;
}

interface Listing extends HpaQueries {
  readonly hpa: HorizontalPodAutoscaler;
  readonly metrics: (ListedMetric | undefined)[];
  readonly queries: Set<string>;
  readonly steps: number[];
  memory: number;
  unlisted: number;
  isClosed: boolean;
}

/** Each HPA's first query, then each one's second, and so on, up to its share: thousands of later ones cost nothing. */
export function listQueries(
  hpas: readonly { readonly key: HpaKey; readonly hpa: HorizontalPodAutoscaler }[],
  identify: IdentifyQuery,
  room: Room,
): ListedQueries {
  const listings = new Map(hpas.map(({ key, hpa }): [HpaKey, Listing] => [key, startOf(hpa)]));
  const all = [...listings.values()];
  const tree = treeOf([...listings.keys()].map((key) => splitKey(key)));
  const weights = new Map<object, Weight>();
  const sum = { queries: 0, memory: 0 };

  function list(listing: Listing, metric: MetricSpec): void {
    const before = listing.queries.size;
    const queries = identify(metric, listing.hpa);
    for (const query of queries) listing.queries.add(query);
    listing.metrics.push({ queries, weight: weightOf(listing, metric) });
    sum.queries += listing.queries.size - before;
  }

  function weightOf(listing: Listing, metric: MetricSpec): Weight | undefined {
    const weighed = room.weigh(metric);
    if (weighed === undefined) return undefined;
    const known = weights.get(weighed.of);
    if (known !== undefined) return known;
    listing.memory += weighed.bytes;
    sum.memory += weighed.bytes;
    const weight = { owner: listing, upTo: listing.memory };
    listing.steps.push(listing.memory);
    weights.set(weighed.of, weight);
    return weight;
  }

  const most = Math.max(0, ...all.map((listing) => listing.all));
  for (let index = 0; index < most; index++) {
    for (const listing of all) {
      const metric = listing.hpa.spec.metrics?.[index];
      if (metric === undefined) continue;
      if (listing.isClosed) {
        if (isQuery(metric)) listing.unlisted += 1;
        listing.metrics.push(isQuery(metric) ? undefined : { queries: [] });
      } else if (isQuery(metric)) list(listing, metric);
      else listing.metrics.push({ queries: [] });
    }
    closeFull({ all, tree, sum }, room);
  }
  return { hpas: listings, tree, memory: sum.memory };
}

interface Listed {
  readonly all: readonly Listing[];
  readonly tree: Tree;
  readonly sum: { readonly queries: number; readonly memory: number };
}

/** Later queries make no share larger. */
function closeFull({ all, tree, sum }: Listed, room: Room): void {
  const close = (most: number, of: (listing: Listing) => number) => {
    const shares = maxMin(most, { tree, demands: all.map(of) }, 0);
    for (const [index, listing] of all.entries())
      if (of(listing) > Math.max(1, shares[index] ?? 0)) listing.isClosed = true;
  };
  if (sum.queries > room.queries) close(room.queries, ({ queries }) => queries.size);
  if (sum.memory > room.memory) close(room.memory, ({ memory }) => memory);
}

function startOf(hpa: HorizontalPodAutoscaler): Listing {
  const all = hpa.spec.metrics?.length ?? 0;
  return { hpa, metrics: [], queries: new Set(), steps: [], memory: 0, all, unlisted: 0, isClosed: false };
}

/** A namespace shares one list of resource metrics. */
function isQuery({ type }: MetricSpec): boolean {
  return type === "External" || type === "Object" || type === "Pods";
}
