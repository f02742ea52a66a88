import type { CloudWatchClient } from "@aws-sdk/client-cloudwatch";
import { openEndpointLimiter } from "../../../lib/async/endpoint-limiter";
import { type Fetch, planCalls, requestOf } from "../../../lib/sources/cloudwatch/cloudwatch-calls";
import { parseCloudWatchQuery } from "../../../lib/sources/cloudwatch/cloudwatch-query";
import { getMetricData, newestOf } from "../../../lib/sources/cloudwatch/get-metric-data";
import { Fault } from "../../../lib/model/fault";
import { noLimit } from "../../time/no-limit";

const metric = { namespace: "App", metricName: "Backlog" };
const sum = { expression: "m1 + 1", queries: [{ id: "m1", ...metric }] };

function fetchOf(parameters: object, more: Partial<Fetch> = {}): Fetch {
  const query = parseCloudWatchQuery({ metricName: "backlog", parameters: { ...parameters } });
  return { region: "eu-west-1", query, start: 0, end: 300_000, priority: 0, requester: "shop/web", ...more };
}

describe("the calls of a run", () => {
  const prioritiesOf = (calls: ReturnType<typeof planCalls>) =>
    calls.map((call) => call.map(({ priority }) => priority));

  test("have what matters most in the first, and at most 500 queries each", () => {
    const fetches = Array.from({ length: 501 }, (_, index) => fetchOf(metric, { priority: 501 - index }));
    const [first, last, ...others] = prioritiesOf(planCalls(fetches));
    expect(first).toEqual(Array.from({ length: 500 }, (_, index) => index + 1));
    expect([last, others]).toEqual([[501], []]);
  });

  test("hold no expression beside a metric: CloudWatch refuses a whole call for one expression", () => {
    const fetches = [fetchOf(metric, { priority: 1 }), fetchOf(sum, { priority: 2 })];
    const again = fetches.map((fetch) => ({ ...fetch, priority: fetch.priority + 2 }));
    expect(prioritiesOf(planCalls([...fetches, ...again]))).toEqual([
      [1, 3],
      [2, 4],
    ]);
  });

  test.each(["METRICS()", "SUM(SEARCH('x', 'Sum', 60))", 'SELECT MAX(x) FROM "App"'])("hold %s alone", (expression) => {
    const own = fetchOf({ expression });
    expect(planCalls([own, own, fetchOf(sum)])).toHaveLength(3);
  });

  test("hold an HPA with refused expressions apart from all others", () => {
    const fetches = ["a", "b", "a", "c", "b"].map((requester, priority) => fetchOf(sum, { requester, priority }));
    const calls = planCalls(fetches, (requester) => requester !== "c");
    expect(prioritiesOf(calls)).toEqual([[0, 2], [1, 4], [3]]);
  });

  test("are for one region, period and end", () => {
    const others = [
      fetchOf(metric, { region: "us-east-2" }),
      fetchOf({ ...metric, period: 300 }),
      fetchOf(metric, { end: 1 }),
    ];
    expect(planCalls([fetchOf(metric), ...others])).toHaveLength(4);
  });
});

test("a call of several queries reads from the earliest start to the latest end, the newest first", () => {
  const { input, ids } = requestOf([
    fetchOf(metric, { start: 60_000, end: 120_000 }),
    fetchOf(sum, { start: 0, end: 180_000 }),
  ]);
  expect(input).toMatchObject({ StartTime: new Date(0), EndTime: new Date(180_000), ScanBy: "TimestampDescending" });
  expect(ids).toEqual(["q0_m", "q1_value"]);
  expect(input.MetricDataQueries?.map(({ Id, Expression }) => Expression ?? Id)).toEqual([
    ...["q0_m", "q1_m1", "q1_m1 + 1"],
  ]);
});

describe("an answer", () => {
  const at = (seconds: number) => new Date(seconds * 1000);
  const whole = { Id: "m", StatusCode: "Complete", Timestamps: [at(60)], Values: [7] };

  /** What is newest of a fetch from 0 to 300 s, after these pages. */
  async function newest(...pages: readonly unknown[]) {
    const left = [...pages];
    const client = { send: () => Promise.resolve(left.shift()) } as unknown as CloudWatchClient;
    const limiter = openEndpointLimiter({ endpoint: "CloudWatch", limit: 1, now: () => 0 });
    const call = [fetchOf(metric)];
    const [fetched] = await getMetricData({ client, call, priority: 0, signal: noLimit(), limiter, limitMs: 60_000 });
    if (fetched instanceof Fault) throw fetched;
    return newestOf(fetched, { start: 0 });
  }
  const page = (...results: readonly unknown[]) => ({ MetricDataResults: results });

  test.each<[string, readonly unknown[], object | undefined]>([
    ["a datapoint", [page(whole)], { at: 60_000, value: 7 }],
    ["none", [page({ Id: "m", StatusCode: "Complete" })], undefined],
    [
      "an older one on the next page",
      [{ ...page({ ...whole, Timestamps: [at(120)] }), NextToken: "2" }, page(whole)],
      { at: 120_000, value: 7 },
    ],
    [
      "a newer one on the next page",
      [{ ...page(whole), NextToken: "2" }, page({ ...whole, Timestamps: [at(120)], Values: [8] })],
      { at: 120_000, value: 8 },
    ],
    [
      "one in part, and then whole",
      [{ ...page({ ...whole, StatusCode: "PartialData" }), NextToken: "2" }, page(whole)],
      { at: 60_000, value: 7 },
    ],
    ["one at the start of the window", [page({ ...whole, Timestamps: [at(0)] })], { at: 0, value: 7 }],
    ["one at its end, which is no longer within", [page({ ...whole, Timestamps: [at(300)] })], undefined],
    ["one before its start", [page({ ...whole, Timestamps: [at(-1)] })], undefined],
    [
      "results of nobody",
      [page({ ...whole, Id: undefined }, { ...whole, Id: "other", Values: [9] }, whole)],
      { at: 60_000, value: 7 },
    ],
    ["an empty token", [{ ...page(whole), NextToken: "" }], { at: 60_000, value: 7 }],
  ])("with %s", async (_what, pages, expected) => {
    expect(await newest(...pages)).toEqual(expected);
  });

  test.each<[string, readonly unknown[], string]>([
    [
      "no list",
      [{ MetricDataResults: "x" }],
      "expected from cloudwatch:GetMetricData a list of MetricDataResults, got string",
    ],
    ["no list of results at all", [{}], "a result for each query, got none for this one"],
    [
      "fewer values than times",
      [page({ ...whole, Values: [] })],
      "a Complete result, got Timestamps and Values that do not match",
    ],
    [
      "times that are none",
      [page({ ...whole, Timestamps: ["x"] })],
      "a Complete result, got Timestamps and Values that do not match",
    ],
    [
      "values that are no list",
      [page({ ...whole, Values: "7" })],
      "a Complete result, got Timestamps and Values that do not match",
    ],
    [
      "times that are no list",
      [page({ ...whole, Timestamps: "x" })],
      "a Complete result, got Timestamps and Values that do not match",
    ],
    ["no status", [page({ ...whole, StatusCode: undefined })], "a Complete result, got no StatusCode"],
    ["a part alone", [page({ ...whole, StatusCode: "PartialData" })], "a Complete result, got PartialData"],
    [
      "a refusal",
      [page({ ...whole, StatusCode: "Forbidden", Messages: [{ Code: "A", Value: "b" }, { Code: "C" }] })],
      "access to the metric is denied (Forbidden): A: b; C",
    ],
    ["a message", [page({ ...whole, Messages: [{ Value: "why" }] })], "a result without messages: why"],
    [
      "six messages",
      [page({ ...whole, Messages: Array.from({ length: 6 }, (_, index) => ({ Code: `${index}` })) })],
      "without messages: 0; 1; 2; 3; 4",
    ],
    ["two series", [page(whole, whole)], "expected one time series (wrap it in SUM, MAX, …), got 2"],
    ["three series", [page(whole, whole, whole)], "expected one time series (wrap it in SUM, MAX, …), got 3"],
    [
      "two series on the first page",
      [{ ...page(whole, whole), NextToken: "2" }, page(whole)],
      "expected one time series (wrap it in SUM, MAX, …), got 2",
    ],
    ["no number", [page({ ...whole, Values: [NaN] })], "a number, got NaN"],
    [
      "a message of its own",
      [{ ...page(whole), Messages: [{ Code: "Limit" }] }],
      "CloudWatch in eu-west-1: expected a complete answer, got Limit",
    ],
  ])("with %s is an error, never absence", async (_what, pages, expected) => {
    const error = await newest(...pages).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Fault);
    expect((error as Fault).message).toMatch(new RegExp(`${expected.replace(/[().]/g, "\\$&")}$`));
  });
});
