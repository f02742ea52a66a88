import type { ShardRange } from "../../model/stored/state";

/** What these ranges leave of a cluster's keys, in key order. Ranges that touch each other leave nothing between. */
export function rangesBetween(
  cluster: string,
  ranges: readonly Pick<ShardRange, "from" | "to">[],
): readonly ShardRange[] {
  const left: ShardRange[] = [];
  let from: string | null = "";
  for (const range of ranges.toSorted((a, b) => (a.from < b.from ? -1 : 1))) {
    if (from === null) break;
    if (range.from > from) left.push({ cluster, from, to: range.from });
    if (range.to === null || range.to > from) from = range.to;
  }
  return from === null ? left : [...left, { cluster, from, to: null }];
}
