import { type MetricDataQuery, StandardUnit } from "@aws-sdk/client-cloudwatch";
import {
  accountForm,
  expressionForm,
  idForm,
  metricNameForm,
  namespaceForm,
  periodExpected,
  periods,
  statisticForm,
} from "../../model/schema/parameter-forms";
import {
  type Parameters,
  type WholeNumberForm,
  badParameter,
  has,
  isRecord,
  optionalText,
  present,
  rejectUnknown,
  requiredText,
  wholeNumber,
} from "../parameters";
import type { Defaults } from "./cloudwatch-query";
import { partDimensions } from "./dimensions";

/** What CloudWatch takes, by form, so that a bad value is told where it was written and cannot fail a call that others share. */

/** Seconds: 1, 5, 10, 20, 30 (high-resolution metrics) or a multiple of 60 up to a day. */
export function periodForm(absent: number): WholeNumberForm {
  return {
    expected: periodExpected,
    valid: (value) =>
      periods.short.includes(value) ||
      (value >= periods.step && value % periods.step === 0 && value <= periods.longest),
    absent,
  };
}

export function unitOf(parameters: Parameters, path = ""): StandardUnit | undefined {
  if (!has(parameters, "unit")) return undefined;
  const unit = Object.values(StandardUnit).find((known) => known === parameters["unit"]);
  if (unit === undefined)
    throw badParameter(`${path}unit`, "a CloudWatch unit such as Count or Bytes", parameters["unit"]);
  return unit;
}

const knownOfMetric = ["id", "namespace", "metricName", "statistic", "period", "dimensions", "unit", "account"];
const knownOfExpression = ["id", "expression"];

/** A call takes 500 queries; one of them is the expression itself. */
const limit = 499;

interface Place {
  readonly id: string;
  /** Before a field's name in messages: "queries[1].". */
  readonly path: string;
  readonly defaults: Defaults;
}

/** The `queries` that an expression names. Throws a Fault "badEntry" that names the field: "queries[1].statistic". */
export function parseParts(queries: unknown, defaults: Defaults): readonly MetricDataQuery[] {
  if (!Array.isArray(queries) || queries.length > limit) {
    throw badParameter("queries", `a list of at most ${limit} objects (it can only stand in a SOURCE entry)`, queries);
  }
  const ids = new Set<string>();
  return queries.map((query: unknown, index) => {
    const path = `queries[${index}].`;
    if (!isRecord(query)) throw badParameter(`queries[${index}]`, "an object", query);
    const id = requiredText(query, "id", { ...idForm, path });
    if (ids.has(id)) throw badParameter(`${path}id`, "an id of its own", id);
    ids.add(id);
    const part = has(query, "expression") ? expressionPart : metricPart;
    return part(query, { id, path, defaults });
  });
}

function expressionPart(query: Parameters, { id, path, defaults }: Place): MetricDataQuery {
  rejectUnknown(query, knownOfExpression, path);
  const expression = requiredText(query, "expression", { ...expressionForm, path });
  return { Id: id, Expression: expression, Period: defaults.periodSeconds, ReturnData: false };
}

function metricPart(query: Parameters, { id, path, defaults }: Place): MetricDataQuery {
  rejectUnknown(query, knownOfMetric, path);
  const namespace = optionalText(query, "namespace", { ...namespaceForm, path }) ?? defaults.namespace;
  if (namespace === undefined) throw badParameter(`${path}namespace`, namespaceForm.expected, undefined);
  return {
    Id: id,
    MetricStat: {
      Metric: {
        Namespace: namespace,
        MetricName: requiredText(query, "metricName", { ...metricNameForm, path }),
        Dimensions: [...partDimensions(query, defaults.dimensions, path)],
      },
      Period: partPeriod(query, path, defaults.periodSeconds),
      Stat: optionalText(query, "statistic", { ...statisticForm, path }) ?? defaults.statistic,
      ...present("Unit", unitOf(query, path)),
    },
    ...present("AccountId", optionalText(query, "account", { ...accountForm, path }) ?? defaults.account),
    ReturnData: false,
  };
}

/** The window is aligned to the whole query's period, so a part's must divide it or its last datapoint would be incomplete. */
function partPeriod(query: Parameters, path: string, whole: number): number {
  const period = wholeNumber(query, "period", { ...periodForm(whole), path });
  if (whole % period === 0) return period;
  throw badParameter(`${path}period`, `a divisor of the query's period ${whole}`, query["period"]);
}
