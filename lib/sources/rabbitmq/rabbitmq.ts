import { once } from "../../async/shared";
import { Fault, isFault, rephrased } from "../../model/fault";
import type { MetricSource, ReadContext } from "../../model/ports/sources";
import { badAnswer, asReading, jsonIn } from "../network/as-reading";
import type { SourceNetwork } from "../network/network";
import { openWebClient } from "../network/web-client";
import { badParameter, quantityOf } from "../parameters";
import { parseRabbitmqQuery, type RabbitmqQuery, type Measure, type Operation } from "./rabbitmq-query";
import { isMap } from "../../k8s/map";
import { shown } from "../../model/check/problem";

type Map = Readonly<Record<string, unknown>>;

/** Members are absent while the server has no statistics. */
type RabbitmqQueue = Map & { readonly name: string };

const columns = [
  ...["name", "type", "state", "messages", "messages_ready", "messages_details.rate"],
  ...["message_stats.publish_details.rate", "message_stats.deliver_get_details.rate"],
];

interface QueuePage {
  readonly queues: readonly RabbitmqQueue[];
  readonly pages: number;
  readonly count: number;
}

const notServing = new Set(["down", "crashed", "stopped", "terminated", "minority"]);

/** The server's limit. */
const pageSize = 500;
const mostPages = 20;

/** Once for each path and slot. */
type FetchDocument = (query: RabbitmqQuery, path: string) => Promise<unknown>;

/** Metrics of one queue share its request. */
export function openRabbitmqSource(network: SourceNetwork): MetricSource {
  const fetch = openWebClient(network);

  return {
    keepMs: () => 0,
    open(context) {
      const documents = once<unknown>();
      return {
        read: (query) =>
          asReading("rabbitmq", query, context, async () => {
            const parsed = parseRabbitmqQuery(query, network.addresses);
            const fetchDocument: FetchDocument = (of, path) => {
              const failureKey = JSON.stringify([of.server, path]);
              return documents(failureKey, () => request(context, of, { path, failureKey, priority: query.priority }));
            };
            return [{ value: quantityOf(await valueOf(parsed, fetchDocument)), labels: {} }];
          }),
      };
    },
  };

  async function request(
    context: ReadContext,
    { server, description }: RabbitmqQuery,
    call: { readonly path: string; readonly failureKey: string; readonly priority: number | undefined },
  ): Promise<unknown> {
    const headers = { Accept: "application/json", "Accept-Encoding": "gzip", "User-Agent": "ebb" };
    const answer = await fetch(context, server, { method: "GET", headers, description, ...call });
    return answerOf(description, () => jsonIn(answer.body));
  }
}

async function valueOf(query: RabbitmqQuery, fetchDocument: FetchDocument): Promise<number> {
  const { of, measure, description, absent } = query;
  if ("queue" in of) {
    const queue = await oneQueue(query, of.queue, fetchDocument);
    if (queue !== undefined) return answerOf(description, () => measureOf(queue, measure));
  } else {
    const queues = await matching(query, of.pattern, fetchDocument);
    if (queues.length > 0)
      return answerOf(description, () =>
        combineQueues(
          queues.map((queue) => measureOf(queue, measure)),
          of.operation,
        ),
      );
  }
  if (absent !== undefined) return absent;
  throw new Fault("notFound", `${description}: there is no such queue; set absent if that means a number`);
}

/** Undefined: the virtual host has no such queue. */
async function oneQueue(
  query: RabbitmqQuery,
  name: string,
  fetchDocument: FetchDocument,
): Promise<RabbitmqQueue | undefined> {
  const { vhost, description } = query;
  try {
    const document = await fetchDocument(
      query,
      `${pathOf(vhost)}/${encodeURIComponent(name)}?columns=${columns.join()}`,
    );
    return answerOf(description, () => readQueue(document));
  } catch (error) {
    if (!isFault(error, "notFound")) throw error;
  }
  // A wrong address and an unknown virtual host have status 404, too. The list tells them apart.
  await page(query, "page=1&page_size=1&columns=name", fetchDocument);
  return undefined;
}

async function matching(
  query: RabbitmqQuery,
  pattern: string,
  fetchDocument: FetchDocument,
): Promise<readonly RabbitmqQueue[]> {
  const { description } = query;
  const search = `page_size=${pageSize}&use_regex=true&name=${encodeURIComponent(pattern)}&columns=${columns.join()}`;
  const found = new Map<string, RabbitmqQueue>();
  for (let number = 1; number <= mostPages; number += 1) {
    const { queues, pages, count } = await page(query, `page=${number}&${search}`, fetchDocument).catch(
      (error: unknown) => {
        throw number === 1 && isFault(error) && error.status === 400 ? refusedPattern(pattern) : error;
      },
    );
    for (const queue of queues) found.set(queue.name, queue);
    if (number < pages) continue;
    if (found.size === count) return [...found.values()];
    throw badAnswer(`${description}: expected ${count} queues, got ${found.size}: they changed while being read`);
  }
  throw badAnswer(`${description}: expected at most ${mostPages * pageSize} queues, got more`);
}

async function page(query: RabbitmqQuery, search: string, fetchDocument: FetchDocument): Promise<QueuePage> {
  const { vhost, description } = query;
  try {
    const document = await fetchDocument(query, `${pathOf(vhost)}?${search}`);
    return answerOf(description, () => readPage(document));
  } catch (error) {
    if (!isFault(error, "notFound")) throw error;
    throw new Fault(
      "notFound",
      `${description}: the server has no such virtual host, or no management API at this url`,
    );
  }
}

function refusedPattern(pattern: string): Fault {
  return badParameter("queues", "a regular expression that the server accepts", pattern);
}

function pathOf(vhost: string): string {
  return `/api/queues/${encodeURIComponent(vhost)}`;
}

function answerOf<T>(description: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw isFault(error) ? rephrased(error, `${description}: ${error.message}`) : error;
  }
}

/** @throws Fault "badAnswer". */
function readQueue(document: unknown): RabbitmqQueue {
  if (!isMap(document) || typeof document["name"] !== "string")
    throw badAnswer(`expected a queue, got ${shown(document)}`);
  return document as RabbitmqQueue;
}

/** @throws Fault "badAnswer". */
function readPage(document: unknown): QueuePage {
  const { items, page_count: pages, filtered_count: count } = isMap(document) ? document : {};
  if (!Array.isArray(items) || !isCount(pages) || !isCount(count))
    throw badAnswer(`expected a page of queues, got ${shown(document)}`);
  return { queues: items.map(readQueue), pages, count };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** @throws Fault "badAnswer" if the server does not know it. */
function measureOf(queue: RabbitmqQueue, measure: Measure): number {
  const of = `queue ${shown(queue.name)}`;
  const { state, type } = queue;
  if (typeof state === "string" && notServing.has(state)) throw badAnswer(`${of} is ${state}`);
  const isLength = measure === "messages" || measure === "ready";
  if (isLength && type === "stream")
    throw badAnswer(`${of} is a stream, which keeps what was consumed: its length is no backlog`);
  const value = isLength ? queue[measure === "ready" ? "messages_ready" : "messages"] : rateOf(queue, measure);
  if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value;
  if (value === undefined) throw badAnswer(`the answer has no ${measure} of ${of} (yet)`);
  throw badAnswer(`expected a number as ${measure} of ${of}, got ${shown(value)}`);
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

function combineQueues(values: readonly number[], operation: Operation): number {
  if (operation === "max") return values.reduce((highest, value) => Math.max(highest, value), 0);
  const sum = values.reduce((total, value) => total + value, 0);
  return operation === "avg" ? sum / values.length : sum;
}
