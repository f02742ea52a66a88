import { BoundedMap } from "../../async/bounded-map";
import { openEndpointLimiter, type EndpointLimiter } from "../../async/endpoint-limiter";
import { once } from "../../async/shared";
import { callAws } from "../../aws/call";
import { regionOf } from "../../aws/clients";
import { asFault } from "../../aws/fault";
import { perRegion } from "../../aws/sdk/bounded-answers";
import { GetQueueAttributesCommand, GetQueueUrlCommand, type SqsClient } from "../../aws/http/sqs-commands";
import { Fault, isFault } from "../../model/fault";
import type { MetricSource, SourceQuery, SourceReader } from "../../model/ports/sources";
import { shown } from "../../model/check/problem";
import type { SourceOptions } from "../kind";
import {
  type QueueAttributes,
  certainLength,
  countNames,
  lengthOf,
  agePeriodMs,
  parseSqsQuery,
  type QueueAddress,
  type Queues,
  type SqsQuery,
} from "./sqs-query";
import { listQueues, type ListedQueue } from "./list-queues";
import { badAnswer } from "../network/as-reading";

/** SQS allows far more; this bounds a function's sockets and memory. */
export const sqsConcurrency = 32;

interface CountedQueue {
  /** Equal for all names of a queue. */
  readonly id: string;
  readonly name: string;
  readonly region: string;
  readonly description: string;
  readonly count: bigint;
  /** Without those in flight: SQS counts some in queues that never had a message (kedacore/keda#7845). */
  readonly certain: bigint;
}

interface Queue {
  readonly client: SqsClient;
  readonly address: QueueAddress;
  readonly description: string;
  readonly region: string;
  readonly limiter: EndpointLimiter;
  readonly limitMs: number;
  readonly priority: number;
  readonly key: string;
}

export interface SqsOptions extends SourceOptions {
  readonly mostUrls?: number;
  readonly ages?: MetricSource;
}

/**
 * Visible + in flight (+ delayed) messages: one GetQueueAttributes for each queue of a run, one list for each prefix.
 * Queue URLs are cached until a queue is gone.
 */
export function openSqsSource(
  clientOf: (region?: string) => SqsClient,
  { now = () => Date.now(), limitMs = 10_000, mostUrls = 10_000, ages }: SqsOptions = {},
): MetricSource {
  const knownUrls = new BoundedMap<string, string>(mostUrls);
  /** An account's queues in a region have URLs that differ by name only. */
  const roots = new BoundedMap<string, string>(mostUrls);
  const limiterOf = perRegion((region) =>
    openEndpointLimiter({ endpoint: `SQS in ${region}`, limit: sqsConcurrency, now }),
  );

  async function queueOf(address: QueueAddress, priority: number): Promise<Queue> {
    const client = clientOf(address.region);
    const region = await regionOf(client);
    const owner = address.account === undefined ? "" : ` of ${address.account}`;
    const key = [region, address.account ?? "", address.name, address.url ?? ""].join(" ");
    const description = `queue ${shown(address.name)}${owner} in ${region}`;
    return { client, address, description, region, limiter: limiterOf(region), limitMs, priority, key };
  }

  return {
    keepMs: ({ parameters }) => (parameters["measure"] === "age" ? agePeriodMs : 0),
    open(context) {
      const { now: at, signal } = context;
      let reader: SourceReader | undefined;
      const timestamp = new Date(at).toISOString();
      const urls = once<string>();
      const attributes = once<QueueAttributes>();
      const lists = once<readonly ListedQueue[]>();

      async function attributesAt(queue: Queue, url: string) {
        const id = `${queue.region} ${new URL(url).pathname}`;
        return { id, attributes: await attributes(id, () => getAttributes(queue, { url, id }, signal)) };
      }

      async function attributesOf(
        queue: Queue,
      ): Promise<{ readonly id: string; readonly attributes: QueueAttributes }> {
        const { address, key } = queue;
        const known = address.url ?? knownUrls.get(key);
        const url = known ?? (await urls(key, () => findUrl(queue, roots, signal)));
        if (address.url === undefined) knownUrls.set(key, url);
        try {
          return await attributesAt(queue, url);
        } catch (error) {
          if (!isFault(error, "notFound")) throw error;
          knownUrls.delete(key);
          roots.delete(rootKey(queue));
          if (known !== undefined) throw error;
          // SQS itself says where the queue is, or that it does not exist.
          const found = await urls(`${key} again`, () => findUrl(queue, roots, signal));
          if (found === url) throw error;
          knownUrls.set(key, found);
          return await attributesAt(queue, found);
        }
      }

      async function addressesOf(queues: Queues, priority: number): Promise<readonly QueueAddress[]> {
        if ("addresses" in queues) return queues.addresses;
        const client = clientOf(queues.region);
        const region = await regionOf(client);
        const { prefix } = queues;
        const limiter = limiterOf(region);
        const listed = await lists(`${region} ${prefix}`, () =>
          listQueues({ client, prefix, region, limiter, limitMs, priority, signal }),
        );
        return listed.map((queue) => ({ ...queue, ...(queues.region !== undefined && { region: queues.region }) }));
      }

      async function count(address: QueueAddress, query: SqsQuery, priority: number): Promise<CountedQueue> {
        const queue = await queueOf(address, priority);
        const { id, attributes } = await attributesOf(queue);
        const { description, region } = queue;
        const certain = lengthOf(attributes, { ...query, includeInFlight: false }, description);
        return {
          id,
          name: address.name,
          region,
          description,
          count: lengthOf(attributes, query, description),
          certain,
        };
      }

      /** A queue without messages has no oldest one, even if CloudWatch still reports an age. */
      async function ageOf(queue: CountedQueue, { owner }: SqsQuery, request: SourceQuery): Promise<number> {
        if (queue.count === 0n) return 0;
        if (ages === undefined) throw new Error("expected a source for CloudWatch's metrics");
        const account = owner === undefined ? {} : { account: owner };
        const { name, region } = queue;
        const parameters = { ...ageMetric, "dimension.QueueName": name, region, ...account };
        const reading = await (reader ??= ages.open(context)).read({ ...request, parameters });
        if (!("items" in reading)) throw new Fault(reading.isThrottled ? "throttled" : "badAnswer", reading.error);
        const age = Number(reading.items[0]?.value ?? NaN);
        if (age >= 0) return Math.max(1, age);
        throw new Fault("notFound", `${queue.description}: it has messages, and CloudWatch has no age of them yet`);
      }

      return {
        async read(request) {
          const { metricName, parameters, priority = 0 } = request;
          try {
            const query = parseSqsQuery({ metricName, parameters });
            const addresses = await addressesOf(query.queues, priority);
            const counted = await allOf(addresses.map((address, index) => count(address, query, priority + index)));
            const distinct = [...new Map(counted.map((one) => [one.id, one])).values()];
            const value =
              query.measure === "age"
                ? String(Math.max(...(await allOf(distinct.map((queue) => ageOf(queue, query, request))))))
                : String(distinct.reduce((sum, { count }) => sum + count, 0n));
            const metricLabels = labelsOf(query.queues, distinct);
            return { items: [{ metricName, metricLabels, timestamp, value }], ...certainLength(distinct, query) };
          } catch (error) {
            const { message, lack } = asFault(error);
            const reading = { error: message, from: "sqs", ...(lack !== undefined && { lack }) };
            return isFault(error, "throttled") ? { ...reading, isThrottled: true } : reading;
          }
        },
      };
    },
  };
}

const ageMetric = {
  namespace: "AWS/SQS",
  metric: "ApproximateAgeOfOldestMessage",
  statistic: "Maximum",
  periods: 5,
  absent: -1,
} as const;

/** Settles all first, so that nothing outlives the invocation. */
async function allOf<T>(promises: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

function labelsOf(queues: Queues, counted: readonly CountedQueue[]): Readonly<Record<string, string>> {
  const names = counted.map(({ name }) => name).join(",");
  if ("prefix" in queues) return { queuePrefix: queues.prefix, queues: names };
  return { [queues.addresses.length === 1 ? "queue" : "queues"]: names };
}

async function getAttributes(
  { client, description, limiter, limitMs, priority }: Queue,
  { url, id }: { readonly url: string; readonly id: string },
  signal: AbortSignal,
): Promise<QueueAttributes> {
  const input = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: [...countNames] });
  const call = { action: "sqs:GetQueueAttributes", description, signal, limiter, failureKey: id, limitMs, priority };
  const { Attributes } = await callAws(call, (abortSignal) => client.send(input, { abortSignal }));
  return Attributes ?? {};
}

function rootKey({ region, address }: Queue): string {
  return `${region} ${address.account ?? ""}`;
}

async function findUrl(queue: Queue, roots: BoundedMap<string, string>, signal: AbortSignal): Promise<string> {
  const { client, address, description, limiter, limitMs, priority, key } = queue;
  const derived = () => {
    const root = roots.get(rootKey(queue));
    return root === undefined ? undefined : root + address.name;
  };
  const known = derived();
  if (known !== undefined) return known;
  const owner = address.account === undefined ? {} : { QueueOwnerAWSAccountId: address.account };
  const input = new GetQueueUrlCommand({ QueueName: address.name, ...owner });
  const call = { action: "sqs:GetQueueUrl", description, signal, limiter, failureKey: key, limitMs, priority };
  const { QueueUrl: url } = await callAws(call, async (abortSignal) => {
    // Another queue's answer may have come while this call waited for a permit.
    const QueueUrl = derived();
    return QueueUrl === undefined ? await client.send(input, { abortSignal }) : { QueueUrl };
  });
  if (typeof url === "string" && URL.canParse(url)) {
    if (url.endsWith(`/${address.name}`)) roots.set(rootKey(queue), url.slice(0, -address.name.length));
    return url;
  }
  throw badAnswer(`${description}: expected a URL from sqs:GetQueueUrl, got ${shown(url)}`);
}
