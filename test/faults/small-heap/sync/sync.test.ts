import { functionMegabytes, smallHeap } from "../../../small-heap/small-heap";
import type { Job, Synced } from "./syncer";

/**
 * A process with a heap as small as a function's syncs a shard in which everything that multiplies is as large as it
 * may be: sources × operands × metrics × HPAs. It must not end, and the HPA of a neighbour is scaled as ever.
 */
const sync = smallHeap<Job, Synced>("test/faults/small-heap/sync/syncer.ts");

const one = { isOneText: true } as const;
const own = { isOneText: true, areDistinct: true } as const;
const largeSource = /source large: spec\.parameters\.text: expected a document of at most 16384 bytes, got 120038/;
const manyQueries = /expected at most 5000 queries in a slot from the HPAs of a shard/;
const muchMemory = /expected the queries of a shard's HPAs to take at most 32768 KB of memory, got \d+ KB or more/;
const manyMetrics = /spec\.metrics: expected at most 20971 metrics of the HPAs of a shard together, got 100001/;
const unpolled =
  /IdleNotWatched: expected the HPAs at zero of a shard .* crowd\/h\d+, .* and \d+ more \(a limit of ebb\)/;

const rows: readonly (readonly [string, Job, RegExp | undefined])[] = [
  ["30 HPAs of 100 metrics on a source of 120 KB", { hpas: 30, metrics: 100, bytes: 120_000, ...one }, largeSource],
  ["1,000 HPAs on a source of 120 KB", { hpas: 1_000, metrics: 1, bytes: 120_000, ...one }, largeSource],
  ["30 HPAs of 100 metrics on one of 16 KB", { hpas: 30, metrics: 100, bytes: 16_000, ...one }, undefined],
  ["30 HPAs of 100 queries on one of 16 KB", { hpas: 30, metrics: 100, bytes: 16_000, ...own }, muchMemory],
  [
    "1,000 HPAs of 5 queries on one of 1,300 parameters",
    { hpas: 1_000, metrics: 5, bytes: 16_000, ...own, isOneText: false },
    muchMemory,
  ],
  ["1,000 HPAs of 100 queries", { hpas: 1_000, metrics: 100, bytes: 1_000, ...own }, manyMetrics],
  ["100 HPAs of 100 queries", { hpas: 100, metrics: 100, bytes: 1_000, ...own }, manyQueries],
  [
    "1,000 HPAs of 19 formulas of 20 operands",
    { hpas: 1_000, metrics: 19, bytes: 14_000, ...own, operands: 20 },
    manyQueries,
  ],
  [
    "1,000 HPAs of 20 metrics at zero, and watched",
    { hpas: 1_000, metrics: 20, bytes: 16_000, ...one, areIdle: true },
    unpolled,
  ],
];

test.each(rows)(
  "%s: the sync goes on, and the neighbour's HPA scales",
  async (_name, asked, refusal) => {
    const { megabytes, replicas, failures } = await sync(asked);
    expect(replicas).toBe(3);
    expect(megabytes).toBeLessThan(functionMegabytes);
    // By name, once for each kind.
    if (refusal === undefined) expect(failures).toEqual([]);
    else expect(failures.join("\n")).toMatch(refusal);
  },
  120_000,
);
