import { present } from "../../k8s/map";
import type { MetricDataQuery } from "@aws-sdk/client-cloudwatch";
import { readParameters, requiredText } from "../fields/read-fields";
import type { SourceQuery } from "../../model/ports/sources";
import { shown } from "../../model/check/problem";
import { badParameter } from "../parameters";
import { type CloudWatchParameters, type Defaults, parseParts } from "./cloudwatch-parts";
import { dimensionsOf } from "./cloudwatch-parts";
import { cloudwatchFields } from "./fields";
import { needsOwnCall, renameIds } from "./math-ids";

/** One value to read: the metric itself, or an expression and the queries that it names. */
export interface CloudWatchQuery {
  readonly region?: string;
  readonly periodSeconds: number;
  /** How many complete periods to read. The newest datapoint among them is the value. */
  readonly periods: number;
  /** How long to wait after a period's end for its data to arrive. */
  readonly delaySeconds: number;
  /** The value if there is no datapoint; undefined: that is an error. */
  readonly absent?: number;
  /** In CloudWatch's form, with ids that are unique within this query. `wanted` is the id of the value. */
  readonly parts: readonly MetricDataQuery[];
  readonly wanted: string;
  /** As messages name it. */
  readonly description: string;
}

/** Throws a Fault "badEntry" that names the parameter. */
export function parseCloudWatchQuery({ parameters: given }: SourceQuery): CloudWatchQuery {
  const parameters = readParameters(cloudwatchFields, given);
  const { region, namespace, account, absent } = parameters;
  const defaults: Defaults = {
    periodSeconds: parameters.period ?? 60,
    statistic: parameters.statistic ?? "Average",
    dimensions: { ...parameters.dimensions, ...parameters["dimension.<Name>"] },
    ...present({ namespace, account }),
  };
  const what =
    parameters.expression === undefined ? parseMetric(parameters, defaults) : parseExpression(parameters, defaults);
  return {
    ...present({ region, absent: absent === "error" ? undefined : absent }),
    periodSeconds: defaults.periodSeconds,
    periods: parameters.periods ?? 5,
    delaySeconds: parameters.delay ?? (growsLate(defaults.periodSeconds, what.parts) ? 60 : 0),
    ...what,
    description: `${what.description} over ${defaults.periodSeconds} s${region === undefined ? "" : ` in ${region}`}`,
  };
}

/** Sums and counts. The others are estimates from the start. */
const growing = /^(?:Sum|SampleCount|t[cs]\d|T[CS]\()/;

/**
 * A datapoint of AWS' services appears before all of its samples have arrived, and then a sum is too low. Metrics of
 * less than a minute are the user's own, who sends them at once.
 */
function growsLate(periodSeconds: number, parts: What["parts"]): boolean {
  return periodSeconds >= 60 && parts.some(({ MetricStat }) => growing.test(MetricStat?.Stat ?? ""));
}

type What = Pick<CloudWatchQuery, "parts" | "wanted" | "description">;

function parseMetric(parameters: CloudWatchParameters, defaults: Defaults): What {
  const { queries, metric, unit } = parameters;
  if (queries !== undefined) throw badParameter("queries", "queries only together with an expression", queries);
  if (metric !== undefined && parameters.metricName !== undefined)
    throw badParameter("metric", "metricName or metric, not both", metric);
  const metricName = metric ?? requiredText(cloudwatchFields, parameters, "metricName");
  const namespace = requiredText(cloudwatchFields, parameters, "namespace");
  const { statistic, periodSeconds } = defaults;
  const dimensions = dimensionsOf(defaults.dimensions);
  const part: MetricDataQuery = {
    Id: "m",
    MetricStat: {
      Metric: { Namespace: namespace, MetricName: metricName, Dimensions: dimensions },
      Period: periodSeconds,
      Stat: statistic,
      ...present({ Unit: unit }),
    },
    ...present({ AccountId: defaults.account }),
  };
  const labels = dimensions.map((dimension) => `${dimension.Name}=${dimension.Value}`).join(",");
  return { parts: [part], wanted: "m", description: `${statistic} of ${namespace} ${metricName}{${labels}}` };
}

function parseExpression(parameters: CloudWatchParameters, defaults: Defaults): What {
  const { expression = "", queries = [] } = parameters;
  for (const name of ["metricName", "metric", "unit"] as const) {
    if (parameters[name] !== undefined)
      throw badParameter(name, "nothing beside an expression (set it in queries)", parameters[name]);
  }
  const parts = parseParts(queries, defaults);
  const wanted = unusedId(parts);
  const part: MetricDataQuery = { Id: wanted, Expression: expression, Period: defaults.periodSeconds };
  checkIds([...parts, part]);
  return { parts: [...parts, part], wanted, description: `expression ${shown(expression)}` };
}

/** Finds ids that no query declares. In a shared call, such an id fails all queries or names another query's. */
function checkIds(parts: readonly MetricDataQuery[]): void {
  const names = new Map(parts.slice(0, -1).map(({ Id = "" }) => [Id, Id]));
  for (const { Expression: expression } of parts) {
    if (expression !== undefined && !needsOwnCall(expression)) renameIds(expression, names);
  }
}

function unusedId(parts: readonly MetricDataQuery[]): string {
  let id = "value";
  while (parts.some((part) => part.Id === id)) id += "_";
  return id;
}

/** The sync keeps a reading this long, so you do not pay for a metric more often than it can change. */
export function keepMs(query: SourceQuery): number {
  try {
    return parseCloudWatchQuery(query).periodSeconds * 1000;
  } catch {
    return 0; // `read` rejects the query too, and says why without a call.
  }
}

/** A queue's metrics are SQS's counts, and settle as late. Any other metric is what its sender measured. */
const queueSettleMs = 60_000;

export function settleMs(query: SourceQuery): number {
  try {
    const { parts } = parseCloudWatchQuery(query);
    return parts.some(({ MetricStat }) => MetricStat?.Metric?.Namespace === "AWS/SQS") ? queueSettleMs : 0;
  } catch {
    return 0; // `read` rejects the query too.
  }
}
