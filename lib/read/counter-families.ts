import { prices } from "../model/prices";
import { bucketBounds, openTimes } from "../model/stored/counters";
import type { Shard } from "../model/stored/shard";

type CounterLabels = Readonly<Record<string, string>>;

export interface CounterFamily {
  /** Without `_total`. */
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "histogram";
  readonly samples: (shard: Shard) => readonly (readonly [suffix: string, labels: CounterLabels, value: number])[];
}

type Samples = CounterFamily["samples"];

const controller = "horizontal_pod_autoscaler_controller";
const syncLabels = ["action", "error"];
const metricLabels = [...syncLabels, "metric_type"];

/** docs/decisions/0100-counters-of-a-shard.md. */
export const counterFamilies: readonly CounterFamily[] = [
  {
    ...{ name: `${controller}_reconciliations`, type: "counter", help: "Number of reconciliations." },
    samples: countsOf("sync", syncLabels),
  },
  {
    ...{ name: `${controller}_reconciliation_duration_seconds`, type: "histogram" },
    help: "The time that a reconciliation took.",
    samples: bucketsOf("sync", syncLabels),
  },
  {
    ...{ name: `${controller}_metric_computation`, type: "counter", help: "Number of metric computations." },
    samples: countsOf("metric", metricLabels),
  },
  {
    ...{ name: `${controller}_metric_computation_duration_seconds`, type: "histogram" },
    help: "The time that a metric computation took, with its request.",
    samples: bucketsOf("metric", metricLabels),
  },
  {
    ...{ name: "ebb_slot_lag_seconds", type: "histogram" },
    help: "The time from the begin of a slot to that of the run that finished it.",
    samples: bucketsOf("lag", []),
  },
  {
    ...{ name: "ebb_scalings", type: "counter", help: "Number of scalings." },
    samples: totalsOf("scaled", ["direction"]),
  },
  {
    ...{ name: "ebb_source_readings", type: "counter", help: "Number of requests to metric sources." },
    samples: totalsOf("read", ["kind", "outcome"]),
  },
  {
    ...{ name: "ebb_at_zero_seconds", type: "counter", help: "Time that targets were at zero." },
    samples: totalsOf("zero", [], 1_000),
  },
  {
    ...{ name: "ebb_estimated_dollars", type: "counter" },
    help: "Estimated price of the finished slots: the function's time, messages and table, at list prices.",
    samples: ({ counters }) => {
      const stored = counters?.times["run"];
      if (stored === undefined) return [];
      const { sumMs, counts } = openTimes(stored);
      return [["_total", {}, (sumMs / 1_000) * pricePerSecond + sumOf(counts) * pricePerSlot]];
    },
  },
];

/** With 512 MB, syncMemory's default. */
const pricePerSecond = prices.lambda.gbSecond / 2;
const pricePerSlot = prices.lambda.request + 3 * prices.sqs.request + 2 * prices.dynamodb.read + prices.dynamodb.write;

function totalsOf(word: string, names: readonly string[], unit = 1): Samples {
  return ({ counters }) =>
    seriesOf(counters?.totals, word, names).map(([labels, value]) => ["_total", labels, value / unit]);
}

function countsOf(word: string, names: readonly string[]): Samples {
  return ({ counters }) =>
    seriesOf(counters?.times, word, names).map(([labels, stored]) => [
      "_total",
      labels,
      sumOf(openTimes(stored).counts),
    ]);
}

function bucketsOf(word: string, names: readonly string[]): Samples {
  return ({ counters }) =>
    seriesOf(counters?.times, word, names).flatMap(([labels, stored]) => {
      const { sumMs, counts } = openTimes(stored);
      let below = 0;
      const buckets = counts.map((count, index) => {
        below += count;
        const bound = bucketBounds[index];
        return ["_bucket", { ...labels, le: bound === undefined ? "+Inf" : String(bound / 1_000) }, below] as const;
      });
      return [...buckets, ["_sum", labels, sumMs / 1_000], ["_count", labels, below]];
    });
}

function seriesOf<T>(
  counted: Readonly<Record<string, T>> = {},
  word: string,
  names: readonly string[],
): readonly (readonly [CounterLabels, T])[] {
  return Object.entries(counted).flatMap(([series, value]) => {
    const [first, ...given] = series.split(" ");
    if (first !== word || given.length !== names.length) return [];
    return [[Object.fromEntries(names.map((name, index) => [name, given[index] ?? ""])), value] as const];
  });
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, one) => sum + one, 0);
}
