import { isFault } from "../../lib/api/errors";
import type { MetricSpec } from "../../lib/api/hpa";
import { parseQuantity, QuantityError } from "../../lib/api/quantity";
import { parseSqsQuery } from "../../lib/metrics/sqs-query";
import { failure } from "../failure";

export interface QueueOptions {
  /** A queue's name, URL or ARN. */
  readonly sqs: string;
  /** How many messages one pod is to have. */
  readonly perReplica?: string;
  readonly queueRegion?: string;
}

/** One replica for each so many messages of a queue. @throws Failure that names the option */
export function queueMetric({ sqs, perReplica, queueRegion }: QueueOptions): MetricSpec {
  if (perReplica === undefined)
    throw failure("--sqs needs --per-replica N: how many messages one replica is to have", 2);
  const region = queueRegion === undefined ? {} : { region: queueRegion };
  // A label's value can hold no URL, so that what it says is written in parts.
  const { address } = parsed({ queue: sqs, ...region });
  const matchLabels = {
    queue: address.name,
    ...(address.region !== undefined && { region: address.region }),
    ...(address.account !== undefined && { account: address.account }),
  };
  const target = { type: "AverageValue", averageValue: messages(perReplica) };
  return { type: "External", external: { metric: { name: "sqs", selector: { matchLabels } }, target } };
}

function parsed(parameters: Readonly<Record<string, string>>): ReturnType<typeof parseSqsQuery> {
  try {
    return parseSqsQuery({ metricName: "sqs", parameters });
  } catch (error) {
    if (isFault(error, "badEntry")) throw failure(`--sqs: ${error.message}`, 2);
    throw error;
  }
}

function messages(given: string): string {
  try {
    parseQuantity(given);
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
    throw failure(`--per-replica: expected a number of messages such as 5, got "${given}"`, 2);
  }
  return given;
}
