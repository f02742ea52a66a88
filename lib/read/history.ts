import { present } from "../k8s/map";
import type { EpochMs } from "../k8s/time";
import type { HpaKey } from "../model/hpa-key";
import type { HistoryReader } from "../model/ports/history";
import type { Store } from "../model/ports/store";
import { type HistoryPoint, type HistorySample, type RosterHpa, blockOf } from "../model/stored/history";
import { pointsIn, saysSame } from "../model/stored/history-points";
import { holdsKey, laggingSince } from "../model/stored/last-observed";
import type { Shard } from "../model/stored/shard";

export interface HistoryQuery {
  readonly cluster: string;
  readonly key: HpaKey;
  readonly since: EpochMs;
  readonly until: EpochMs;
  /** Samples of an HPA created at another moment are left out. */
  readonly created?: EpochMs;
}

/** The last point holds until `until`. Before the first, nothing is known. */
export interface HpaSeries {
  readonly points: readonly HistoryPoint[];
  readonly until: EpochMs;
  readonly isKept: boolean;
}

/** Rejects with a Fault. */
export async function readSeries(
  {
    store,
    history,
  }: { readonly store: Pick<Store, "shardsOf">; readonly history: Pick<HistoryReader, "blocks" | "chain"> },
  query: HistoryQuery,
  signal: AbortSignal,
): Promise<HpaSeries> {
  const { cluster, key, since } = query;
  const shard = (await store.shardsOf(cluster, signal)).find((one) => holdsKey(one, key));
  const record = shard?.history;
  const packed = record?.packed ?? query.until;
  const [ofBlocks, ofMinutes] = await Promise.all([
    history.blocks(query, { since: blockOf(since), until: Math.min(query.until, packed) }, signal),
    record === undefined || query.until <= packed
      ? []
      : history
          .chain(cluster, record.last, Math.max(packed, since), signal)
          .then((chain) => pointsIn(chain, key).filter(({ at }) => at >= packed || chain.since > packed)),
  ]);
  const known = shard === undefined ? undefined : knownUntil(shard, key);
  const last = [...ofBlocks, ...ofMinutes].reduce((latest, { at }) => Math.max(latest, at), since);
  const until = Math.min(query.until, known ?? last);
  return { points: clipped([...ofBlocks, ...ofMinutes], query, until), until, isKept: record !== undefined };
}

export function knownUntil(shard: Shard, key: HpaKey): EpochMs | undefined {
  const { history } = shard;
  if (history === undefined) return undefined;
  return Math.min(history.seen, history.lost ?? Infinity, laggingSince(shard, key) ?? Infinity);
}

function clipped(
  found: readonly HistoryPoint[],
  { since, created }: HistoryQuery,
  until: EpochMs,
): readonly HistoryPoint[] {
  const own = found
    .filter(({ at }) => at < until)
    .map((point) => (isOther(point, created) ? { at: point.at, sample: null } : point))
    .sort((a, b) => a.at - b.at);
  const before = own.findLast(({ at }) => at <= since);
  const points: HistoryPoint[] = before === undefined || before.sample === null ? [] : [{ ...before, at: since }];
  for (const point of own) {
    const last = points.at(-1);
    const isNew = last === undefined ? point.sample !== null : !saysSame(last, point);
    if (point.at > since && isNew) points.push(point);
  }
  return points;
}

function isOther({ spec }: HistoryPoint, created: EpochMs | undefined): boolean {
  return created !== undefined && spec?.created !== undefined && spec.created !== created;
}

/** `mean` is weighted by time. */
export interface Spread {
  readonly min: number;
  readonly mean: number;
  readonly max: number;
}

export interface HistoryBucket {
  readonly start: EpochMs;
  readonly current?: Spread;
  readonly desired?: Spread;
  readonly recommended?: Spread;
  readonly stabilized?: Spread;
  readonly metrics: readonly (Spread | undefined)[];
  readonly flags: number;
  readonly spec?: RosterHpa;
}

/** Equal parts of [since, until). */
export function bucketsOf(
  { points, until: known }: HpaSeries,
  { since, until, count }: { readonly since: EpochMs; readonly until: EpochMs; readonly count: number },
): readonly HistoryBucket[] {
  const width = (until - since) / count;
  const spans = points.map((point, index) => ({ ...point, end: Math.min(points[index + 1]?.at ?? known, known) }));
  let first = 0;
  return Array.from({ length: count }, (_, index) => {
    const [start, end] = [since + index * width, since + (index + 1) * width];
    while (first < spans.length && (spans[first]?.end ?? 0) <= start) first += 1;
    const held: Held[] = [];
    for (let at = first; at < spans.length && (spans[at]?.at ?? 0) < end; at++) {
      const span = spans[at] as HistoryPoint & { readonly end: EpochMs };
      const ms = Math.min(end, span.end) - Math.max(start, span.at);
      if (span.sample !== null && ms > 0) held.push({ sample: span.sample, ms, spec: span.spec });
    }
    return bucketOf(start, held);
  });
}

interface Held {
  readonly sample: HistorySample;
  readonly ms: number;
  readonly spec: RosterHpa | undefined;
}

function bucketOf(start: EpochMs, held: readonly Held[]): HistoryBucket {
  const named = (["current", "desired", "recommended", "stabilized"] as const).flatMap((name) => {
    const spread = spreadOf(held, (sample) => sample[name]);
    return spread === undefined ? [] : [[name, spread] as const];
  });
  const metrics = held.reduce((most, { sample }) => Math.max(most, sample.metrics.length), 0);
  return {
    start,
    ...(Object.fromEntries(named) as Pick<HistoryBucket, "current">),
    ...present({ spec: held.at(-1)?.spec }),
    metrics: Array.from({ length: metrics }, (_, at) => spreadOf(held, (sample) => sample.metrics[at]?.value ?? null)),
    flags: held.reduce((flags, { sample }) => flags | sample.flags, 0),
  };
}

function spreadOf(held: readonly Held[], of: (sample: HistorySample) => number | null): Spread | undefined {
  let [min, max, sum, weight] = [Infinity, -Infinity, 0, 0];
  for (const { sample, ms } of held) {
    const value = of(sample);
    if (value === null) continue;
    [min, max, sum, weight] = [Math.min(min, value), Math.max(max, value), sum + value * ms, weight + ms];
  }
  return weight === 0 ? undefined : { min, mean: sum / weight, max };
}
