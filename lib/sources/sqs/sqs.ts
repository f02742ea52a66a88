import { GetQueueAttributesCommand, GetQueueUrlCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { Fault, isFault } from "../../model/fault";
import { asFault } from "../../aws/fault";
import { callAws } from "../../aws/call";
import { mapBounded } from "../../async/limit";
import type { MetricSource, Reading } from "../metric-source";
import { shown } from "../parameters";
import type { QueueAddress, SqsQuery } from "./sqs-query";
import { regionOf } from "../../aws/clients";
import { parseSqsQuery } from "./sqs-query";

/** Requests under way at once. SQS allows far more; this bounds sockets and memory of a function. */
const concurrency = 16;

const visible = "ApproximateNumberOfMessages";
const inFlight = "ApproximateNumberOfMessagesNotVisible";
const delayed = "ApproximateNumberOfMessagesDelayed";

/** All three cost what one costs, so queries that differ only in what they include share one request. */
type Attributes = Readonly<Record<string, string>>;

interface Queue {
  readonly client: SQSClient;
  readonly address: QueueAddress;
  /** `queue "orders" in eu-west-1`, as messages name it. */
  readonly asked: string;
  readonly region: string;
  /** Equal for equal addresses. */
  readonly key: string;
}

/** What one read has asked so far, by queue: each distinct answer is asked for once and shared. Faults are data here. */
interface Asked {
  readonly urls: Map<string, Promise<string | Fault>>;
  readonly attributes: Map<string, Promise<Attributes | Fault>>;
}

/**
 * Queue lengths: visible + in flight (+ delayed) messages. One GetQueueAttributes for each distinct queue of a read. The URL of a
 * queue's name is a fact of configuration, not a value, so it is kept for the process until the queue turns out to be gone.
 */
export function openSqsSource(clientOf: (region?: string) => SQSClient): MetricSource {
  const knownUrls = new Map<string, string>();
  return {
    keepMs: () => 0,
    read(queries, now, signal) {
      const asked: Asked = { urls: new Map(), attributes: new Map() };
      const timestamp = new Date(now).toISOString();
      return mapBounded(queries, concurrency, async ({ metricName, parameters }): Promise<Reading> => {
        try {
          const query = parseSqsQuery({ metricName, parameters });
          const queue = await queueOf(query.address, clientOf);
          const value = lengthOf(await attributesOf({ queue, asked, knownUrls, signal }), query, queue.asked);
          return { items: [{ metricName, metricLabels: { queue: query.address.name }, timestamp, value }] };
        } catch (error) {
          return { error: asFault(error).message, from: "sqs" };
        }
      });
    },
  };
}

async function queueOf(address: QueueAddress, clientOf: (region?: string) => SQSClient): Promise<Queue> {
  const client = clientOf(address.region);
  const region = await regionOf(client);
  const owner = address.account === undefined ? "" : ` of ${address.account}`;
  const key = [region, address.account ?? "", address.name, address.url ?? ""].join(" ");
  return { client, address, asked: `queue ${shown(address.name)}${owner} in ${region}`, region, key };
}

/** The name, the ARN and the URL of a queue are one queue: answers are shared by region and the URL's path. */
async function attributesOf(given: {
  readonly queue: Queue;
  readonly asked: Asked;
  readonly knownUrls: Map<string, string>;
  readonly signal: AbortSignal;
}): Promise<Attributes> {
  const { queue, asked, knownUrls, signal } = given;
  const knownUrl = queue.address.url ?? knownUrls.get(queue.key);
  const url = knownUrl ?? (await once(asked.urls, queue.key, () => findUrl(queue, signal)));
  if (queue.address.url === undefined) knownUrls.set(queue.key, url);
  try {
    const path = `${queue.region} ${new URL(url).pathname}`;
    return await once(asked.attributes, path, () => getAttributes(queue, url, signal));
  } catch (error) {
    if (isFault(error, "notFound")) knownUrls.delete(queue.key);
    throw error;
  }
}

async function once<Answer>(
  answers: Map<string, Promise<Answer | Fault>>,
  key: string,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const asking = answers.get(key) ?? ask().catch(asFault);
  answers.set(key, asking);
  const answer = await asking;
  if (answer instanceof Fault) throw answer;
  return answer;
}

async function getAttributes({ client, asked }: Queue, url: string, signal: AbortSignal): Promise<Attributes> {
  const input = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: [visible, inFlight, delayed] });
  const call = { action: "sqs:GetQueueAttributes", asked, signal };
  const { Attributes } = await callAws(call, (abortSignal) => client.send(input, { abortSignal }));
  return Attributes ?? {};
}

async function findUrl({ client, address, asked }: Queue, signal: AbortSignal): Promise<string> {
  const owner = address.account === undefined ? {} : { QueueOwnerAWSAccountId: address.account };
  const input = new GetQueueUrlCommand({ QueueName: address.name, ...owner });
  const call = { action: "sqs:GetQueueUrl", asked, signal };
  const { QueueUrl: url } = await callAws(call, (abortSignal) => client.send(input, { abortSignal }));
  if (typeof url === "string" && URL.canParse(url)) return url;
  throw new Fault("badAnswer", `${asked}: expected a URL from sqs:GetQueueUrl, got ${shown(url)}`);
}

/** Whole messages, as a quantity. A count that is missing or no number is unknown, never 0. */
function lengthOf(attributes: Attributes, query: SqsQuery, asked: string): string {
  const counted = [visible, ...(query.includeInFlight ? [inFlight] : []), ...(query.includeDelayed ? [delayed] : [])];
  const counts = counted.map((name) => {
    const count: unknown = attributes[name];
    if (typeof count === "string" && /^\d{1,15}$/.test(count)) return Number(count);
    throw new Fault("badAnswer", `${asked}: expected a number for ${name}, got ${shown(count)}`);
  });
  return String(counts.reduce((sum, count) => sum + count, 0));
}
