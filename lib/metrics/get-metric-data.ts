import {
  type CloudWatchClient,
  GetMetricDataCommand,
  type GetMetricDataInput,
  type GetMetricDataOutput,
} from "@aws-sdk/client-cloudwatch";
import { Fault } from "../api/errors";
import { asFault } from "./aws-fault";
import { callAws } from "./call-aws";
import { type Fetch, requestOf } from "./cloudwatch-calls";
import { messagesOf, type Series, seriesById } from "./cloudwatch-results";

/** What came of a fetch; undefined: CloudWatch answered, and not about it. */
export type Fetched = Series | Fault | undefined;

/** How many calls may be spent on finding out which of many expressions CloudWatch refuses; shared by all calls of one read. */
export interface SplitBudget {
  left: number;
}

/** A call of 500 queries with a few datapoints each fits one page; more than this is an answer that does not end. */
const maxPages = 50;

/**
 * One call for all fetches, all of its pages. CloudWatch refuses a whole call for one bad expression and tells which only in words, so a
 * refused call is split in half until the bad one stands alone: one among 500 costs about 18 calls, and the others have their values.
 * Never rejects; one Fetched for each fetch, in order.
 */
export async function getMetricData(given: {
  readonly client: CloudWatchClient;
  readonly call: readonly Fetch[];
  readonly budget: SplitBudget;
  readonly signal: AbortSignal;
}): Promise<readonly Fetched[]> {
  const { client, call, budget, signal } = given;
  const { input, ids } = requestOf(call);
  try {
    const pages = await allPages({ client, input, asked: `CloudWatch in ${call[0]?.region}`, signal });
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
}): Promise<readonly GetMetricDataOutput[]> {
  const { client, input, asked, signal } = given;
  const call = { action: "cloudwatch:GetMetricData", asked, signal };
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
