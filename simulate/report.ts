import { mkdirSync, writeFileSync } from "node:fs";
import { lineChart, type Series } from "../bench/plots/line-chart";
import { shareBars } from "../bench/plots/share-bars";
import { stackedBars } from "../bench/plots/stacked-bars";
import { dollarsOf, drivers, type Dollars, estimated } from "./dollars";
import { limits } from "./services/limits";
import { type Named, needed, sizes } from "./scenarios";
import type { Outcome } from "./system";
import type { SlotFigures } from "./tally";

const folder = "docs/plots";
/** Of a sweep, the slots of the second minute: the functions have started. */
const warm = ({ slots }: Outcome) => slots.slice(4);

export interface Summary {
  readonly name: string;
  readonly hpas: number;
  readonly params: string;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** Percent of the slots that nobody finished. */
  readonly missed: number;
  readonly behind: number;
  readonly concurrency: number;
  readonly throttled: number;
  /** Percent of the slots whose process had loaded that shard within two minutes, and so might have kept it. */
  readonly kept: number;
  /** Percent of the metrics of CloudWatch that the last minute did not read. */
  readonly unread?: number;
  /** The most environments that started within ten seconds. */
  readonly starts: number;
}

/** A tenth of the HPAs, once a minute. */
function unreadOf({ hpas, outcome: { requests, lastMinute } }: Named): Pick<Summary, "unread"> {
  if (requests["cloudwatch GetMetricData"] === undefined) return {};
  return { unread: rounded(100 - (100 * lastMinute.used.metrics) / (hpas / 10)) };
}

export function summaryOf(one: Named): Summary {
  const { name, hpas, params, outcome } = one;
  return {
    name,
    hpas,
    params,
    ...lagsOf(warm(outcome)),
    concurrency: outcome.peaks.concurrency,
    throttled: outcome.peaks.throttled,
    kept: rounded((100 * outcome.loads.recent) / Math.max(1, outcome.loads.slots)),
    starts: outcome.peaks.starts,
    ...unreadOf(one),
  };
}

/** Over several slots: the median of their medians, and their worst. */
function lagsOf(slots: readonly SlotFigures[]) {
  const planned = slots.reduce((sum, slot) => sum + slot.planned, 0);
  const finished = slots.reduce((sum, slot) => sum + slot.finished, 0);
  const medians = slots
    .map(({ p50 }) => p50)
    .filter(Number.isFinite)
    .toSorted((a, b) => a - b);
  const worst = (of: (slot: SlotFigures) => number) => Math.max(0, ...slots.map(of).filter(Number.isFinite));
  return {
    p50: rounded(medians[Math.floor(medians.length / 2)] ?? Number.NaN),
    p99: rounded(worst(({ p99 }) => p99)),
    max: rounded(worst(({ max }) => max)),
    missed: rounded(planned === 0 ? 100 : (100 * (planned - finished)) / planned),
    behind: slots.reduce((sum, { behind }) => sum + behind, 0),
  };
}

const rounded = (value: number) => Math.round(value * 100) / 100;

/** Writes the plots, and the figures beside them. */
export function writeReport(runs: readonly Named[], machine: string): readonly Summary[] {
  mkdirSync(folder, { recursive: true });
  const find = (name: string, params: Named["params"], hpas: number) =>
    runs.find((one) => one.name === name && one.params === params && one.hpas === hpas)?.outcome;
  const write = (file: string, text: string) => writeFileSync(`${folder}/${file}`, text);
  write("at-scale-lag.svg", lagChart(runs));
  const moving = find("moving", "needed", 1_000_000);
  if (moving !== undefined) {
    write(
      "at-scale-limits.svg",
      limitBars(
        [
          ["moving", moving],
          ["1 % scale at once", find("burst", "needed", 1_000_000)],
          ["after a pause of a minute", find("pause", "needed", 1_000_000)],
          ["a tenth on CloudWatch", find("cloudwatch at once", "needed", 1_000_000)],
        ].flatMap(([name, outcome]) => (outcome === undefined ? [] : [[name, outcome] as [string, Outcome]])),
      ),
    );
    write("at-scale-dollars.svg", dollarBars(moving, find("cloudwatch quota of 100", "needed", 1_000_000)));
  }
  const summaries = runs.map(summaryOf);
  const detail = runs.map(({ outcome: { real, ...outcome }, ...one }) => ({
    ...one,
    ...outcome,
    real: { ...real, problems: real.problems.length },
    dollars: dollarsOf(outcome),
  }));
  write("at-scale.json", `${JSON.stringify({ machine, params: { needed }, summaries, runs: detail }, tenths, 1)}\n`);
  return summaries;
}

function tenths(_key: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isInteger(value) ? rounded(value) : value;
}

function lagChart(runs: readonly Named[]): string {
  const series = (["defaults", "production", "needed"] as const).flatMap((params): Series[] =>
    (["p50", "p99"] as const).map((which) => ({
      name: `${which}, ${params === "production" ? "stage prod" : params}`,
      dashed: which === "p99",
      points: sizes.flatMap((hpas) => {
        const run = runs.find((one) => one.name === "moving" && one.params === params && one.hpas === hpas);
        if (run === undefined) return [];
        const summary = summaryOf(run);
        // Where slots are missed, the lag of those that were finished says nothing.
        return summary.missed > 1 || !(summary.p50 > 0) ? [] : [[hpas, summary[which]] as const];
      }),
    })),
  );
  return lineChart({
    title: "Slot lag by number of HPAs: a line ends where slots are missed",
    x: { label: "HPAs, 1,000 in each cluster", scale: "log", from: 1_000, to: 1_000_000 },
    y: { label: "from the slot's instant to its end, s", scale: "log", from: 1, to: 100 },
    limits: [{ name: "the next slot begins, 15 s", value: 15 }],
    series: series.filter(({ points }) => points.length > 0),
  });
}

function limitBars(runs: readonly (readonly [name: string, outcome: Outcome])[]): string {
  const of = ({ peaks }: Outcome): Readonly<Record<string, number>> => ({
    "table reads, account's quota": peaks.table.reads / limits.dynamodb.tableQuota.reads,
    "table writes, account's quota": peaks.table.writes / limits.dynamodb.tableQuota.writes,
    "reads of the SHARD partition": peaks.shards.reads / limits.dynamodb.partition.reads,
    "writes of the SHARD partition": peaks.shards.writes / limits.dynamodb.partition.writes,
    "reads of a cluster's partition": peaks.cluster.reads / limits.dynamodb.partition.reads,
    "writes of a cluster's partition": peaks.cluster.writes / limits.dynamodb.partition.writes,
    "concurrent functions": peaks.concurrency / limits.lambda.concurrency,
    "functions started in ten seconds": peaks.starts / limits.lambda.startsPerTenSeconds,
    "slot messages in flight": peaks.inFlight / limits.sqs.inFlight,
    "calls of GetMetricData": peaks.cloudwatch.calls / limits.cloudwatch.getMetricData,
    "datapoints of GetMetricData": peaks.cloudwatch.datapoints / limits.cloudwatch.datapointsPerSecond,
  });
  const shares = runs.map(([, outcome]) => of(outcome));
  return shareBars({
    title: "A million HPAs: the busiest second, as a share of AWS's limits",
    label: "share of the limit (log); 100 % is the limit of a new account or of one partition",
    series: runs.map(([name]) => name),
    from: 0.001,
    rows: Object.keys(shares[0] ?? {}).map((name) => ({
      name,
      values: shares.map(({ [name]: share = 0 }) => (share === 0 ? 0 : Math.max(share, 0.001))),
    })),
  });
}

function dollarBars(moving: Outcome, onCloudWatch: Outcome | undefined): string {
  const bar = (name: string, dollars: Dollars) => ({ name, values: drivers.map((driver) => dollars[driver]) });
  return stackedBars({
    title: "A million HPAs: dollars a month by driver",
    label: "$ a month, list prices",
    parts: drivers,
    bars: [
      bar("moving", dollarsOf(moving)),
      ...(onCloudWatch === undefined ? [] : [bar("a tenth on CloudWatch", dollarsOf(onCloudWatch))]),
      bar("ebb cost, at rest", estimated(1_000_000, 1_000, "atRest", needed.syncMemory)),
      bar("ebb cost, moving", estimated(1_000_000, 1_000, "moving", needed.syncMemory)),
    ],
    total: (sum) => `$${Math.round(sum).toLocaleString("en-US")}`,
  });
}
