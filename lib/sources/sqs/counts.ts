import { shown } from "../../model/check/problem";
import { Fault } from "../../model/fault";
import type { SqsQuery } from "./sqs-query";

const visible = "ApproximateNumberOfMessages";
const inFlight = "ApproximateNumberOfMessagesNotVisible";
const delayed = "ApproximateNumberOfMessagesDelayed";

export const countNames = [visible, inFlight, delayed] as const;

/** One request reads all three at the same price, so queries share it. */
export type QueueAttributes = Readonly<Record<string, string>>;

/** A missing or malformed count is unknown, never 0. */
export function lengthOf(attributes: QueueAttributes, query: SqsQuery, description: string): bigint {
  const counted = [visible, ...(query.includeInFlight ? [inFlight] : []), ...(query.includeDelayed ? [delayed] : [])];
  const counts = counted.map((name) => {
    const count: unknown = attributes[name];
    if (typeof count === "string" && /^\d{1,15}$/.test(count)) return BigInt(count);
    throw new Fault("badAnswer", `${description}: expected a number for ${name}, got ${shown(count)}`);
  });
  return counts.reduce((sum, count) => sum + count, 0n);
}

interface Counted {
  readonly count: bigint;
  readonly certain: bigint;
}

export function certainLength(queues: readonly Counted[], { measure }: SqsQuery): { readonly certain?: string } {
  const certain = queues.reduce((sum, queue) => sum + queue.certain, 0n);
  const isAll = queues.every((queue) => queue.certain === queue.count);
  if (measure === "age") return isAll || certain > 0n ? {} : { certain: "0" };
  return isAll ? {} : { certain: String(certain) };
}
