import type { Dimension, MetricDataQuery } from "@aws-sdk/client-cloudwatch";
import { present } from "../../k8s/map";
import { shown } from "../../model/check/problem";
import type { SourceQuery } from "../../model/ports/sources";
import type { BilledRead } from "../description";
import type { Values } from "../fields/field";
import { readParameters, requiredText } from "../fields/read-fields";
import { badParameter } from "../parameters";
import { cloudwatchFields } from "./fields";
import { Fault } from "../../model/fault";

/**
 * Strings, numbers (1e3) and words. Ids start with a lowercase letter; functions and keywords (SUM, AND) with an
 * uppercase one.
 */
const tokens = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[A-Za-z_][A-Za-z0-9_]*/g;

export interface CloudWatchQuery {
  readonly region?: string;
  readonly periodSeconds: number;
  /** The value is the newest datapoint of these. */
  readonly periods: number;
  /** Data arrives this long after a period's end. */
  readonly delaySeconds: number;
  /** Undefined: no datapoint is an error. */
  readonly absent?: number;
  /** Ids are unique within this query; `wanted` is the value's. */
  readonly parts: readonly MetricDataQuery[];
  readonly wanted: string;
  readonly description: string;
}

type Parameters = Values<typeof cloudwatchFields>;
type Part = NonNullable<Parameters["queries"]>[number];
type What = Pick<CloudWatchQuery, "parts" | "wanted" | "description">;

interface Defaults extends Pick<Parameters, "namespace" | "account"> {
  readonly periodSeconds: number;
  readonly statistic: string;
  readonly dimensions: Readonly<Record<string, string>>;
}

/** @throws Fault "badEntry" that names the parameter. */
export function parseCloudWatchQuery({ parameters: given }: SourceQuery): CloudWatchQuery {
  const parameters = readParameters(cloudwatchFields, given);
  const { region, namespace, account, absent } = parameters;
  const defaults: Defaults = {
    periodSeconds: parameters.period ?? 60,
    statistic: parameters.statistic ?? "Average",
    dimensions: { ...parameters.dimensions, ...parameters["dimension.<Name>"] },
    ...present({ namespace, account }),
  };
  const parse = parameters.expression === undefined ? parseMetric : parseExpression;
  const { description, ...what } = parse(parameters, defaults);
  return {
    ...present({ region, absent: absent === "error" ? undefined : absent }),
    periodSeconds: defaults.periodSeconds,
    periods: parameters.periods ?? 5,
    delaySeconds: parameters.delay ?? (growsLate(defaults.periodSeconds, what.parts) ? 60 : 0),
    ...what,
    description: `${description} over ${defaults.periodSeconds} s${region === undefined ? "" : ` in ${region}`}`,
  };
}

const growing = /^(?:Sum|SampleCount|t[cs]\d|T[CS]\()/;

/**
 * A sum of AWS' is too low until all samples have arrived. Metrics of less than a minute are the user's own, who sends
 * them at once.
 */
function growsLate(periodSeconds: number, parts: What["parts"]): boolean {
  return periodSeconds >= 60 && parts.some(({ MetricStat }) => growing.test(MetricStat?.Stat ?? ""));
}

function parseMetric({ queries, metric, metricName, unit }: Parameters, defaults: Defaults): What {
  if (queries !== undefined) throw badParameter("queries", "queries only together with an expression", queries);
  if (metric !== undefined && metricName !== undefined)
    throw badParameter("metric", "metricName or metric, not both", metric);
  const part = metricPart({ id: "m", ...present({ metricName: metric ?? metricName, unit }) }, "", defaults);
  const { Namespace, MetricName, Dimensions = [] } = part.MetricStat?.Metric ?? {};
  const labels = Dimensions.map(({ Name, Value }) => `${Name}=${Value}`).join(",");
  const description = `${defaults.statistic} of ${Namespace} ${MetricName}{${labels}}`;
  return { parts: [part], wanted: "m", description };
}

function parseExpression(parameters: Parameters, defaults: Defaults): What {
  const { expression = "", queries = [] } = parameters;
  for (const name of ["metricName", "metric", "unit"] as const) {
    if (parameters[name] !== undefined)
      throw badParameter(name, "nothing beside an expression (set it in queries)", parameters[name]);
  }
  const named = parseParts(queries, defaults);
  const ids = new Map(named.map(({ Id = "" }) => [Id, Id]));
  let wanted = "value";
  while (ids.has(wanted)) wanted += "_";
  const parts = [...named, { Id: wanted, Expression: expression, Period: defaults.periodSeconds }];
  // In a shared call, an id that no query declares fails all queries, or names another query's.
  for (const { Expression: text } of parts) if (text !== undefined && !needsOwnCall(text)) renameIds(text, ids);
  return { parts, wanted, description: `expression ${shown(expression)}` };
}

/** @throws Fault "badEntry" that names the field: "queries[1].period". */
function parseParts(queries: readonly Part[], defaults: Defaults): readonly MetricDataQuery[] {
  return queries.map((query, index) => {
    const path = `queries[${index}].`;
    if (queries.findIndex(({ id }) => id === query.id) < index)
      throw badParameter(`${path}id`, "an id that no other query has", query.id);
    const part = query.expression === undefined ? metricPart : expressionPart;
    return { ...part(query, path, defaults), ReturnData: false };
  });
}

function expressionPart(query: Part, path: string, { periodSeconds }: Defaults): MetricDataQuery {
  const { id, expression, ...others } = query;
  const [other] = Object.entries(others);
  if (other !== undefined)
    throw badParameter(`${path}${other[0]}`, "nothing beside an expression except its id", other[1]);
  return { Id: id, Expression: expression, Period: periodSeconds };
}

function metricPart(query: Part, path: string, defaults: Defaults): MetricDataQuery {
  const { namespace = defaults.namespace, account = defaults.account, period = defaults.periodSeconds } = query;
  // Otherwise a part's last datapoint would be incomplete.
  if (defaults.periodSeconds % period !== 0)
    throw badParameter(`${path}period`, `a divisor of the query's period ${defaults.periodSeconds}`, period);
  return {
    Id: query.id,
    MetricStat: {
      Metric: {
        MetricName: requiredText(cloudwatchFields, query, "metricName", path),
        Namespace: requiredText(cloudwatchFields, { ...present({ namespace }) }, "namespace", path),
        Dimensions: dimensionsOf({ ...defaults.dimensions, ...query.dimensions }),
      },
      Period: period,
      Stat: query.statistic ?? defaults.statistic,
      ...present({ Unit: query.unit }),
    },
    ...present({ AccountId: account }),
  };
}

/** CloudWatch's limit for one metric. */
const mostDimensions = 30;

function dimensionsOf(texts: Readonly<Record<string, string>>): Dimension[] {
  const values = Object.entries(texts);
  if (values.length > mostDimensions)
    throw badParameter("dimensions", `at most ${mostDimensions} dimensions`, values.length);
  return values.sort(([a], [b]) => (a < b ? -1 : 1)).map(([Name, Value]) => ({ Name, Value }));
}

/** 0 for an unparsable query, which `read` rejects. */
function ofQuery(query: SourceQuery, value: (parsed: CloudWatchQuery) => number): number {
  try {
    return value(parseCloudWatchQuery(query));
  } catch {
    return 0;
  }
}

export const keepMs = (query: SourceQuery) => ofQuery(query, ({ periodSeconds }) => periodSeconds * 1000);

/** AWS/SQS metrics settle as late as SQS's counts. */
const queueSettleMs = 60_000;
const isOfQueue = ({ MetricStat }: MetricDataQuery) => MetricStat?.Metric?.Namespace === "AWS/SQS";
export const settleMs = (query: SourceQuery) =>
  ofQuery(query, ({ parts }) => (parts.some(isOfQueue) ? queueSettleMs : 0));

/** An expression costs as much as the metrics that it names. */
export function billedByAws(query: SourceQuery): readonly BilledRead[] {
  const { region, periodSeconds, parts } = parseCloudWatchQuery(query);
  const metric = {
    ...({ what: "metric", unit: "CloudWatch metric", keptSeconds: periodSeconds } as const),
    loweredBy: "a longer period of the metric (parameter period)",
  };
  const keyOf = (index: number) => JSON.stringify([region, parts, index]);
  const named = parts.filter(({ MetricStat }) => MetricStat !== undefined);
  // A SEARCH or SELECT alone costs as many metrics as it finds.
  if (named.length === 0) return [{ ...metric, key: keyOf(0), isLeast: true }];
  return named.map((_, index) => ({ ...metric, key: keyOf(index) }));
}

/** METRICS() means all queries of the call; a call may hold only one SELECT and few SEARCHes. */
export function needsOwnCall(expression: string): boolean {
  return /\b(METRICS|SEARCH|SELECT)\b/i.test(expression);
}

/** @throws Fault "badEntry" on an unknown id. */
export function renameIds(expression: string, names: ReadonlyMap<string, string>): string {
  return expression.replace(tokens, (token) => (/^[a-z]/.test(token) ? renamed(token, expression, names) : token));
}

function renamed(id: string, expression: string, names: ReadonlyMap<string, string>): string {
  const name = names.get(id);
  if (name !== undefined) return name;
  const known = [...names.keys()].join(", ") || "none";
  throw new Fault(
    "badEntry",
    `parameter expression: expected ids of queries (${known}), got ${id} in ${shown(expression)}`,
  );
}
