import {
  type CloudWatchClient,
  GetMetricDataCommand,
  type GetMetricDataOutput,
  type MetricDataResult,
} from "@aws-sdk/client-cloudwatch";
import type { EndpointLimiter } from "../../async/endpoint-limiter";
import { callAws } from "../../aws/call";
import { Fault } from "../../model/fault";
import type { EpochMs } from "../../k8s/time";
import { type Fetch, requestOf } from "./cloudwatch-calls";
import { badAnswer } from "../network/as-reading";

interface Series {
  readonly newest: Datapoint | undefined;
  /** From the last page that has the id: earlier ones say PartialData. */
  readonly status: string;
  readonly messages: readonly string[];
  readonly count: number;
}

type Window = Pick<Fetch, "start" | "end">;

const maxMessages = 5;

/**
 * Endless pages take no memory.
 * @throws Fault "badAnswer" on a malformed page.
 */
function addPage(series: Map<string, Series>, page: GetMetricDataOutput, windows: ReadonlyMap<string, Window>): void {
  const inPage = new Set<string>();
  const results: unknown = page.MetricDataResults ?? [];
  if (!Array.isArray(results)) throw wrongAnswer(`a list of MetricDataResults, got ${typeof results}`);
  for (const result of results as MetricDataResult[]) {
    const id = result.Id ?? "";
    const window = windows.get(id);
    if (window === undefined) continue;
    const before = series.get(id);
    const wellFormed = isWellFormed(result);
    series.set(id, {
      newest: wellFormed ? newer(before?.newest, result, window) : before?.newest,
      status: wellFormed ? (result.StatusCode ?? "no StatusCode") : "Timestamps and Values that do not match",
      messages: [...(before?.messages ?? []), ...messagesOf(result.Messages)].slice(0, maxMessages),
      count: inPage.has(id) ? (before?.count ?? 0) + 1 : Math.max(before?.count ?? 0, 1),
    });
    inPage.add(id);
  }
}

function messagesOf(messages: GetMetricDataOutput["Messages"]): readonly string[] {
  return (messages ?? []).map(({ Code: code, Value: value }) => [code, value].filter(Boolean).join(": "));
}

function newer(
  before: Datapoint | undefined,
  { Timestamps = [], Values = [] }: MetricDataResult,
  { start, end }: Window,
): Datapoint | undefined {
  return Timestamps.reduce((newest, timestamp, index) => {
    const at = timestamp.getTime();
    const isNewer = at >= start && at < end && (newest === undefined || at > newest.at);
    return isNewer ? { at, value: Number(Values[index] ?? Number.NaN) } : newest;
  }, before);
}

/** A malformed result must not spoil the others of its call. */
function isWellFormed({ Timestamps = [], Values = [] }: MetricDataResult): boolean {
  const [timestamps, values]: readonly unknown[] = [Timestamps, Values];
  if (!Array.isArray(timestamps) || !Array.isArray(values)) return false;
  return timestamps.length === values.length && timestamps.every((timestamp) => timestamp instanceof Date);
}

function wrongAnswer(problem: string): Fault {
  return badAnswer(`expected from cloudwatch:GetMetricData ${problem}`);
}

export interface Datapoint {
  /** Its period's start. */
  readonly at: EpochMs;
  readonly value: number;
}

/**
 * Undefined: CloudWatch is certain that there is no datapoint.
 * @throws Fault unless the answer is complete and numeric: unknown is never a value, and never absence.
 */
export function newestOf(series: Series | undefined, { start }: Pick<Window, "start">): Datapoint | undefined {
  if (series === undefined) throw wrongAnswer("a result for each query, got none for this one");
  if (series.status === "Forbidden")
    throw new Fault("forbidden", withMessages("access to the metric is denied (Forbidden)", series));
  if (series.status !== "Complete") throw wrongAnswer(withMessages(`a Complete result, got ${series.status}`, series));
  if (series.messages.length > 0) throw wrongAnswer(withMessages("a result without messages", series));
  if (series.count > 1) {
    const expected = "expected one time series (wrap it in SUM, MAX, …)";
    throw new Fault("badEntry", `parameter expression: ${expected}, got ${series.count}`);
  }
  // A shared fetch may look back further than this query.
  const newest = series.newest !== undefined && series.newest.at >= start ? series.newest : undefined;
  if (newest !== undefined && !Number.isFinite(newest.value)) throw wrongAnswer(`a number, got ${newest.value}`);
  return newest;
}

function withMessages(text: string, { messages }: Series): string {
  return messages.length === 0 ? text : `${text}: ${messages.join("; ")}`;
}

/** Undefined: CloudWatch's answer lacks it. */
export type Fetched = Series | Fault | undefined;

const maxPages = 50;

/** Rejects with a Fault. */
export async function getMetricData(given: {
  readonly client: CloudWatchClient;
  readonly call: readonly Fetch[];
  readonly priority: number;
  readonly signal: AbortSignal;
  readonly limiter: EndpointLimiter;
  readonly limitMs: number;
}): Promise<readonly Fetched[]> {
  const { client, call, ...limits } = given;
  const { input, ids } = requestOf(call);
  const description = `CloudWatch in ${call[0]?.region}`;
  const aws = { action: "cloudwatch:GetMetricData", description, ...limits };
  const windows = new Map(call.map((fetch, index) => [ids[index] ?? "", fetch]));
  const series = new Map<string, Series>();
  let token: string | undefined;
  for (let page = 1; page === 1 || (token !== undefined && token !== ""); page++) {
    if (page > maxPages) throw badAnswer(`${description}: expected at most ${maxPages} pages, got more`);
    const command = new GetMetricDataCommand(token === undefined ? input : { ...input, NextToken: token });
    const answer = await callAws(aws, (abortSignal) => client.send(command, { abortSignal }));
    const messages = messagesOf(answer.Messages);
    if (messages.length > 0) throw badAnswer(`${description}: expected a complete answer, got ${messages.join("; ")}`);
    addPage(series, answer, windows);
    token = answer.NextToken;
  }
  return ids.map((id) => series.get(id));
}
