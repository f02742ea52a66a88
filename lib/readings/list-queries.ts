import type { HorizontalPodAutoscaler, MetricSpec } from "../k8s/hpa";
import { type HpaKey, splitKey } from "../model/hpa-key";
import { maxMin, type Tree, treeOf } from "../model/max-min";

/** Equal texts: one request answers both. */
export type IdentifyQuery = (metric: MetricSpec, hpa: HorizontalPodAutoscaler) => readonly string[];

/** Memory for reading a metric. Metrics of the same `of` need it once. */
export type WeighQuery = (metric: MetricSpec) => { readonly of: object; readonly bytes: number } | undefined;

/** Limits for the queries of a run. */
export interface Room {
  readonly queries: number;
  /** In bytes. */
  readonly memory: number;
  readonly weigh: WeighQuery;
}

/** An HPA's queries, as far as its share may reach. */
export interface HpaQueries {
  /** By the metric's index; undefined: not identified. */
  readonly metrics: readonly (ListedMetric | undefined)[];
  /** Distinct, in the order of the metrics. */
  readonly queries: ReadonlySet<string>;
  /** Bytes for the queries that no HPA before it has. */
  readonly memory: number;
  /** `memory` after each of them. */
  readonly steps: readonly number[];
  /** Metrics of all types. */
  readonly all: number;
  /** Metrics beyond the HPA's share, which were not identified. */
  readonly unlisted: number;
}

interface ListedMetric {
  readonly queries: readonly string[];
  readonly weight?: Weight | undefined;
}

/** Memory that a metric adds to its first HPA. */
interface Weight {
  readonly owner: HpaQueries;
  /** Memory of the owner's queries up to this one. */
  readonly upTo: number;
}

export interface ListedQueries {
  readonly hpas: ReadonlyMap<HpaKey, HpaQueries>;
  /** Namespaces and HPAs, in the same order. */
  readonly tree: Tree;
  /** Bytes of all identified queries. */
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

/**
 * Identifies each HPA's first query, then each one's second, and so on, and stops at an HPA that exceeds its share:
 * thousands of later queries cost nothing.
 */
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

/** Later queries of others make no share larger. */
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

/** The HPAs of a namespace share one list of resource metrics. */
function isQuery({ type }: MetricSpec): boolean {
  return type === "External" || type === "Object" || type === "Pods";
}
