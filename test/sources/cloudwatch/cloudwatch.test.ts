import { ownConnections } from "../../../lib/aws/sdk/bounded-answers";
import { openCloudWatchClients } from "../../../lib/aws/sdk/cloudwatch-clients";
import { openCloudWatchSource } from "../../../lib/sources/cloudwatch/cloudwatch";
import { settleMs } from "../../../lib/sources/cloudwatch/cloudwatch-query";
import type { MetricSource, SourceReading as Reading } from "../../../lib/model/ports/sources";
import { type FakeCloudWatch, startCloudWatch } from "../../fakes/cloudwatch/start-cloudwatch";
import { readAll } from "../read-all";
import { until } from "../../time/until";

type Parameters = Record<string, unknown>;

/** 12:07:41: with a period of 60 s the last complete one is [12:06, 12:07). */
const now = Date.parse("2026-01-01T12:07:41Z");
const minute = (text: string): number => Date.parse(`2026-01-01T${text}Z`) / 1000;
const signal = new AbortController().signal;
const backlog = { namespace: "App", metricName: "Backlog", statistic: "Sum", delay: 0 };
const identity = { Namespace: "App", MetricName: "Backlog" };

const ratio = {
  expression: "backlog / rate",
  statistic: "Sum",
  delay: 0,
  queries: [
    { id: "backlog", namespace: "App", metricName: "Backlog" },
    { id: "rate", namespace: "App", metricName: "Rate" },
  ],
};

let fake: FakeCloudWatch;
let source: MetricSource;

const open = async (options: Parameters = {}): Promise<void> => {
  fake = await startCloudWatch({ now: () => now, ...options });
  const config = { endpoint: fake.url, region: "eu-west-1", credentials: { accessKeyId: "a", secretAccessKey: "b" } };
  const requestHandler = ownConnections(Infinity); // without time limits
  source = openCloudWatchSource(openCloudWatchClients({ ...config, requestHandler, maxAttempts: 1 }));
};
beforeEach(() => open());
afterEach(() => fake.close());

const read = (...parameters: Parameters[]): Promise<readonly Reading[]> =>
  readAll(
    source,
    parameters.map((given) => ({ metricName: "cloudwatch", parameters: given })),
    now,
    signal,
  );
const valueIn = (reading: Reading | undefined): unknown =>
  reading !== undefined && "items" in reading ? reading.items[0]?.value : reading?.error;
const valueOf = async (parameters: Parameters): Promise<unknown> => valueIn((await read(parameters))[0]);
const inputs = (): { MetricDataQueries: { Id: string; Expression?: string }[]; StartTime: number; EndTime: number }[] =>
  fake.requests.map(({ input }) => input as ReturnType<typeof inputs>[number]);

describe("the window", () => {
  test("is the newest complete period: what is still filling up does not count, nor does its neighbour's edge", async () => {
    fake.put(identity, [
      [minute("12:05:00"), 1],
      [minute("12:06:00"), 2],
      [minute("12:06:59"), 4],
      [minute("12:07:00"), 8],
    ]);
    expect(await read(backlog)).toEqual([
      { items: [{ metricName: "cloudwatch", timestamp: "2026-01-01T12:06:00.000Z", windowSeconds: 60, value: "6" }] },
    ]);
    expect(inputs()[0]).toMatchObject({ StartTime: minute("12:02:00"), EndTime: minute("12:07:00") });
  });

  test.each<[string, Parameters, string, unknown]>([
    ["the default of 5 periods reaches back to 12:02", {}, "12:02:00", "7"],
    ["and no further", {}, "12:01:59", expect.stringContaining("no datapoint in the last 5 complete periods")],
    ["6 periods reach back to 12:01", { periods: "6" }, "12:01:00", "7"],
    ["a delay of 60 s lets the period before count as the newest", { periods: 1, delay: 60 }, "12:05:30", "7"],
    [
      "and leaves the newest out",
      { periods: 1, delay: 60 },
      "12:06:30",
      expect.stringContaining("no datapoint in the last complete period"),
    ],
    ["periods of 300 s are aligned to the hour", { period: 300, periods: 1 }, "12:00:00", "7"],
    [
      "so the one under way is not read",
      { period: 300, periods: 1 },
      "12:05:00",
      expect.stringContaining("no datapoint"),
    ],
    ["periods of 10 s are read in seconds", { period: "10", periods: 1 }, "12:07:39", "7"],
    [
      "so the minute under way counts as far as it has come",
      { period: 10, periods: 1 },
      "12:07:40",
      expect.stringContaining("no datapoint"),
    ],
    ["periods of 1 s too", { period: 1, periods: 1 }, "12:07:40", "7"],
  ])("%s", async (_name, parameters, at, expected) => {
    fake.put(identity, [[minute(at), 7]]);
    expect(await valueOf({ ...backlog, ...parameters })).toEqual(expected);
  });

  test("datapoints outside it, from a service that counts its edges otherwise, are not looked at", async () => {
    const Timestamps = [minute("12:07:00"), minute("12:06:00"), minute("12:01:00")];
    const result = { Id: "m", Label: "Backlog", StatusCode: "Complete" };
    fake.answer({ raw: JSON.stringify({ MetricDataResults: [{ ...result, Timestamps, Values: [1, 2, 3] }] }) });
    expect(await valueOf(backlog)).toBe("2");
  });

  test("a reading is kept for its period, so that no metric is paid for more often than it changes", () => {
    const keepMs = (parameters: Parameters): number => source.keepMs({ metricName: "cloudwatch", parameters });
    expect([keepMs(backlog), keepMs({ ...backlog, period: "300" }), keepMs({ period: "often" })]).toEqual([
      60_000, 300_000, 0,
    ]);
  });
});

test("a queue's metrics settle as late as its counts, wherever they are named; others are exact", () => {
  const settles = (parameters: Parameters): number => settleMs({ metricName: "cloudwatch", parameters });
  const queue = { namespace: "AWS/SQS", metricName: "ApproximateNumberOfMessagesVisible", "dimension.QueueName": "q" };
  expect(settles(backlog)).toBe(0);
  expect(settles(queue)).toBe(60_000);
  const queries = [
    { id: "own", metricName: "Backlog" },
    { id: "visible", namespace: "AWS/SQS", metricName: "ApproximateNumberOfMessagesVisible" },
  ];
  expect(settles({ namespace: "Shop", expression: "own + visible", queries })).toBe(60_000);
  expect(settles({ namespace: "Shop", expression: "own * 2", queries: queries.slice(0, 1) })).toBe(0);
  expect(settles({ namespace: "AWS/SQS", period: "often" })).toBe(0);
});

describe("values", () => {
  test.each([
    ["Average", "2500m"],
    ["Maximum", "4"],
    ["SampleCount", "2"],
    ["p50", "2500m"],
  ])("the %s of 1 and 4 is %s", async (statistic, expected) => {
    fake.put(identity, [
      [minute("12:06:00"), 1],
      [minute("12:06:30"), 4],
    ]);
    expect(await valueOf({ ...backlog, statistic })).toBe(expected);
  });

  test("dimensions, unit and region are asked for as given", async () => {
    const orders = {
      ...identity,
      Dimensions: [
        { Name: "Stage", Value: "prod" },
        { Name: "Queue", Value: "orders" },
      ],
    };
    fake.put(orders, [[minute("12:06:00"), 3]], "Count");
    const query = { ...backlog, "dimension.Queue": "orders", dimensions: { Stage: "prod" }, region: "us-east-2" };
    expect(await valueOf({ ...query, unit: "Count" })).toBe("3");
    expect(await valueOf({ ...query, unit: "Bytes" })).toContain("no datapoint");
    expect(await valueOf({ ...query, dimensions: {} })).toContain("no datapoint");
    expect(fake.requests.map(({ region }) => region)).toEqual(["us-east-2", "us-east-2", "us-east-2"]);
  });

  test("no datapoint is an error that says what was asked, unless the user says what absence means", async () => {
    expect(await read(backlog, { ...backlog, absent: "0" }, { ...backlog, absent: 2.5 })).toEqual([
      {
        error:
          "Sum of App Backlog{} over 60 s: no datapoint in the last 5 complete periods (set the parameter absent to use a value instead)",
        from: "cloudwatch",
      },
      { items: [{ metricName: "cloudwatch", timestamp: "2026-01-01T12:06:00.000Z", windowSeconds: 60, value: "0" }] },
      {
        items: [{ metricName: "cloudwatch", timestamp: "2026-01-01T12:06:00.000Z", windowSeconds: 60, value: "2500m" }],
      },
    ]);
  });
});

describe("expressions", () => {
  test("are computed by CloudWatch, with ids that do not collide with those of others", async () => {
    fake.put(identity, [[minute("12:06:00"), 30]]);
    fake.put({ ...identity, MetricName: "Rate" }, [[minute("12:06:00"), 4]]);
    const double = { ...ratio, expression: "2 * backlog / rate" };
    expect((await read(ratio, double, { ...ratio, expression: "MAX([backlog, rate])" })).map(valueIn)).toEqual([
      "7500m",
      "15",
      "30",
    ]);
    expect(inputs()).toHaveLength(1);
    expect(inputs()[0]?.MetricDataQueries.map(({ Id, Expression }) => Expression ?? Id)).toEqual([
      ...["q0_backlog", "q0_rate", "q0_backlog / q0_rate"],
      ...["q1_backlog", "q1_rate", "2 * q1_backlog / q1_rate"],
      ...["q2_backlog", "q2_rate", "MAX([q2_backlog, q2_rate])"],
    ]);
  });

  test("FILL in an expression says what absence of one metric means", async () => {
    fake.put(identity, [[minute("12:06:00"), 30]]);
    expect(await valueOf({ ...ratio, expression: "backlog + FILL(rate, 1)" })).toBe("31");
  });

  test("a division by zero is an error with CloudWatch's message, not an older value and not absence", async () => {
    fake.put(identity, [
      [minute("12:05:00"), 30],
      [minute("12:06:00"), 30],
    ]);
    fake.put({ ...identity, MetricName: "Rate" }, [
      [minute("12:05:00"), 4],
      [minute("12:06:00"), 0],
    ]);
    expect(await valueOf({ ...ratio, absent: 0 })).toMatch(
      /^expression "backlog \/ rate" over 60 s: expected from cloudwatch:GetMetricData a result without messages: ArithmeticError: One or more/,
    );
  });

  test("several time series are an error that says how to make them one", async () => {
    fake.put(identity, [[minute("12:06:00"), 1]]);
    fake.put({ ...identity, MetricName: "Rate" }, [[minute("12:06:00"), 2]]);
    expect(await valueOf({ ...ratio, expression: "METRICS()" })).toContain(
      "expected one time series (wrap it in SUM, MAX, …), got 2",
    );
    expect(await valueOf({ ...ratio, expression: "SUM(METRICS())" })).toBe("3");
  });

  test("METRICS() means the queries of its own entry: it has a call of its own, with the ids as written", async () => {
    fake.put(identity, [[minute("12:06:00"), 1]]);
    const own = { ...ratio, expression: "SUM(METRICS())" };
    expect((await read(backlog, own, { ...own, queries: ratio.queries.slice(0, 1) })).map(valueIn)).toEqual([
      "1",
      "1",
      "1",
    ]);
    expect(
      inputs()
        .map(({ MetricDataQueries }) => MetricDataQueries.map(({ Id }) => Id).join(" "))
        .sort(),
    ).toEqual([...["backlog rate value", "backlog value", "m"]]);
  });

  test("one that CloudWatch refuses fails alone, with CloudWatch's words and the ids as written", async () => {
    fake.put(identity, [[minute("12:06:00"), 30]]);
    fake.put({ ...identity, MetricName: "Rate" }, [[minute("12:06:00"), 4]]);
    const queries = Array.from({ length: 40 }, (_, index) => ({ ...ratio, expression: `backlog / rate + ${index}` }));
    queries[17] = { ...ratio, expression: "backlog +" };
    const values = (await read(...queries)).map(valueIn);
    expect(values[17]).toBe(
      `expression "backlog +" over 60 s: CloudWatch in eu-west-1: cloudwatch:GetMetricData refused the request (ValidationException: Error in expression 'value': Invalid syntax)`,
    );
    values.splice(17, 1);
    expect(values).toEqual(
      [...Array(40).keys()].filter((index) => index !== 17).map((index) => `${7500 + index * 1000}m`),
    );
    expect(fake.requests.length).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(40)) + 1);
  });

  test("many refused ones cost a bounded number of calls", async () => {
    const queries = Array.from({ length: 150 }, (_, index) => ({ expression: `SUM(${index}` }));
    const values = (await read(...queries)).map(valueIn);
    expect(values.every((value) => String(value).includes("refused the request"))).toBe(true);
    expect(fake.requests.length).toBeLessThanOrEqual(65);
  });
});

describe("one HPA with refused expressions", () => {
  const good = (hpa: number) => ({
    requester: `shop/good-${hpa}`,
    parameters: { ...ratio, expression: `backlog / rate + ${hpa}` },
  });
  const bad = (hpa: string, index: number, period = 60) => ({
    requester: `shop/${hpa}`,
    priority: index,
    parameters: { expression: `SUM(${index}`, period },
  });
  const readFor = async (asked: readonly { requester: string; parameters: Parameters; priority?: number }[]) => {
    const before = fake.requests.length;
    const queries = asked.map((one) => ({ metricName: "cloudwatch", ...one }));
    const values = (await readAll(source, queries, now, signal)).map(valueIn);
    return { values, calls: fake.requests.length - before };
  };
  const innocents = Array.from({ length: 40 }, (_, hpa) => good(hpa));
  const theirs = innocents.map((_, hpa) => `${7500 + hpa * 1000}m`);

  beforeEach(() => {
    fake.put(identity, [[minute("12:06:00"), 30]]);
    fake.put({ ...identity, MetricName: "Rate" }, [[minute("12:06:00"), 4]]);
  });

  test("costs no other HPA a value, however many it has", async () => {
    const hog = Array.from({ length: 100 }, (_, index) => bad("hog", index));
    const { values, calls } = await readFor([...hog, ...innocents]);
    expect(values.slice(100)).toEqual(theirs);
    expect(values.slice(0, 100).every((value) => String(value).includes("refused the request"))).toBe(true);
    expect(calls).toBeLessThanOrEqual(90);
  });

  test("nor do five such HPAs, and from the second slot on the others pay nothing for them", async () => {
    const hogs = Array.from({ length: 100 }, (_, index) => bad(`hog-${index % 5}`, index));
    const { values } = await readFor([...hogs, ...innocents]);
    expect(values.slice(100)).toEqual(theirs);
    const [again, calls] = [await readFor(innocents), fake.requests.length];
    expect([again.values, again.calls]).toEqual([theirs, 1]);
    await readFor([...hogs, ...innocents]);
    const shared = inputs()
      .slice(calls)
      .filter(({ MetricDataQueries }) => MetricDataQueries.some(({ Expression }) => Expression?.includes("backlog")));
    expect(shared).toHaveLength(1);
  });

  test("nor one that spreads them over many calls", async () => {
    const periods = Array.from({ length: 20 }, (_, index) => 60 * (index + 1));
    const hog = periods.map((period, index) => bad("hog", index, period));
    const others = periods.map((period) => ({
      requester: `shop/of-${period}`,
      parameters: { ...ratio, period, absent: 7 },
    }));
    const { values } = await readFor([...hog, ...others]);
    expect(values.slice(20).filter((value) => String(value).includes("refused"))).toEqual([]);
  });

  test("keeps the values of its other expressions", async () => {
    const own = Array.from({ length: 30 }, (_, index) => ({ ...good(index), requester: "shop/hog" }));
    const { values } = await readFor([...own, bad("hog", 30), ...innocents.slice(30)]);
    expect(values.slice(0, 30)).toEqual(theirs.slice(0, 30));
    expect(values[30]).toContain("Error in expression 'value'");
    expect(values.slice(31)).toEqual(theirs.slice(30));
  });
});

describe("calls", () => {
  const named = (index: number): Parameters => ({ ...backlog, metricName: `Backlog${index}` });
  const putAll = (count: number): void => {
    for (let index = 0; index < count; index += 1) {
      fake.put({ Namespace: "App", MetricName: `Backlog${index}` }, [[minute("12:06:00"), index]]);
    }
  };

  test("1,001 metrics are three calls of at most 500", async () => {
    putAll(1001);
    const values = (await read(...Array.from({ length: 1001 }, (_, index) => named(index)))).map(valueIn);
    expect(values).toEqual(Array.from({ length: 1001 }, (_, index) => String(index)));
    expect(
      inputs()
        .map(({ MetricDataQueries }) => MetricDataQueries.length)
        .sort((a, b) => a - b),
    ).toEqual([1, 500, 500]);
  });

  test("equal queries are one metric, also when their labels are in another order or they differ in what absence means", async () => {
    putAll(1);
    const readings = await read(
      { ...named(0), dimensions: {} },
      { statistic: "Sum", delay: 0, metric: "Backlog0", namespace: "App" },
      { ...named(0), absent: "0", periods: "9", region: "eu-west-1" },
    );
    expect(readings.map(valueIn)).toEqual(["0", "0", "0"]);
    expect(inputs().map(({ MetricDataQueries }) => MetricDataQueries.length)).toEqual([1]);
    expect(inputs()[0]?.StartTime).toBe(minute("11:58:00"));
  });

  test("a query that shares a longer window of another still looks no further back than it says", async () => {
    fake.put(identity, [[minute("12:01:00"), 5]]);
    expect((await read({ ...backlog, periods: 6 }, { ...backlog, absent: 0 })).map(valueIn)).toEqual(["5", "0"]);
    expect(fake.requests).toHaveLength(1);
  });

  test("regions, periods and ends have calls of their own", async () => {
    putAll(1);
    const both = { ...named(0), period: 300, region: "us-east-2" };
    await read(named(0), { ...named(0), region: "us-east-2" }, both, { ...named(0), delay: 120 });
    expect(fake.requests).toHaveLength(4);
  });

  test("pages are followed to the last, and a result may go on over several", async () => {
    await fake.close();
    await open({ maxDatapoints: 3 });
    for (const name of ["Backlog0", "Backlog1"]) {
      const samples = [2, 3, 4, 5, 6].map((at) => [minute(`12:0${at}:00`), at] as const);
      fake.put({ Namespace: "App", MetricName: name }, samples);
    }
    expect((await read(named(0), named(1), { ...named(2), absent: 0 })).map(valueIn)).toEqual(["6", "6", "0"]);
    expect(fake.requests).toHaveLength(4);
  });

  test("an answer whose pages never end is an error", async () => {
    fake.answer({ raw: JSON.stringify({ MetricDataResults: [], NextToken: "again" }) }, 1000);
    expect(await valueOf(backlog)).toContain("CloudWatch in eu-west-1: expected at most 50 pages, got more");
  });
});

describe("failures", () => {
  const asked = "Sum of App Backlog{} over 60 s: CloudWatch in eu-west-1:";

  test.each<[string, Parameters | "hang", string]>([
    ["throttled", { code: "ThrottlingException" }, "cloudwatch:GetMetricData was throttled (ThrottlingException)"],
    [
      "denied",
      { code: "AccessDenied", status: 403, message: "not authorized" },
      "access denied, the role needs cloudwatch:GetMetricData (AccessDenied: not authorized)",
    ],
    [
      "expired",
      { code: "ExpiredToken", status: 403, message: "is expired" },
      "credentials not accepted for cloudwatch:GetMetricData (ExpiredToken)",
    ],
    [
      "failing within",
      { code: "InternalServiceFault", status: 500 },
      "expected an answer to cloudwatch:GetMetricData, got HTTP 500 (InternalServiceFault)",
    ],
    ["a web page", { raw: "<html>" }, "expected an answer to cloudwatch:GetMetricData, got HTTP 200 (SyntaxError)"],
    [
      "a notice about the whole answer",
      { raw: `{"Messages": [{"Code": "Limit", "Value": "exceeded"}], "MetricDataResults": []}` },
      "expected a complete answer, got Limit: exceeded",
    ],
  ])("%s: the reading says so, and another region's is not touched", async (_name, instead, said) => {
    fake.put(identity, [[minute("12:06:00"), 7]]);
    fake.answer(instead as { raw: string }, 1, ({ region }) => region === "eu-west-1");
    const [here, there] = await read({ ...backlog, absent: 0 }, { ...backlog, region: "us-east-2" });
    expect(here).toMatchObject({ error: `${asked} ${said}`, from: "cloudwatch" });
    expect(valueIn(there)).toBe("7");
  });

  test.each([
    { code: "Throttling", isThrottled: true },
    { code: "AccessDenied", isThrottled: undefined },
  ])("$code: only a throttled reading says that nothing was read", async ({ code, isThrottled }) => {
    fake.answer({ code, message: "Rate exceeded" }, 2);
    const [reading] = await read(backlog);
    expect((reading as { readonly isThrottled?: boolean }).isThrottled).toBe(isThrottled);
  });

  test.each<[string, object, string]>([
    ["no result", {}, "expected from cloudwatch:GetMetricData a result for each query, got none for this one"],
    [
      "partial",
      { StatusCode: "PartialData", Timestamps: [minute("12:06:00")], Values: [7] },
      "expected from cloudwatch:GetMetricData a Complete result, got PartialData",
    ],
    [
      "an internal error",
      { StatusCode: "InternalError" },
      "expected from cloudwatch:GetMetricData a Complete result, got InternalError",
    ],
    [
      "forbidden",
      { StatusCode: "Forbidden", Messages: [{ Code: "Account", Value: "not linked" }] },
      "access to the metric is denied (Forbidden): Account: not linked",
    ],
    [
      "no status",
      { Timestamps: [minute("12:06:00")], Values: [7] },
      "expected from cloudwatch:GetMetricData a Complete result, got no StatusCode",
    ],
    [
      "NaN",
      { StatusCode: "Complete", Timestamps: [minute("12:06:00")], Values: ["NaN"] },
      "expected from cloudwatch:GetMetricData a number, got NaN",
    ],
    [
      "Infinity",
      { StatusCode: "Complete", Timestamps: [minute("12:06:00")], Values: ["Infinity"] },
      "expected from cloudwatch:GetMetricData a number, got Infinity",
    ],
    [
      "a value too few",
      { StatusCode: "Complete", Timestamps: [minute("12:06:00")], Values: [] },
      "expected from cloudwatch:GetMetricData a Complete result, got Timestamps and Values that do not match",
    ],
    [
      "a message",
      { StatusCode: "Complete", Messages: [{ Code: "C", Value: "v" }] },
      "expected from cloudwatch:GetMetricData a result without messages: C: v",
    ],
  ])("a result with %s is an error in its place, also where absence has a meaning", async (name, result, said) => {
    const good = { Id: "q1_m", StatusCode: "Complete", Timestamps: [minute("12:06:00")], Values: [7] };
    const results = name === "no result" ? [good] : [{ Id: "q0_m", Label: "Backlog", ...result }, good];
    fake.answer({ raw: JSON.stringify({ MetricDataResults: results }) });
    expect(await read({ ...backlog, absent: 0 }, { ...backlog, metricName: "Other" })).toEqual([
      { error: `Sum of App Backlog{} over 60 s: ${said}`, from: "cloudwatch" },
      { items: [{ metricName: "cloudwatch", timestamp: "2026-01-01T12:06:00.000Z", windowSeconds: 60, value: "7" }] },
    ]);
  });

  test("a bad query fails without a request, and the others are read", async () => {
    fake.put(identity, [[minute("12:06:00"), 7]]);
    const values = (await read({ ...backlog, statistic: "average" }, backlog)).map(valueIn);
    expect(values).toEqual([expect.stringMatching(/^parameter statistic: expected Average, .*, got "average"$/), "7"]);
    expect(inputs()[0]?.MetricDataQueries).toHaveLength(1);
    await read({});
    expect(fake.requests).toHaveLength(1);
  });

  test("when the signal fires, each query without an answer says so", async () => {
    fake.answer("hang");
    const deadline = new AbortController();
    const reading = readAll(source, [{ metricName: "cloudwatch", parameters: backlog }], now, deadline.signal);
    await until(() => fake.requests.length > 0);
    deadline.abort();
    const said = "the sync's time was up before cloudwatch:GetMetricData answered";
    expect(await reading).toEqual([{ error: `${asked} ${said}`, from: "cloudwatch" }]);
  });

  test("without queries, nothing is sent", async () => {
    expect(await read()).toEqual([]);
    expect(fake.requests).toEqual([]);
  });
});
