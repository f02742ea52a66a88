import { present } from "../../k8s/map";
import type { GetMetricDataInput, MetricDataQuery } from "@aws-sdk/client-cloudwatch";
import type { EpochMs } from "../../k8s/time";
import { type CloudWatchQuery, needsOwnCall, renameIds } from "./cloudwatch-query";

/** Queries that differ only in how they read the answer share a fetch. */
export interface Fetch {
  readonly region: string;
  readonly query: CloudWatchQuery;
  readonly start: EpochMs;
  readonly end: EpochMs;
  readonly priority: number;
  readonly requester: string;
}

/** Complete periods only, half-open: with period 60, periods 5 and now 12:07:41, [12:02, 12:07). */
export function windowOf(query: CloudWatchQuery, now: EpochMs): { readonly start: EpochMs; readonly end: EpochMs } {
  const period = query.periodSeconds * 1000;
  const end = Math.floor((now - query.delaySeconds * 1000) / period) * period;
  return { start: end - query.periods * period, end };
}

export function fetchKey({ region, query, end }: Fetch): string {
  return JSON.stringify([region, query.periodSeconds, end, query.parts, query.wanted]);
}

/** CloudWatch's limit for one GetMetricData. */
const queriesPerCall = 500;

/**
 * CloudWatch aligns a call by its start and end, so its fetches have the same region, period and end. Expressions have
 * their own calls. An HPA with `isApart` shares no call.
 */
export function planCalls(
  fetches: readonly Fetch[],
  isApart: (requester: string) => boolean = () => false,
): readonly (readonly Fetch[])[] {
  const inOrder = [...fetches].sort((a, b) => a.priority - b.priority);
  const keyOf = ({ region, query, end, requester }: Fetch, index: number) =>
    JSON.stringify([region, query.periodSeconds, end, sharing(query) ?? index, isApart(requester) && requester]);
  return groupsBy(inOrder, keyOf).flatMap(chunked);
}

export function groupsBy(
  fetches: readonly Fetch[],
  keyOf: (fetch: Fetch, index: number) => unknown,
): readonly (readonly Fetch[])[] {
  const groups = new Map<unknown, Fetch[]>();
  for (const [index, fetch] of fetches.entries()) {
    const key = keyOf(fetch, index);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [fetch]);
    else group.push(fetch);
  }
  return [...groups.values()];
}

/** Undefined: it needs its own call. */
function sharing({ parts }: CloudWatchQuery): "metrics" | "expressions" | undefined {
  const expressions = parts.flatMap((part) => part.Expression ?? []);
  if (expressions.some(needsOwnCall)) return undefined;
  return expressions.length === 0 ? "metrics" : "expressions";
}

function chunked(fetches: readonly Fetch[]): readonly (readonly Fetch[])[] {
  const chunks: Fetch[][] = [];
  let room = 0;
  for (const fetch of fetches) {
    const size = fetch.query.parts.length;
    if (size > room) {
      chunks.push([]);
      room = queriesPerCall;
    }
    chunks.at(-1)?.push(fetch);
    room -= size;
  }
  return chunks;
}

export function requestOf(call: readonly Fetch[]) {
  const prefixOf = (index: number) => (call.length === 1 ? "" : `q${index}_`);
  const input: GetMetricDataInput = {
    MetricDataQueries: call.flatMap(({ query }, index) => renamedParts(query, prefixOf(index))),
    StartTime: new Date(Math.min(...call.map(({ start }) => start))),
    EndTime: new Date(Math.max(...call.map(({ end }) => end))),
    ScanBy: "TimestampDescending",
  };
  return { input, ids: call.map(({ query }, index) => prefixOf(index) + query.wanted) };
}

/** Ids must be unique within a call: the fourth query's "m1 / m2" becomes "q3_m1 / q3_m2". */
function renamedParts({ parts }: CloudWatchQuery, prefix: string): readonly MetricDataQuery[] {
  if (prefix === "") return parts;
  const names = new Map(parts.map(({ Id = "" }) => [Id, prefix + Id]));
  return parts.map(({ Expression: text, ...part }) => ({
    ...{ ...part, Id: prefix + part.Id },
    ...present({ Expression: text === undefined ? undefined : renameIds(text, names) }),
  }));
}
