import type { MetricDataQuery } from "@aws-sdk/client-cloudwatch";
import {
  namespaceForm,
  metricNameForm,
  expressionForm,
  idForm,
  statisticForm,
  accountForm,
} from "../api/parameter-forms";
import { periodForm, unitOf } from "./cloudwatch-forms";
import type { Defaults } from "./cloudwatch-query";
import { partDimensions } from "./dimensions";
import {
  badParameter,
  has,
  isRecord,
  optionalText,
  type Parameters,
  present,
  rejectUnknown,
  requiredText,
  wholeNumber,
} from "./parameters";

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
