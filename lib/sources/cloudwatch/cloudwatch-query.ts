import type { Dimension, MetricDataQuery } from "@aws-sdk/client-cloudwatch";
import {
  namespaceForm,
  metricNameForm,
  expressionForm,
  statisticForm,
  regionForm,
  accountForm,
} from "../../model/schema/parameter-forms";
import type { SourceQuery } from "../../model/ports";
import { parseParts, periodForm, unitOf } from "./cloudwatch-parts";
import { dimensionsOf } from "./dimensions";
import { needsOwnCall, renameIds } from "./math-ids";
import {
  badParameter,
  has,
  optionalText,
  type Parameters,
  present,
  rejectUnknown,
  requiredText,
  shown,
  wholeNumber,
  type WholeNumberForm,
} from "../parameters";

/** One value to read: the metric itself, or an expression and the queries that it names. */
export interface CloudWatchQuery {
  readonly region?: string;
  readonly periodSeconds: number;
  /** How many complete periods are looked at; the newest datapoint among them is the value. */
  readonly periods: number;
  /** How long a period is left to fill up after its end. */
  readonly delaySeconds: number;
  /** What no datapoint means: undefined is an error. */
  readonly absent?: number;
  /** In CloudWatch's words, with ids that are unique within this query; `wanted` is the id of the value. */
  readonly parts: readonly MetricDataQuery[];
  readonly wanted: string;
  /** As messages name it. */
  readonly asked: string;
}

/** What the parts of a query have from the query where they do not say it themselves. */
export interface Defaults {
  readonly periodSeconds: number;
  readonly statistic: string;
  readonly namespace?: string;
  readonly account?: string;
  readonly dimensions: readonly Dimension[];
}

const known = [
  "namespace",
  "metricName",
  "metric",
  "statistic",
  "period",
  "dimensions",
  "unit",
  "expression",
  "queries",
  "region",
  "account",
  "periods",
  "delay",
  "absent",
];

/** Throws a Fault "badEntry" that names the parameter. */
export function parseCloudWatchQuery({ parameters: given }: SourceQuery): CloudWatchQuery {
  const { dimensions, parameters } = dimensionsOf(given);
  rejectUnknown(parameters, [...known, "dimension.<Name>"]);
  const region = optionalText(parameters, "region", regionForm);
  const defaults: Defaults = {
    periodSeconds: wholeNumber(parameters, "period", periodForm(60)),
    statistic: optionalText(parameters, "statistic", statisticForm) ?? "Average",
    dimensions,
    ...present("namespace", optionalText(parameters, "namespace", namespaceForm)),
    ...present("account", optionalText(parameters, "account", accountForm)),
  };
  const where = `over ${defaults.periodSeconds} s${region === undefined ? "" : ` in ${region}`}`;
  const what = has(parameters, "expression")
    ? parseExpression(parameters, defaults)
    : parseMetric(parameters, defaults);
  return {
    ...present("region", region),
    ...present("absent", absentOf(parameters)),
    periodSeconds: defaults.periodSeconds,
    periods: wholeNumber(parameters, "periods", between(1, 100, 5)),
    delaySeconds: wholeNumber(parameters, "delay", between(0, 86_400, 0)),
    ...what,
    asked: `${what.asked} ${where}`,
  };
}

type What = Pick<CloudWatchQuery, "parts" | "wanted" | "asked">;

function parseMetric(parameters: Parameters, defaults: Defaults): What {
  if (has(parameters, "queries")) throw badParameter("queries", "an expression beside it", parameters["queries"]);
  if (has(parameters, "metric") && has(parameters, "metricName")) {
    throw badParameter("metric", "metricName or metric, not both", parameters["metric"]);
  }
  const name = requiredText(parameters, has(parameters, "metric") ? "metric" : "metricName", metricNameForm);
  const namespace = requiredText(parameters, "namespace", namespaceForm);
  const metric = { Namespace: namespace, MetricName: name, Dimensions: [...defaults.dimensions] };
  const part: MetricDataQuery = {
    Id: "m",
    MetricStat: {
      Metric: metric,
      Period: defaults.periodSeconds,
      Stat: defaults.statistic,
      ...present("Unit", unitOf(parameters)),
    },
    ...present("AccountId", defaults.account),
  };
  const labels = defaults.dimensions.map((dimension) => `${dimension.Name}=${dimension.Value}`).join(",");
  return { parts: [part], wanted: "m", asked: `${defaults.statistic} of ${namespace} ${name}{${labels}}` };
}

function parseExpression(parameters: Parameters, defaults: Defaults): What {
  const expression = requiredText(parameters, "expression", expressionForm);
  for (const name of ["metricName", "metric", "unit"]) {
    if (has(parameters, name))
      throw badParameter(name, "none beside an expression (its queries say it)", parameters[name]);
  }
  const parts = parseParts(parameters["queries"] ?? [], defaults);
  const wanted = unusedId(parts);
  const part: MetricDataQuery = { Id: wanted, Expression: expression, Period: defaults.periodSeconds };
  checkIds([...parts, part]);
  return { parts: [...parts, part], wanted, asked: `expression ${shown(expression)}` };
}

/** Ids that nobody declared are told here, before a call that others share fails or, worse, finds somebody else's query. */
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

function absentOf(parameters: Parameters): number | undefined {
  if (!has(parameters, "absent")) return undefined;
  const value = parameters["absent"];
  if (value === "error") return undefined;
  const number = typeof value === "string" && /^-?\d{1,15}(\.\d{1,15})?$/.test(value) ? Number(value) : value;
  if (typeof number === "number" && Number.isFinite(number)) return number;
  throw badParameter("absent", `"error" or a number`, value);
}

function between(from: number, to: number, absent: number): WholeNumberForm {
  return { expected: `a whole number from ${from} to ${to}`, valid: (value) => value >= from && value <= to, absent };
}
