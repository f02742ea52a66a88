import { present } from "../../../lib/k8s/map";
import type { EpochMs } from "../../../lib/k8s/time";
import { asHpaKey, splitKey } from "../../../lib/model/hpa-key";
import { flagsIn, flagsOf, type HistoryPoint, type HistorySample } from "../../../lib/model/stored/history";
import { findObjects } from "../../../lib/read/find";
import { bucketsOf, type HpaSeries, readSeries } from "../../../lib/read/history";
import type { SourceAnswer, SourceError, SourceHistoryAnswer } from "../../../lib/read/page/answers";
import { type ObservedReading, readersOf } from "../../../lib/read/source-readings";
import { type HistoryContext, parts, rangeOf, shadesOf } from "./answer-history";
import type { AnswerContext } from "./answers";

interface SourceName {
  readonly cluster: string;
  readonly name: string;
}

const mostReadings = 200;
const mostErrors = 20;

export async function answerSource(
  { store, entries, now }: AnswerContext,
  { cluster, name }: SourceName,
  signal: AbortSignal,
): Promise<SourceAnswer> {
  const scope = { resource: { name: "sources" }, clusters: [cluster], names: [name] } as const;
  const { found } = await findObjects({ store, entries, now, signal }, scope);
  const [source] = found;
  if (source?.type !== "sources") return { cluster, name, hpas: 0, errors: [], readings: [] };
  const { entry, readings } = source;
  return {
    ...{ cluster, name, hpas: readersOf(readings), errors: errorsOf(readings) },
    ...("invalid" in entry ? { problem: entry.invalid } : { kind: entry.value.spec.kind }),
    readings: readings.slice(0, mostReadings).map(({ hpa, metric, through, value, error, readAt }) => {
      const [namespace, reader] = splitKey(hpa);
      return { namespace, name: reader, metric, ...present({ through, value, error, readAt }) };
    }),
  };
}

/** The most frequent first. */
function errorsOf(readings: readonly ObservedReading[]): readonly SourceError[] {
  const failed = new Map<string, ObservedReading[]>();
  for (const reading of readings) {
    const { error } = reading;
    if (error !== undefined) failed.set(error, [...(failed.get(error) ?? []), reading]);
  }
  return [...failed]
    .map(([text, its]) => ({ text, hpas: readersOf(its) }))
    .sort((a, b) => b.hpas - a.hpas)
    .slice(0, mostErrors);
}

interface SourceQuery extends SourceName {
  /** With its labels, as histories name it. */
  readonly metric: string;
  /** Keys of HPAs that read it. */
  readonly hpas: readonly string[];
  readonly range: string;
}

const mostHpas = 3;

/**
 * Every HPA that sends a query gets the same value, so the first one whose history has it is enough.
 *
 * @throws MomentError
 */
export async function answerSourceHistory(
  { store, history, now }: HistoryContext,
  { cluster, metric, hpas, range: text }: SourceQuery,
  signal: AbortSignal,
): Promise<SourceHistoryAnswer> {
  const range = rangeOf(text, now());
  let series: HpaSeries = { points: [], until: range.since, isKept: false };
  // One after the other, and mostly one: minutes of a large shard are large.
  for (const key of [...new Set(hpas)].slice(0, mostHpas).map(asHpaKey)) {
    const read = await readSeries({ store, history }, { cluster, key, ...range }, signal);
    series = joined([series, totalsOf(read, metric)]);
    if (isWhole(series, range.since)) break;
  }
  const buckets = bucketsOf(series, { ...range, count: parts });
  const { since, until } = range;
  const column = (of: "min" | "mean" | "max") => buckets.map(({ metrics: [total] }) => total?.[of] ?? null);
  return {
    ...{ since, until, known: Math.min(series.until, until), parts, isKept: series.isKept },
    value: { low: column("min"), mean: column("mean"), high: column("max") },
    shades: shadesOf(series, buckets, (until - since) / parts).map((shade) => ({ ...shade, ...unread })),
  };
}

const unread = { label: "not read", tone: "broken" } as const;

/** Each sample has the metric's total alone. */
function totalsOf({ points, ...rest }: HpaSeries, metric: string): HpaSeries {
  return {
    ...rest,
    points: points.map(({ at, sample, spec }): HistoryPoint => {
      const index = spec?.metrics.findIndex(({ label, type }) => type === "External" && label === metric) ?? -1;
      const read = sample?.metrics[index];
      if (sample === null || index < 0) return { at, sample: null };
      const value = read?.value ?? null;
      const total = spec?.metrics[index]?.unit === "average" ? totalOf(value, sample) : value;
      return { at, sample: sampleOf(total, value === null && flagsIn(sample.flags).includes("unknownMetric")) };
    }),
  };
}

/** The average of no pod is 0, whatever the total is. */
function totalOf(average: number | null, { current, recommended }: HistorySample): number | null {
  if (average === null || current === null) return null;
  return current === 0 && recommended !== 0 ? null : average * current;
}

function sampleOf(value: number | null, isUnread: boolean): HistorySample {
  return {
    ...{ current: null, desired: null, recommended: null, stabilized: null, conditions: 0 },
    flags: isUnread ? flagsOf(["unknownMetric"]) : 0,
    metrics: [{ value, averageValue: null }],
  };
}

function isWhole({ points }: HpaSeries, since: EpochMs): boolean {
  const known = points.slice(0, -1).map(({ sample }) => sample?.metrics[0]?.value);
  return points[0]?.at === since && known.every((value) => typeof value === "number");
}

function joined(all: readonly HpaSeries[]): HpaSeries {
  const until = Math.max(0, ...all.map((one) => one.until));
  const ended = all.map((one) => [...one.points, { at: one.until, sample: null }]);
  const moments = [...new Set(ended.flatMap((points) => points.map(({ at }) => at)))].sort((a, b) => a - b);
  const next = ended.map(() => 0);
  const points = moments.map((at): HistoryPoint => {
    const samples = ended.flatMap((own, index) => {
      while ((own[next[index] ?? 0]?.at ?? Infinity) <= at) next[index] = (next[index] ?? 0) + 1;
      return own[(next[index] ?? 0) - 1]?.sample ?? [];
    });
    const known = samples.find(({ metrics: [total] }) => typeof total?.value === "number");
    return { at, sample: known ?? samples.find(({ flags }) => flags !== 0) ?? samples[0] ?? null };
  });
  return { points, until, isKept: all.some(({ isKept }) => isKept) };
}
