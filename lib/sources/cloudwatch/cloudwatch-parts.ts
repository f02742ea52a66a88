import { present } from "../../k8s/map";
import type { MetricDataQuery, Dimension } from "@aws-sdk/client-cloudwatch";
import type { Values } from "../fields/field";
import { requiredText } from "../fields/read-fields";
import { badParameter } from "../parameters";
import { cloudwatchFields } from "./fields";

export type CloudWatchParameters = Values<typeof cloudwatchFields>;
type Query = NonNullable<CloudWatchParameters["queries"]>[number];

/** What the parts of a query take from the whole query unless they set it themselves. */
export interface Defaults extends Pick<CloudWatchParameters, "namespace" | "account"> {
  readonly periodSeconds: number;
  readonly statistic: string;
  readonly dimensions: Readonly<Record<string, string>>;
}

/** The `queries` that an expression names. Throws a Fault "badEntry" that names the field: "queries[1].period". */
export function parseParts(queries: readonly Query[], defaults: Defaults): readonly MetricDataQuery[] {
  const ids = new Set<string>();
  return queries.map((query, index) => {
    const path = `queries[${index}].`;
    const { id = "" } = query;
    if (ids.has(id)) throw badParameter(`${path}id`, "an id that no other query has", id);
    ids.add(id);
    return query.expression === undefined ? metricPart(query, path, defaults) : expressionPart(query, path, defaults);
  });
}

function expressionPart(query: Query, path: string, { periodSeconds }: Defaults): MetricDataQuery {
  const { id, expression, ...others } = query;
  const [other] = Object.entries(others);
  if (other !== undefined)
    throw badParameter(`${path}${other[0]}`, "nothing beside an expression except its id", other[1]);
  return { Id: id, Expression: expression, Period: periodSeconds, ReturnData: false };
}

function metricPart(query: Query, path: string, defaults: Defaults): MetricDataQuery {
  const { namespace = defaults.namespace, account = defaults.account } = query;
  return {
    Id: query.id,
    MetricStat: {
      Metric: {
        Namespace: requiredText(cloudwatchFields, { ...present({ namespace }) }, "namespace", path),
        MetricName: requiredText(cloudwatchFields, query, "metricName", path),
        Dimensions: dimensionsOf({ ...defaults.dimensions, ...query.dimensions }),
      },
      Period: partPeriod(query, path, defaults.periodSeconds),
      Stat: query.statistic ?? defaults.statistic,
      ...present({ Unit: query.unit }),
    },
    ...present({ AccountId: account }),
    ReturnData: false,
  };
}

/** The window is aligned to the query's period. A part's must divide it, or its last datapoint would be incomplete. */
function partPeriod({ period }: Query, path: string, whole: number): number {
  if (period === undefined || whole % period === 0) return period ?? whole;
  throw badParameter(`${path}period`, `a divisor of the query's period ${whole}`, period);
}

/** CloudWatch's limit for one metric. */
const limit = 30;

/** In CloudWatch's form. They are sorted, so that equal queries compare as equal. */
export function dimensionsOf(texts: Readonly<Record<string, string>>): Dimension[] {
  const values = Object.entries(texts);
  if (values.length > limit) throw badParameter("dimensions", `at most ${limit} dimensions`, values.length);
  return values.sort(([a], [b]) => (a < b ? -1 : 1)).map(([Name, Value]) => ({ Name, Value }));
}
