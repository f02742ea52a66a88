import { createHash } from "node:crypto";
import { asSeries, evaluateMath, MathError, type MathValue, type Points } from "./metric-math";
import { metricKey, type MetricIdentity, type Sample } from "./samples";
import { ServiceError, validationError } from "./service-error";
import { isStatistic, statisticOf } from "./statistics";

interface Query {
  readonly Id: string;
  readonly MetricStat?: {
    readonly Metric: MetricIdentity;
    readonly Period: number;
    readonly Stat: string;
    readonly Unit?: string;
  };
  readonly Expression?: string;
  readonly Label?: string;
  readonly ReturnData?: boolean;
  readonly Period?: number;
}

interface Input {
  readonly MetricDataQueries: readonly Query[];
  /** Seconds since the epoch. */
  readonly StartTime: number;
  readonly EndTime: number;
  readonly NextToken?: string;
  readonly ScanBy?: "TimestampDescending" | "TimestampAscending";
  readonly MaxDatapoints?: number;
}

interface Result {
  readonly Id: string;
  readonly Label: string;
  readonly Timestamps: number[];
  readonly Values: number[];
  readonly StatusCode: string;
  readonly Messages?: readonly { readonly Code: string; readonly Value: string }[];
}

export interface Service {
  readonly samples: ReadonlyMap<string, readonly Sample[]>;
  readonly now: () => number;
  /** The most datapoints of one answer, where the request does not ask for fewer. */
  readonly maxDatapoints: number;
}

/**
 * GetMetricData as documented: half-open window, datapoints named by their period's start, metric math, pages by
 * datapoints.
 */
export function getMetricData(raw: unknown, service: Service): { MetricDataResults: Result[]; NextToken?: string } {
  const input = validated(raw);
  const values = new Map<string, MathValue>();
  const valueOf = (id: string): MathValue | undefined => {
    const query = input.MetricDataQueries.find(({ Id }) => Id === id);
    if (query === undefined) return undefined;
    const value = values.get(id) ?? evaluate(query);
    values.set(id, value);
    return value;
  };
  const evaluate = (query: Query): MathValue => {
    if (query.MetricStat !== undefined) return datapoints(query.MetricStat, input, service);
    const periodSeconds =
      query.Period ?? Math.max(...input.MetricDataQueries.map(({ MetricStat }) => MetricStat?.Period ?? 60));
    const scope = { valueOf, metrics, periods: periodsOf(input, periodSeconds), periodSeconds };
    try {
      const value = evaluateMath(query.Expression ?? "", scope);
      return typeof value === "number" ? new Map(scope.periods.map((at) => [at, value])) : value;
    } catch (error) {
      if (error instanceof MathError) throw validationError(`Error in expression '${query.Id}': ${error.message}`);
      throw error;
    }
  };
  const metrics = (): readonly Points[] =>
    input.MetricDataQueries.filter(({ MetricStat }) => MetricStat !== undefined).flatMap(({ Id }) =>
      asSeries(valueOf(Id) ?? []),
    );

  const results = input.MetricDataQueries.filter(({ ReturnData }) => ReturnData !== false).flatMap((query) =>
    asSeries(valueOf(query.Id) ?? []).map((points, index) => resultOf(query, points, { input, index })),
  );
  return paged(results, input, service);
}

function validated(raw: unknown): Input {
  const input = raw as Input;
  const queries = input.MetricDataQueries;
  if (!Array.isArray(queries) || queries.length === 0)
    throw validationError("The parameter MetricDataQueries is required.");
  if (queries.length > 500)
    throw validationError("The collection MetricDataQueries must not have a size greater than 500.");
  if (typeof input.StartTime !== "number" || typeof input.EndTime !== "number" || input.StartTime >= input.EndTime) {
    throw validationError("The parameter StartTime must be less than the parameter EndTime.");
  }
  const ids = new Set<string>();
  for (const query of queries as readonly Query[]) {
    if (!/^[a-z][a-zA-Z0-9_]*$/.test(query.Id))
      throw validationError(
        `The value ${query.Id} for parameter Id is not matching the expected pattern ^[a-z][a-zA-Z0-9_]*$.`,
      );
    if (ids.has(query.Id)) throw validationError(`The values for parameter id in MetricDataQueries are not unique.`);
    ids.add(query.Id);
    if ((query.Expression === undefined) === (query.MetricStat === undefined)) {
      throw validationError("Exactly one of the parameters Expression and MetricStat must be specified.");
    }
    if (query.MetricStat !== undefined && query.Period !== undefined) {
      throw validationError("The parameter Period must not be specified beside MetricStat.");
    }
    validatePeriod(query.MetricStat?.Period ?? query.Period ?? 60);
    if (query.MetricStat !== undefined && !isStatistic(query.MetricStat.Stat)) {
      throw validationError(`The value ${query.MetricStat.Stat} for parameter Stat is not supported.`);
    }
  }
  if (queries.every(({ ReturnData }: Query) => ReturnData === false)) {
    throw validationError("At least one MetricDataQuery must have ReturnData set to true.");
  }
  return input;
}

function validatePeriod(period: number): void {
  if ([1, 5, 10, 20, 30].includes(period) || (period >= 60 && period % 60 === 0)) return;
  throw validationError("The parameter Period must be 1, 5, 10, 20, 30 or a multiple of 60.");
}

/** The start is rounded down to the minute, with a period of 5 to 30 s to that period. */
function startOf(startSeconds: number, periodSeconds: number): number {
  const unit = [5, 10, 20, 30].includes(periodSeconds) ? periodSeconds : 60;
  return Math.floor(startSeconds / unit) * unit * 1000;
}

function periodsOf({ StartTime, EndTime }: Input, periodSeconds: number): readonly number[] {
  const period = periodSeconds * 1000;
  const periods: number[] = [];
  for (let at = Math.ceil(startOf(StartTime, periodSeconds) / period) * period; at < EndTime * 1000; at += period)
    periods.push(at);
  return periods;
}

function datapoints(stat: NonNullable<Query["MetricStat"]>, input: Input, { samples, now }: Service): Points {
  const start = startOf(input.StartTime, stat.Period);
  if (!isRetained(stat.Period, now() - start)) return new Map();
  const buckets = new Map<number, Sample[]>();
  for (const sample of samples.get(metricKey(stat.Metric)) ?? []) {
    if (stat.Unit !== undefined && sample.unit !== stat.Unit) continue;
    if (sample.resolution > stat.Period) continue;
    const at = Math.floor(sample.at / (stat.Period * 1000)) * stat.Period * 1000;
    if (at >= start && at < input.EndTime * 1000) buckets.set(at, [...(buckets.get(at) ?? []), sample]);
  }
  return new Map([...buckets].map(([at, bucket]) => [at, statisticOf(stat.Stat, bucket)]));
}

/** Finer datapoints are dropped with age: under 60 s after 3 hours, 60 s after 15 days, 300 s after 63 days. */
function isRetained(periodSeconds: number, ageMs: number): boolean {
  const days = ageMs / 86_400_000;
  const unit = days > 63 ? 3600 : days > 15 ? 300 : ageMs > 3 * 3_600_000 ? 60 : 1;
  return periodSeconds % unit === 0;
}

function resultOf(
  query: Query,
  points: Points,
  { input, index }: { readonly input: Input; readonly index: number },
): Result {
  const direction = input.ScanBy === "TimestampAscending" ? 1 : -1;
  const numeric = [...points].filter(([, value]) => Number.isFinite(value)).sort(([a], [b]) => (a - b) * direction);
  const message = "One or more data-points have been dropped due to non-numeric values (NaN, -Infinite, +Infinite)";
  return {
    Id: query.Id,
    Label: query.Label ?? query.MetricStat?.Metric.MetricName ?? `${query.Id} ${index}`,
    Timestamps: numeric.map(([at]) => at / 1000),
    Values: numeric.map(([, value]) => value),
    StatusCode: "Complete",
    ...(numeric.length < points.size && { Messages: [{ Code: "ArithmeticError", Value: message }] }),
  };
}

/** A page holds at most this many datapoints of all results together; a result that continues is PartialData. */
function paged(results: Result[], input: Input, service: Service): { MetricDataResults: Result[]; NextToken?: string } {
  const { NextToken: token, ...request } = input;
  const digest = createHash("sha256").update(JSON.stringify(request)).digest("hex").slice(0, 16);
  const limit = input.MaxDatapoints ?? service.maxDatapoints;
  const from = offsetIn(token, digest);
  let seen = 0;
  const page: Result[] = [];
  for (const result of results) {
    const begin = Math.max(0, from - seen);
    const end = Math.min(result.Values.length, from + limit - seen);
    const given = from > 0 && seen + result.Values.length <= from;
    seen += result.Values.length;
    if (given) continue;
    const StatusCode = end < result.Values.length ? "PartialData" : "Complete";
    const [Timestamps, Values] = [
      result.Timestamps.slice(begin, Math.max(begin, end)),
      result.Values.slice(begin, Math.max(begin, end)),
    ];
    page.push({ ...result, Timestamps, Values, StatusCode });
  }
  return { MetricDataResults: page, ...(seen > from + limit && { NextToken: `${digest}.${from + limit}` }) };
}

function offsetIn(token: string | undefined, digest: string): number {
  if (token === undefined) return 0;
  const [of, offset] = token.split(".");
  if (of !== digest) throw new ServiceError("InvalidNextToken", "The next token specified is invalid.");
  return Number(offset);
}
