import type { SourceQuery } from "../../model/ports/sources";
import type { BilledRead } from "../billed";
import { parseCloudWatchQuery } from "./cloudwatch-query";

/** Each metric of a request costs, so an expression costs as much as the metrics that it names. */
export function billedByAws(query: SourceQuery): readonly BilledRead[] {
  const { region, periodSeconds, parts } = parseCloudWatchQuery(query);
  const metric = {
    ...({ what: "metric", unit: "CloudWatch metric", keptSeconds: periodSeconds } as const),
    loweredBy: "a longer period of the metric (parameter period)",
  };
  const keyOf = (index: number) => JSON.stringify([region, parts, index]);
  const named = parts.filter(({ MetricStat }) => MetricStat !== undefined);
  // A SEARCH or SELECT alone: CloudWatch bills what it finds.
  if (named.length === 0) return [{ ...metric, key: keyOf(0), isLeast: true }];
  return named.map((_, index) => ({ ...metric, key: keyOf(index) }));
}
