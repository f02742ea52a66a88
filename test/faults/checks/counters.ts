import type { Counters, Shard } from "../../../lib/model/stored/shard";
import type { Item } from "../world/memory-table";
import { openTimes } from "../../../lib/model/stored/counters";
import { dataOf } from "./books";

/** A write of a shard counts what was done once: it never takes away, and only a finished slot adds syncs. */
export function judgeCounters(before: Item | undefined, after: Item | undefined, fn: string): readonly string[] {
  const [old, shard] = [before, after].map((item) => item && (dataOf(item) as unknown as Shard));
  if (shard === undefined) return [];
  const [less, more] = [valuesOf(old?.counters), valuesOf(shard.counters)];
  const shrunk = [...less].filter(([series, value]) => (more.get(series) ?? 0) < value);
  const found = shrunk.map(([series, value]) => `counters: ${series} falls from ${value} to ${more.get(series) ?? 0}`);
  const added = (series: string) => (more.get(series) ?? 0) - (less.get(series) ?? 0);
  const lags = added("lag");
  const isFinished = shard.slot > (old?.slot ?? 0);
  if (fn === "sync" && lags > (isFinished ? 1 : 0)) found.push(`counters: a write adds ${lags} slots`);
  const idle = added("sync none none");
  if (idle > 0 && lags === 0) found.push(`counters: ${idle} syncs are added without a slot`);
  if (fn === "tick" && old !== undefined && [...more.keys()].some((series) => added(series) > 0))
    found.push("counters: a tick adds");
  return found;
}

function valuesOf({ totals, times }: Counters = { totals: {}, times: {} }): ReadonlyMap<string, number> {
  const counted = Object.entries(times).map(
    ([series, stored]) => [series, openTimes(stored).counts.reduce((sum, one) => sum + one, 0)] as const,
  );
  return new Map([...Object.entries(totals), ...counted]);
}
