import { billOf } from "../../cli/cost/bill";
import type { Load } from "../../cli/cost/plan";
import { plannedBy } from "../../cli/cost/planned";
import { monthSeconds, prices } from "../../lib/model/prices";
import type { Outcome } from "./system";

export const drivers = [
  "read queues",
  "find their URLs",
  "load entries and states",
  "run sync",
  "write",
  "other",
] as const;
export type Dollars = Readonly<Record<(typeof drivers)[number], number>>;

/** Of a receive, a delete and a tenth of a send. */
const requestsPerMessage = 2.1;
const logGb = 1.2e-6;

/** What the requests of a simulation cost in a month, at the prices of `ebb cost`. */
export function dollarsOf({ requests, used, seconds }: Outcome): Dollars {
  const month = monthSeconds / seconds;
  const { sqs, dynamodb, lambda, cloudwatch } = prices;
  return {
    "read queues": (requests["sqs GetQueueAttributes"] ?? 0) * sqs.request * month,
    "find their URLs": (requests["sqs GetQueueUrl"] ?? 0) * sqs.request * month,
    "load entries and states": used.reads * dynamodb.read * month,
    "run sync": (used.gbSeconds * lambda.gbSecond + used.invocations * lambda.request) * month,
    write: used.writes * dynamodb.write * month,
    other: (used.received * requestsPerMessage * sqs.request + used.invocations * logGb * cloudwatch.logGb) * month,
  };
}

/** The same drivers, as `ebb cost --hpas … --clusters …` estimates them. */
export function estimated(hpas: number, clusters: number, load: Load, syncMemory: number): Dollars {
  const lines = billOf(plannedBy({ hpas: String(hpas), clusters: String(clusters) }, syncMemory));
  const of = (...names: readonly string[]) =>
    lines.filter(({ what }) => names.some((name) => what.startsWith(name))).reduce((sum, line) => sum + line[load], 0);
  const known = {
    "read queues": of("read sqs"),
    "find their URLs": 0,
    "load entries and states": of("load entries"),
    "run sync": of("run sync"),
    write: of("write values", "write shards"),
  };
  const all = lines.reduce((sum, line) => sum + line[load], 0);
  return { ...known, other: all - Object.values(known).reduce((sum, value) => sum + value, 0) };
}
