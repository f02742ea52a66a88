import type { HorizontalPodAutoscaler, MetricSpec } from "../k8s/hpa";
import { type HpaKey, namespaceOf, splitKey } from "../model/hpa-key";
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
  readonly queries: ReadonlySet<string>;
  /** Without queries that another HPA takes, in bytes. */
  readonly memory: number;
  readonly steps: readonly number[];
  readonly all: number;
  /** Metrics beyond the share, which were not identified. */
  readonly unlisted: number;
}

interface ListedMetric {
  readonly queries: readonly string[];
  readonly weight?: Weight | undefined;
}

interface Weight {
  readonly owner: HpaQueries;
  /** Memory of the owner's queries up to this one. */
  readonly upTo: number;
}

/** While the HPAs are listed, the first one has it. */
interface Weighed extends Weight {
  readonly bytes: number;
  readonly requesters: Set<Listing>;
  owner: Listing;
  upTo: number;
}

export interface ListedQueries {
  readonly hpas: ReadonlyMap<HpaKey, HpaQueries>;
  readonly tree: Tree;
  /** In bytes. */
  readonly memory: number;
}

interface Listing extends HpaQueries {
  readonly namespace: string;
  readonly hpa: HorizontalPodAutoscaler;
  readonly metrics: ((ListedMetric & { readonly weight?: Weighed | undefined }) | undefined)[];
  readonly queries: Set<string>;
  readonly steps: number[];
  memory: number;
  unlisted: number;
  isClosed: boolean;
}

/**
 * Identifies each HPA's first query, then each one's second, and so on, up to its share: thousands of later ones cost
 * nothing.
 */
export function listQueries(
  hpas: readonly { readonly key: HpaKey; readonly hpa: HorizontalPodAutoscaler }[],
  identify: IdentifyQuery,
  room: Room,
): ListedQueries {
  const listings = new Map(hpas.map(({ key, hpa }): [HpaKey, Listing] => [key, startOf(namespaceOf(key), hpa)]));
  const all = [...listings.values()];
  const tree = treeOf([...listings.keys()].map((key) => splitKey(key)));
  const weights = new Map<object, Weighed>();
  const sum = { queries: 0, memory: 0 };

  function list(listing: Listing, metric: MetricSpec): void {
    const before = listing.queries.size;
    const queries = identify(metric, listing.hpa);
    for (const query of queries) listing.queries.add(query);
    listing.metrics.push({ queries, weight: weightOf(listing, metric) });
    sum.queries += listing.queries.size - before;
  }

  function weightOf(listing: Listing, metric: MetricSpec): Weighed | undefined {
    const weighed = room.weigh(metric);
    if (weighed === undefined) return undefined;
    const known = weights.get(weighed.of);
    if (known !== undefined) {
      known.requesters.add(listing);
      return known;
    }
    const { of, bytes } = weighed;
    listing.memory += bytes;
    sum.memory += bytes;
    const weight = { bytes, requesters: new Set([listing]), owner: listing, upTo: listing.memory };
    weights.set(of, weight);
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
  if (sum.memory > room.memory) giveToSmallest([...weights.values()]);
  for (const listing of all) addUp(listing);
  return { hpas: listings, tree, memory: sum.memory };
}

/**
 * A query of several namespaces counts for the one that takes the least besides, so that a full share costs no other
 * team a query.
 */
function giveToSmallest(weights: readonly Weighed[]): void {
  const taken = new Map<string, number>();
  const takenBy = ({ namespace }: Listing) => taken.get(namespace) ?? 0;
  const isOfOne = ({ requesters }: Weighed) => new Set([...requesters].map(({ namespace }) => namespace)).size === 1;
  const shared = weights.filter((weight) => weight.requesters.size > 1 && !isOfOne(weight));
  const among = new Set(shared);
  for (const weight of [...weights.filter((weight) => !among.has(weight)), ...shared]) {
    weight.owner = [...weight.requesters].reduce((a, b) => (takenBy(b) < takenBy(a) ? b : a));
    taken.set(weight.owner.namespace, takenBy(weight.owner) + weight.bytes);
  }
}

function addUp(listing: Listing): void {
  const own = listing.metrics.flatMap((metric) => (metric?.weight?.owner === listing ? [metric.weight] : []));
  listing.memory = 0;
  for (const weight of new Set(own)) {
    listing.memory += weight.bytes;
    weight.upTo = listing.memory;
    listing.steps.push(weight.upTo);
  }
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

function startOf(namespace: string, hpa: HorizontalPodAutoscaler): Listing {
  const all = hpa.spec.metrics?.length ?? 0;
  return { namespace, hpa, metrics: [], queries: new Set(), steps: [], memory: 0, all, unlisted: 0, isClosed: false };
}

/** A namespace shares one list of resource metrics. */
function isQuery({ type }: MetricSpec): boolean {
  return type === "External" || type === "Object" || type === "Pods";
}
