import type { Counters } from "./shard";

const buckets = 15;
/** In ms. Upstream: pkg/controller/podautoscaler/monitor. */
export const bucketBounds: readonly number[] = Array.from({ length: buckets }, (_, index) => 2 ** index);

export interface ShardWork {
  readonly totals: readonly (readonly [series: string, amount: number])[];
  readonly times: readonly (readonly [series: string, ms: number])[];
}

const none: Counters = { totals: {}, times: {} };

export function withWork(before: Counters = none, { totals, times }: ShardWork): Counters {
  const sums = new Map(Object.entries(before.totals));
  for (const [series, amount] of totals) if (amount > 0) sums.set(series, (sums.get(series) ?? 0) + amount);
  const found = new Map(Object.entries(before.times).map(([series, stored]) => [series, openTimes(stored)]));
  for (const [series, ms] of times) {
    const { counts, ...known } = found.get(series) ?? openTimes([]);
    const at = bucketOf(ms);
    counts[at] = (counts[at] ?? 0) + 1;
    found.set(series, { counts, sumMs: known.sumMs + Math.max(0, Math.round(ms)) });
  }
  return {
    totals: Object.fromEntries(sums),
    times: Object.fromEntries([...found].map(([series, one]) => [series, packTimes(one)])),
  };
}

export interface TimeCounts {
  readonly sumMs: number;
  readonly counts: number[];
}

export function openTimes([sumMs = 0, first = 0, ...rest]: readonly number[]): TimeCounts {
  const counts = Array.from({ length: buckets + 1 }, (_, at) => rest[at - first] ?? 0);
  return { sumMs, counts };
}

function packTimes({ sumMs, counts }: TimeCounts): readonly number[] {
  const first = counts.findIndex((one) => one > 0);
  return [sumMs, first, ...counts.slice(first, counts.findLastIndex((one) => one > 0) + 1)];
}

function bucketOf(ms: number): number {
  const at = bucketBounds.findIndex((bound) => ms <= bound);
  return at < 0 ? buckets : at;
}
