import type { MetricSpec, MetricTarget } from "../../../lib/k8s/hpa";
import { present } from "../../../lib/k8s/map";
import { QuantityError, parseQuantity } from "../../../lib/k8s/quantity";
import { isFault } from "../../../lib/model/fault";
import { parseOneQueue } from "../../../lib/sources/sqs/sqs-query";
import { failure } from "../../shell/failure";

export interface QueueOptions {
  /** Name, URL or ARN. */
  readonly sqs: string;
  /** Messages for each pod. */
  readonly perReplica?: string;
  readonly queueRegion?: string;
}

/** @throws Failure */
export function queueMetric({ sqs, perReplica, queueRegion }: QueueOptions): MetricSpec {
  if (perReplica === undefined) throw failure("--sqs needs --per-replica N, the number of messages for each replica");
  const region = queueRegion === undefined ? {} : { region: queueRegion };
  // A label's value cannot hold a URL.
  const address = parsed({ queue: sqs, ...region });
  const matchLabels = {
    queue: address.name,
    ...present({ region: address.region, account: address.account }),
  };
  const target = { type: "AverageValue", averageValue: messages(perReplica) };
  return { type: "External", external: { metric: { name: "sqs", selector: { matchLabels } }, target } };
}

function parsed(parameters: Readonly<Record<string, string>>): ReturnType<typeof parseOneQueue> {
  try {
    return parseOneQueue({ parameters });
  } catch (error) {
    if (isFault(error, "badEntry")) throw failure(`--sqs: ${error.message}`);
    throw error;
  }
}

function messages(given: string): string {
  try {
    parseQuantity(given);
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
    throw failure(`--per-replica: expected a number of messages such as 5, got "${given}"`);
  }
  return given;
}

/** kubectl's defaults. */
const units = { cpu: "m", memory: "Mi" } as const;

/**
 * `given`: "70%" of the pods' requests, or a quantity for each pod ("500m", "200Mi", a bare 500). Upstream:
 * parseResourceInput of kubectl's autoscale.go. @throws Failure in kubectl's words
 */
export function resourceMetric(name: keyof typeof units, given: string): MetricSpec {
  return { type: "Resource", resource: { name, target: targetOf(name, given.trim()) } };
}

function targetOf(name: keyof typeof units, given: string): MetricTarget {
  if (given === "") throw failure("empty input");
  if (given.endsWith("%")) return { type: "Utilization", averageUtilization: percentage(given.slice(0, -1)) };
  const quantity = bareNumber.test(given) ? `${Number(given)}${units[name]}` : given;
  try {
    parseQuantity(quantity);
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
    throw failure(`invalid resource ${name} value: ${given}`);
  }
  return { type: "AverageValue", averageValue: quantity };
}

const bareNumber = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

function percentage(given: string): number {
  const value = /^\+?\d+$/.test(given) ? Number(given) : NaN;
  if (!(value < 2 ** 31)) throw failure(`invalid percentage value: ${given}`);
  return value;
}
