import { billOf } from "../cli/understand/cost/bill";
import type { Load } from "../cli/understand/cost/plan";
import { plannedBy } from "../cli/understand/cost/plan-of-table";
import { monthSeconds, prices } from "../lib/model/prices";
import type { Outcome } from "./system";

export const drivers = [
  "read queues",
  "read metrics",
  "load entries and states",
  "run sync",
  "write",
  "messages and logs",
] as const;
export type Dollars = Readonly<Record<(typeof drivers)[number], number>>;

/** Of a receive, a delete and a tenth of a send. */
const requestsPerMessage = 2.1;
const logGb = 1.2e-6;

/**
 * What the requests of a simulation's last minute cost in a month, at the prices of `ebb cost`. Without the few that
 * each process sends for the URLs of queues.
 */
export function dollarsOf({ lastMinute: { requests, used } }: Pick<Outcome, "lastMinute">): Dollars {
  const month = monthSeconds / 60;
  const { sqs, dynamodb, lambda, cloudwatch } = prices;
  return {
    "read queues": (requests["sqs GetQueueAttributes"] ?? 0) * sqs.request * month,
    "read metrics": used.metrics * cloudwatch.readMetric * month,
    "load entries and states": used.reads * dynamodb.read * month,
    "run sync": (used.gbSeconds * lambda.gbSecond + used.invocations * lambda.request) * month,
    write: used.writes * dynamodb.write * month,
    "messages and logs":
      (used.received * requestsPerMessage * sqs.request + used.invocations * logGb * cloudwatch.logGb) * month,
  };
}

/** The same drivers, as `ebb cost --hpas … --clusters …` estimates them. */
export function estimated(hpas: number, clusters: number, load: Load, syncMemory: number): Dollars {
  const lines = billOf(plannedBy({ hpas: String(hpas), clusters: String(clusters) }, syncMemory));
  const of = (...names: readonly string[]) =>
    lines.filter(({ what }) => names.some((name) => what.startsWith(name))).reduce((sum, line) => sum + line[load], 0);
  return {
    "read queues": of("read sqs"),
    "read metrics": of("read cloudwatch"),
    "load entries and states": of("load entries"),
    "run sync": of("run sync"),
    write: of("write values", "write shards"),
    "messages and logs": of("messages of slots", "logs"),
  };
}
