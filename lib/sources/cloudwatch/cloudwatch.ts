import type { CloudWatchClient } from "@aws-sdk/client-cloudwatch";
import { Fault } from "../../model/fault";
import { asFault } from "../../aws/fault";
import type { EpochMs } from "../../k8s/time";
import { type Fetch, fetchKey, planCalls, windowOf } from "./cloudwatch-calls";
import { parseCloudWatchQuery } from "./cloudwatch-query";
import { type Datapoint, newestOf, type Fetched, getMetricData } from "./get-metric-data";
import { mapBounded } from "../../async/limit";
import type { MetricSource, Reading, SourceQuery } from "../metric-source";
import { quantityOf } from "../quantity-of";
import { regionOf } from "../../aws/clients";

/** Calls under way at once. CloudWatch allows 50 a second in a region; 4 calls carry 2,000 metrics. */
const concurrency = 4;

/** Calls that one read may add to find refused expressions. */
const splitCalls = 64;

/** A query as it will be fetched, or why it cannot be. */
type Prepared = Fetch | Fault;

type ClientOf = (region?: string) => CloudWatchClient;

/** CloudWatch metrics and metric math: the newest complete datapoint of each query, in as few GetMetricData calls as their windows allow. */
export function openCloudWatchSource(clientOf: ClientOf): MetricSource {
  return {
    /** The sync keeps a reading this long, so no metric is paid for more often than it can change. */
    keepMs(query) {
      try {
        return parseCloudWatchQuery(query).periodSeconds * 1000;
      } catch {
        return 0; // It cannot be read either: `read` says why, without asking anybody.
      }
    },
    async read(queries, now, signal) {
      const prepared = await mapBounded(queries, queries.length, (query) => prepare(query, clientOf, now));
      const fetched = await fetchAll(prepared, clientOf, signal);
      return prepared.map((one, index) => readingOf(one, fetched, queries[index]?.metricName ?? ""));
    },
  };
}

async function prepare(query: SourceQuery, clientOf: ClientOf, now: EpochMs): Promise<Prepared> {
  try {
    const parsed = parseCloudWatchQuery(query);
    const region = await regionOf(clientOf(parsed.region));
    return { region, query: parsed, ...windowOf(parsed, now) };
  } catch (error) {
    return asFault(error);
  }
}

/** Gets what is distinct once. A fetch that several queries share goes as far back as any of them looks. */
async function fetchAll(
  prepared: readonly Prepared[],
  clientOf: ClientOf,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Fetched>> {
  const distinct = new Map<string, Fetch>();
  for (const one of prepared) {
    if (one instanceof Fault) continue;
    const key = fetchKey(one);
    distinct.set(key, { ...one, start: Math.min(one.start, distinct.get(key)?.start ?? one.start) });
  }
  const budget = { left: splitCalls };
  const answers = await mapBounded(planCalls([...distinct.values()]), concurrency, async (call) => {
    const fetched = await getMetricData({ client: clientOf(call[0]?.query.region), call, budget, signal });
    return call.map((fetch, index) => [fetchKey(fetch), fetched[index]] as const);
  });
  return new Map(answers.flat());
}

function readingOf(one: Prepared, fetched: ReadonlyMap<string, Fetched>, metricName: string): Reading {
  if (one instanceof Fault) return { error: one.message, from: "cloudwatch" };
  try {
    const series = fetched.get(fetchKey(one));
    if (series instanceof Fault) throw series;
    const { at, value } = newestOf(series, one) ?? absentPoint(one);
    const timestamp = new Date(at).toISOString();
    return { items: [{ metricName, timestamp, windowSeconds: one.query.periodSeconds, value: quantityOf(value) }] };
  } catch (error) {
    return { error: `${one.query.asked}: ${asFault(error).message}`, from: "cloudwatch" };
  }
}

/** What the user says that no datapoint means, as a datapoint of the newest complete period. */
function absentPoint({ query, end }: Fetch): Datapoint {
  if (query.absent !== undefined) return { at: end - query.periodSeconds * 1000, value: query.absent };
  const periods = query.periods === 1 ? "the last complete period" : `the last ${query.periods} complete periods`;
  throw new Fault("notFound", `no datapoint in ${periods} (the parameter absent says what that means, if anything)`);
}
