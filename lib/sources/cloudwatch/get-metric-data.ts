import {
  type CloudWatchClient,
  GetMetricDataCommand,
  type GetMetricDataInput,
  type GetMetricDataOutput,
  type MetricDataResult,
} from "@aws-sdk/client-cloudwatch";
import type { Lane } from "../../async/lane";
import { callAws } from "../../aws/call";
import { asFault } from "../../aws/fault";
import { Fault } from "../../model/fault";
import type { EpochMs } from "../../k8s/time";
import { type Fetch, requestOf } from "./cloudwatch-calls";

/** What all pages of one call say about one id. */
export interface Series {
  readonly points: readonly { readonly at: EpochMs; readonly value: number }[];
  /** From the last page that has the id. Earlier pages say PartialData, because more follows. */
  readonly status: string;
  readonly messages: readonly string[];
  /** How many time series the id has: an expression such as SEARCH can return several. */
  readonly count: number;
}

/** Joins pages by id. Throws a Fault "badAnswer" on a malformed page. */
export function seriesById(pages: readonly GetMetricDataOutput[]): ReadonlyMap<string, Series> {
  const series = new Map<string, Series>();
  for (const page of pages) {
    const inPage = new Set<string>();
    const results: unknown = page.MetricDataResults ?? [];
    if (!Array.isArray(results)) throw badAnswer(`a list of MetricDataResults, got ${typeof results}`);
    for (const result of results as MetricDataResult[]) {
      const id = result.Id ?? "";
      const before = series.get(id);
      const wellFormed = isWellFormed(result);
      series.set(id, {
        points: [...(before?.points ?? []), ...(wellFormed ? pointsOf(result) : [])],
        status: wellFormed ? (result.StatusCode ?? "no StatusCode") : "Timestamps and Values that do not match",
        messages: [...(before?.messages ?? []), ...messagesOf(result.Messages)],
        count: inPage.has(id) ? (before?.count ?? 0) + 1 : Math.max(before?.count ?? 0, 1),
      });
      inPage.add(id);
    }
  }
  return series;
}

/** "Code: Value" of each message of a result or of a whole answer. */
export function messagesOf(messages: GetMetricDataOutput["Messages"]): readonly string[] {
  return (messages ?? []).map(({ Code: code, Value: value }) => [code, value].filter(Boolean).join(": "));
}

function pointsOf({ Timestamps = [], Values = [] }: MetricDataResult): Series["points"] {
  return Timestamps.map((timestamp, index) => ({
    at: timestamp.getTime(),
    value: Number(Values[index] ?? Number.NaN),
  }));
}

/** A malformed result must not spoil the other results of its call, so it becomes a status. */
function isWellFormed({ Timestamps, Values }: MetricDataResult): boolean {
  if (!isListOrAbsent(Timestamps) || !isListOrAbsent(Values)) return false;
  const timestamps: readonly unknown[] = Timestamps ?? [];
  return timestamps.length === (Values ?? []).length && timestamps.every((timestamp) => timestamp instanceof Date);
}

function isListOrAbsent(list: unknown): boolean {
  return list === undefined || Array.isArray(list);
}

function badAnswer(problem: string): Fault {
  return new Fault("badAnswer", `expected from cloudwatch:GetMetricData ${problem}`);
}

export interface Datapoint {
  /** The start of its period. */
  readonly at: EpochMs;
  readonly value: number;
}

/**
 * The newest datapoint of the window; undefined if CloudWatch is certain that the window has no datapoint. Throws a
 * Fault unless the answer is complete and numeric: unknown is never a value, and never absence.
 */
export function newestOf(
  series: Series | undefined,
  { start, end }: { readonly start: EpochMs; readonly end: EpochMs },
): Datapoint | undefined {
  if (series === undefined) throw badAnswer("a result for each query, got none for this one");
  if (series.status === "Forbidden")
    throw new Fault("forbidden", withMessages("access to the metric is denied (Forbidden)", series));
  if (series.status !== "Complete") throw badAnswer(withMessages(`a Complete result, got ${series.status}`, series));
  if (series.messages.length > 0) throw badAnswer(withMessages("a result without messages", series));
  if (series.count > 1) {
    throw new Fault(
      "badEntry",
      `parameter expression: expected one time series (wrap it in SUM, MAX, …), got ${series.count}`,
    );
  }
  let newest: Datapoint | undefined;
  for (const point of series.points) {
    if (point.at >= start && point.at < end && (newest === undefined || point.at > newest.at)) newest = point;
  }
  if (newest !== undefined && !Number.isFinite(newest.value)) throw badAnswer(`a number, got ${newest.value}`);
  return newest;
}

function withMessages(text: string, { messages }: Series): string {
  return messages.length === 0 ? text : `${text}: ${messages.join("; ")}`;
}

/** A fetch's result; undefined: CloudWatch's answer lacks it. */
export type Fetched = Series | Fault | undefined;

/**
 * How many more calls may be made to find the expressions that CloudWatch refuses. All calls of one read share it.
 */
export interface SplitBudget {
  left: number;
}

/** 500 queries with a few datapoints each fit one page, so an answer with more pages than this is endless. */
const maxPages = 50;

/**
 * One call for all fetches, with all of its pages. CloudWatch refuses a whole call for one bad expression and names it
 * only in the message. So a refused call is split in half until the bad expression is alone: one among 500 costs about
 * 18 calls, and the others get their values. Never rejects. Returns one Fetched for each fetch, in order.
 */
export async function getMetricData(given: {
  readonly client: CloudWatchClient;
  readonly call: readonly Fetch[];
  readonly budget: SplitBudget;
  readonly signal: AbortSignal;
  readonly lane: Lane;
  readonly limitMs: number;
}): Promise<readonly Fetched[]> {
  const { client, call, budget, signal, lane, limitMs } = given;
  const { input, ids } = requestOf(call);
  const rank = Math.min(...call.map((fetch) => fetch.rank));
  try {
    const pages = await allPages({
      client,
      input,
      asked: `CloudWatch in ${call[0]?.region}`,
      signal,
      lane,
      rank,
      limitMs,
    });
    const series = seriesById(pages);
    return ids.map((id) => series.get(id));
  } catch (error) {
    const fault = asFault(error);
    if (fault.kind !== "badEntry" || call.length === 1 || budget.left < 2) return call.map(() => fault);
    budget.left -= 2;
    const middle = Math.ceil(call.length / 2);
    const first = await getMetricData({ ...given, call: call.slice(0, middle) });
    return [...first, ...(await getMetricData({ ...given, call: call.slice(middle) }))];
  }
}

async function allPages(given: {
  readonly client: CloudWatchClient;
  readonly input: GetMetricDataInput;
  readonly asked: string;
  readonly signal: AbortSignal;
  readonly lane: Lane;
  readonly rank: number;
  readonly limitMs: number;
}): Promise<readonly GetMetricDataOutput[]> {
  const { client, input, asked, signal, lane, rank, limitMs } = given;
  const call = { action: "cloudwatch:GetMetricData", asked, signal, lane, rank, limitMs };
  const pages: GetMetricDataOutput[] = [];
  let token: string | undefined;
  do {
    if (pages.length === maxPages)
      throw new Fault("badAnswer", `${asked}: expected at most ${maxPages} pages, got more`);
    const command = new GetMetricDataCommand(token === undefined ? input : { ...input, NextToken: token });
    const page = await callAws(call, (abortSignal) => client.send(command, { abortSignal }));
    const messages = messagesOf(page.Messages);
    if (messages.length > 0)
      throw new Fault("badAnswer", `${asked}: expected a complete answer, got ${messages.join("; ")}`);
    pages.push(page);
    token = page.NextToken;
  } while (token !== undefined && token !== "");
  return pages;
}
