import { isMap } from "../../k8s/map";
import { shown } from "../../model/check/problem";
import { Fault } from "../../model/fault";
import type { Measure, Operation } from "./fields";

type Map = Readonly<Record<string, unknown>>;

/** Members are absent while the server has no statistics. */
export type RabbitmqQueue = Map & { readonly name: string };

/** The fields that `measureOf` reads. */
export const columns = [
  ...["name", "type", "state", "messages", "messages_ready", "messages_details.rate"],
  ...["message_stats.publish_details.rate", "message_stats.deliver_get_details.rate"],
];

export interface QueuePage {
  readonly queues: readonly RabbitmqQueue[];
  readonly pages: number;
  readonly count: number;
}

/** @throws Fault "badAnswer". */
export function readQueue(document: unknown): RabbitmqQueue {
  if (!isMap(document) || typeof document["name"] !== "string")
    throw new Fault("badAnswer", `expected a queue, got ${shown(document)}`);
  return document as RabbitmqQueue;
}

/** @throws Fault "badAnswer". */
export function readPage(document: unknown): QueuePage {
  const { items, page_count: pages, filtered_count: count } = isMap(document) ? document : {};
  if (!Array.isArray(items) || !isCount(pages) || !isCount(count))
    throw new Fault("badAnswer", `expected a page of queues, got ${shown(document)}`);
  return { queues: items.map(readQueue), pages, count };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

const notServing = new Set(["down", "crashed", "stopped", "terminated", "minority"]);

/** @throws Fault "badAnswer" if the server does not know it. */
export function measureOf(queue: RabbitmqQueue, measure: Measure): number {
  const of = `queue ${shown(queue.name)}`;
  const { state, type } = queue;
  if (typeof state === "string" && notServing.has(state)) throw new Fault("badAnswer", `${of} is ${state}`);
  const isLength = measure === "messages" || measure === "ready";
  if (isLength && type === "stream")
    throw new Fault("badAnswer", `${of} is a stream, which keeps what was consumed: its length is no backlog`);
  const value = isLength ? queue[measure === "ready" ? "messages_ready" : "messages"] : rateOf(queue, measure);
  if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value;
  if (value === undefined) throw new Fault("badAnswer", `the answer has no ${measure} of ${of} (yet)`);
  throw new Fault("badAnswer", `expected a number as ${measure} of ${of}, got ${shown(value)}`);
}

/** The server omits a rate that was never above 0. Undefined: it has no rates at all. */
function rateOf(queue: RabbitmqQueue, measure: "publishRate" | "deliverRate"): unknown {
  const counter = measure === "publishRate" ? "publish_details" : "deliver_get_details";
  return (
    at(queue, "message_stats", counter, "rate") ?? (at(queue, "messages_details", "rate") === undefined ? undefined : 0)
  );
}

function at(document: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((within, name) => (isMap(within) ? within[name] : undefined), document);
}

/** `values` is not empty. */
export function combineQueues(values: readonly number[], operation: Operation): number {
  if (operation === "max") return values.reduce((highest, value) => Math.max(highest, value), 0);
  const sum = values.reduce((total, value) => total + value, 0);
  return operation === "avg" ? sum / values.length : sum;
}
