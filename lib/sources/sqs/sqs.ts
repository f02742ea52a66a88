import { openLane, type Lane } from "../../async/lane";
import { once } from "../../async/shared";
import { callAws } from "../../aws/call";
import { regionOf } from "../../aws/clients";
import { asFault } from "../../aws/fault";
import { GetQueueAttributesCommand, GetQueueUrlCommand, type SqsClient } from "../../aws/sqs-commands";
import { Fault, isFault } from "../../model/fault";
import type { MetricSource } from "../../model/ports";
import { shown } from "../../model/check/problem";
import type { SourceOptions } from "../source-options";
import { parseSqsQuery, type QueueAddress, type SqsQuery } from "./sqs-query";

/** Concurrent requests to one region. SQS allows far more; this bounds a function's sockets and memory. */
export const sqsConcurrency = 32;

const visible = "ApproximateNumberOfMessages";
const inFlight = "ApproximateNumberOfMessagesNotVisible";
const delayed = "ApproximateNumberOfMessagesDelayed";

/** Reading all three costs the same as one, so queries that differ only in what they include share a request. */
type Attributes = Readonly<Record<string, string>>;

interface Queue {
  readonly client: SqsClient;
  readonly address: QueueAddress;
  /** `queue "orders" in eu-west-1`, as messages name it. */
  readonly asked: string;
  readonly region: string;
  readonly lane: Lane;
  readonly limitMs: number;
  readonly rank: number;
  /** Equal for equal addresses. */
  readonly key: string;
}

/**
 * Queue lengths: visible + in flight (+ delayed) messages, by one GetQueueAttributes for each distinct queue of a turn.
 * A queue's URL is configuration, not a value: the process keeps it until the queue turns out to be gone.
 */
export function openSqsSource(
  clientOf: (region?: string) => SqsClient,
  { now = () => Date.now(), limitMs = 10_000 }: SourceOptions = {},
): MetricSource {
  const knownUrls = new Map<string, string>();
  const lanes = new Map<string, Lane>();

  function laneOf(region: string): Lane {
    const lane = lanes.get(region) ?? openLane({ endpoint: `SQS in ${region}`, limit: sqsConcurrency, now });
    lanes.set(region, lane);
    return lane;
  }

  async function queueOf(address: QueueAddress, rank: number): Promise<Queue> {
    const client = clientOf(address.region);
    const region = await regionOf(client);
    const owner = address.account === undefined ? "" : ` of ${address.account}`;
    const key = [region, address.account ?? "", address.name, address.url ?? ""].join(" ");
    const asked = `queue ${shown(address.name)}${owner} in ${region}`;
    return { client, address, asked, region, lane: laneOf(region), limitMs, rank, key };
  }

  return {
    keepMs: () => 0,
    open({ now: at, signal }) {
      const timestamp = new Date(at).toISOString();
      const urls = once<string>();
      const attributes = once<Attributes>();

      /** The name, the ARN and the URL of a queue are one queue: answers are shared by region and the URL's path. */
      async function attributesOf(queue: Queue): Promise<Attributes> {
        const known = queue.address.url ?? knownUrls.get(queue.key);
        const url = known ?? (await urls(queue.key, () => findUrl(queue, signal)));
        if (queue.address.url === undefined) knownUrls.set(queue.key, url);
        const id = `${queue.region} ${new URL(url).pathname}`;
        try {
          return await attributes(id, () => getAttributes(queue, { url, id }, signal));
        } catch (error) {
          if (isFault(error, "notFound")) knownUrls.delete(queue.key);
          throw error;
        }
      }

      return {
        async read({ metricName, parameters, rank = 0 }) {
          try {
            const query = parseSqsQuery({ metricName, parameters });
            const queue = await queueOf(query.address, rank);
            const value = lengthOf(await attributesOf(queue), query, queue.asked);
            return { items: [{ metricName, metricLabels: { queue: query.address.name }, timestamp, value }] };
          } catch (error) {
            return { error: asFault(error).message, from: "sqs" };
          }
        },
      };
    },
  };
}

async function getAttributes(
  { client, asked, lane, limitMs, rank }: Queue,
  { url, id }: { readonly url: string; readonly id: string },
  signal: AbortSignal,
): Promise<Attributes> {
  const input = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: [visible, inFlight, delayed] });
  const call = { action: "sqs:GetQueueAttributes", asked, signal, lane, id, limitMs, rank };
  const { Attributes } = await callAws(call, (abortSignal) => client.send(input, { abortSignal }));
  return Attributes ?? {};
}

async function findUrl(
  { client, address, asked, lane, limitMs, rank, key }: Queue,
  signal: AbortSignal,
): Promise<string> {
  const owner = address.account === undefined ? {} : { QueueOwnerAWSAccountId: address.account };
  const input = new GetQueueUrlCommand({ QueueName: address.name, ...owner });
  const call = { action: "sqs:GetQueueUrl", asked, signal, lane, id: key, limitMs, rank };
  const { QueueUrl: url } = await callAws(call, (abortSignal) => client.send(input, { abortSignal }));
  if (typeof url === "string" && URL.canParse(url)) return url;
  throw new Fault("badAnswer", `${asked}: expected a URL from sqs:GetQueueUrl, got ${shown(url)}`);
}

/** Whole messages, as a quantity. A missing or malformed count is unknown, never 0. */
function lengthOf(attributes: Attributes, query: SqsQuery, asked: string): string {
  const counted = [visible, ...(query.includeInFlight ? [inFlight] : []), ...(query.includeDelayed ? [delayed] : [])];
  const counts = counted.map((name) => {
    const count: unknown = attributes[name];
    if (typeof count === "string" && /^\d{1,15}$/.test(count)) return Number(count);
    throw new Fault("badAnswer", `${asked}: expected a number for ${name}, got ${shown(count)}`);
  });
  return String(counts.reduce((sum, count) => sum + count, 0));
}
