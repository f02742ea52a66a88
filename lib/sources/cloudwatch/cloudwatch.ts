import type { CloudWatchClient } from "@aws-sdk/client-cloudwatch";
import { openEndpointLimiter } from "../../async/endpoint-limiter";
import { regionOf } from "../../aws/clients";
import { asFault } from "../../aws/fault";
import { perRegion } from "../../aws/sdk/bounded-answers";
import type { EpochMs } from "../../k8s/time";
import { Fault, isFault } from "../../model/fault";
import type { MetricSource, SourceQuery, SourceReading } from "../../model/ports/sources";
import { quantityOf } from "../parameters";
import type { SourceOptions } from "../kind";
import { type Fetch, fetchKey, planCalls, windowOf } from "./cloudwatch-calls";
import { keepMs, parseCloudWatchQuery } from "./cloudwatch-query";
import { type Datapoint, type Fetched, getMetricData, newestOf } from "./get-metric-data";
import { type FetchTogether, openRefusalSearch, rememberRefused } from "./refused-calls";

/** CloudWatch allows 50 calls a second in a region; 4 concurrent ones carry 2,000 metrics. */
const concurrency = 4;

const lastPriority = 10_000;

const gatherMs = 50;

export { openCloudWatchClients } from "../../aws/sdk/cloudwatch-clients";

type ClientOf = (region?: string) => CloudWatchClient;

export function openCloudWatchSource(
  clientOf: ClientOf,
  { now = () => Date.now(), limitMs = 10_000 }: SourceOptions = {},
): MetricSource {
  const limiterOf = perRegion((region) =>
    openEndpointLimiter({ endpoint: `CloudWatch in ${region}`, limit: concurrency, now }),
  );
  const refused = rememberRefused(now);

  return {
    keepMs,
    open({ now: at, signal }) {
      const search = openRefusalSearch(refused);
      const fetch = gather((fetches) =>
        planCalls(fetches, (requester) => refused.has(requester)).map((call) => {
          const fetchTogether: FetchTogether = async (part, isLast) => {
            const [first] = part;
            if (first === undefined) return [];
            const priority = Math.min(...part.map((fetch) => fetch.priority)) + (isLast ? lastPriority : 0);
            const [client, limiter] = [clientOf(first.query.region), limiterOf(first.region)];
            return getMetricData({ client, call: part, priority, signal, limiter, limitMs }).catch(asFault);
          };
          return { call, fetched: search(call, fetchTogether) };
        }),
      );
      return {
        async read(query) {
          try {
            const prepared = await prepare(query, clientOf, at);
            return readingOf(prepared, await fetch(prepared), query.metricName);
          } catch (error) {
            return failedBy(asFault(error));
          }
        },
      };
    },
  };
}

interface Waiting {
  fetch: Fetch;
  readonly promise: Promise<Fetched>;
  readonly resolve: (fetched: Fetched) => void;
}

interface Sent {
  readonly call: readonly Fetch[];
  readonly fetched: Promise<readonly Fetched[]>;
}

function gather(send: (fetches: readonly Fetch[]) => readonly Sent[]): (fetch: Fetch) => Promise<Fetched> {
  let gathered = new Map<string, Waiting>();

  async function sendAll(): Promise<void> {
    const waiting = new Map([...gathered.values()].map((one) => [one.fetch, one]));
    gathered = new Map();
    const settle = async ({ call, fetched }: Sent) => {
      const answers = await fetched.catch((error: unknown) => call.map(() => asFault(error)));
      call.forEach((fetch, index) => waiting.get(fetch)?.resolve(answers[index]));
    };
    try {
      await Promise.all(send([...waiting.keys()]).map(settle));
    } catch (error) {
      for (const { resolve } of waiting.values()) resolve(asFault(error));
    }
  }

  return (fetch) => {
    if (gathered.size === 0) setTimeout(() => void sendAll(), gatherMs);
    const key = fetchKey(fetch);
    const known = gathered.get(key);
    if (known !== undefined) {
      const start = Math.min(known.fetch.start, fetch.start);
      known.fetch = { ...known.fetch, start, priority: Math.min(known.fetch.priority, fetch.priority) };
      return known.promise;
    }
    let resolve: Waiting["resolve"] = () => undefined;
    const promise = new Promise<Fetched>((settled) => (resolve = settled));
    gathered.set(key, { fetch, promise, resolve });
    return promise;
  };
}

async function prepare(query: SourceQuery, clientOf: ClientOf, now: EpochMs): Promise<Fetch> {
  const parsed = parseCloudWatchQuery(query);
  const region = await regionOf(clientOf(parsed.region));
  const { priority = 0, requester = "" } = query;
  return { region, query: parsed, priority, requester, ...windowOf(parsed, now) };
}

function failedBy({ message, lack }: Fault, description = "") {
  return { error: `${description}${message}`, from: "cloudwatch", ...(lack !== undefined && { lack }) };
}

function readingOf(fetch: Fetch, series: Fetched, metricName: string): SourceReading {
  try {
    if (series instanceof Fault) throw series;
    const { at, value } = newestOf(series, fetch) ?? absentPoint(fetch);
    const timestamp = new Date(at).toISOString();
    return { items: [{ metricName, timestamp, windowSeconds: fetch.query.periodSeconds, value: quantityOf(value) }] };
  } catch (error) {
    const reading = failedBy(asFault(error), `${fetch.query.description}: `);
    return isFault(error, "throttled") ? { ...reading, isThrottled: true } : reading;
  }
}

function absentPoint({ query, end }: Fetch): Datapoint {
  if (query.absent !== undefined) return { at: end - query.periodSeconds * 1000, value: query.absent };
  const periods = query.periods === 1 ? "the last complete period" : `the last ${query.periods} complete periods`;
  throw new Fault("notFound", `no datapoint in ${periods} (set the parameter absent to use a value instead)`);
}
