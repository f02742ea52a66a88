import { limits } from "../../model/entry/limits";
import type { Shard } from "../../model/stored/state";

/**
 * A larger shard is split, and one whose HPAs have more queries than a slot may send. Two neighbours are merged if they
 * have fewer than `mergeBelow` entries together.
 */
export const splitAbove = 1_000;
export const mergeBelow = 500;

/** A shard whose sync works longer than this share of a period is split, too: but never into smaller parts. */
const splitShare = 1 / 2;
const mergeShare = 1 / 4;
export const smallestPart = 100;

/** As many entries as a sync can work through in its share of a period and ask for, as far as the last ones show. */
export function mostEntries({ entries, workedMs = 0, queries = 0 }: Shard, periodMs: number): number {
  const fitting = Math.min((periodMs * splitShare) / workedMs, limits.queriesPerTurn / queries);
  return fitting >= 1 ? splitAbove : Math.min(splitAbove, Math.max(smallestPart, entries * fitting));
}

/** Whether these neighbours are small enough for one shard, and finished the same slot. */
export function fitTogether(left: Shard, right: Shard | undefined, periodMs: number): boolean {
  if (right === undefined || left.slot !== right.slot) return false;
  return (
    left.entries + right.entries < mergeBelow &&
    workOf(left, right) < periodMs * mergeShare &&
    queriesOf(left, right) <= limits.queriesPerTurn * (mergeShare / splitShare)
  );
}

/** A part with so many of the shard's entries, and with that share of its work and its queries. */
export function partOf(shard: Shard, entries: number, all: number): Shard {
  const { workedMs, queries } = shard;
  const partOfIt = (whole: number) => Math.round((whole * entries) / all);
  return {
    ...{ ...shard, entries },
    ...(workedMs !== undefined && { workedMs: partOfIt(workedMs) }),
    ...(queries !== undefined && { queries: partOfIt(queries) }),
  };
}

export function workOf(left: Shard, right: Shard): number {
  return (left.workedMs ?? 0) + (right.workedMs ?? 0);
}

export function queriesOf(left: Shard, right: Shard): number {
  return (left.queries ?? 0) + (right.queries ?? 0);
}
