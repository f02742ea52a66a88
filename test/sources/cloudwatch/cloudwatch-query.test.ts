import fc from "fast-check";
import { isFault } from "../../../lib/model/fault";
import { parseCloudWatchQuery } from "../../../lib/sources/cloudwatch/cloudwatch-query";

const parse = (parameters: Record<string, unknown>) => parseCloudWatchQuery({ metricName: "cloudwatch", parameters });
const metric = { namespace: "AWS/SQS", metricName: "ApproximateNumberOfMessagesVisible" };
const maths = {
  expression: "FILL(a, 0) / b",
  queries: [
    { id: "a", namespace: "App", metricName: "Backlog" },
    { id: "b", expression: "a + 1e3" },
  ],
};

test("labels are understood: all strings, a dimension each", () => {
  expect(
    parse({
      ...metric,
      "dimension.QueueName": "orders",
      "dimension.Another": "x y/z",
      statistic: "Maximum",
      period: "300",
    }),
  ).toEqual({
    parts: [
      {
        Id: "m",
        MetricStat: {
          Metric: {
            Namespace: "AWS/SQS",
            MetricName: "ApproximateNumberOfMessagesVisible",
            Dimensions: [
              { Name: "Another", Value: "x y/z" },
              { Name: "QueueName", Value: "orders" },
            ],
          },
          Period: 300,
          Stat: "Maximum",
        },
      },
    ],
    wanted: "m",
    periodSeconds: 300,
    periods: 5,
    delaySeconds: 0,
    description: "Maximum of AWS/SQS ApproximateNumberOfMessagesVisible{Another=x y/z,QueueName=orders} over 300 s",
  });
});

test("an entry's parameters are understood: numbers, objects; its labels override its dimensions one by one", () => {
  const query = parse({
    ...{ namespace: "App", metric: "Backlog", statistic: "p99.9", period: 10, periods: 3, delay: 60, absent: 0 },
    ...{ unit: "Count", region: "eu-west-1", account: "123456789012" },
    ...{ dimensions: { Queue: "default", Stage: "prod" }, "dimension.Queue": "orders" },
  });
  expect(query).toMatchObject({ periodSeconds: 10, periods: 3, delaySeconds: 60, absent: 0, region: "eu-west-1" });
  expect(query.parts[0]).toMatchObject({ AccountId: "123456789012", MetricStat: { Unit: "Count", Stat: "p99.9" } });
  expect(query.parts[0]?.MetricStat?.Metric?.Dimensions).toEqual([
    { Name: "Queue", Value: "orders" },
    { Name: "Stage", Value: "prod" },
  ]);
});

test.each([
  [{ statistic: "Sum" }, 60],
  [{ statistic: "SampleCount", period: 300 }, 60],
  [{ statistic: "tc90" }, 60],
  [{ statistic: "TS(:90%)" }, 60],
  [{ statistic: "Sum", delay: 0 }, 0],
  [{ statistic: "Sum", period: 10 }, 0],
  [{ statistic: "tm90" }, 0],
  [{ statistic: "Maximum" }, 0],
])("%j waits for its data for %i s", (given, delaySeconds) => {
  const parameters = { namespace: "App", metricName: "Jobs", ...given };
  expect(parseCloudWatchQuery({ metricName: "m", parameters })).toMatchObject({ delaySeconds });
});

test("an expression waits for the sums that it names", () => {
  const queries = [{ id: "a", namespace: "App", metricName: "Jobs", statistic: "Sum" }];
  const parameters = { expression: "a * 2", queries };
  expect(parseCloudWatchQuery({ metricName: "m", parameters })).toMatchObject({ delaySeconds: 60 });
});

test("an expression's queries take what they do not set from the whole query", () => {
  const query = parse({
    ...{ expression: "value / seconds", namespace: "App", statistic: "Sum", period: 60, "dimension.Queue": "orders" },
    queries: [
      { id: "value", metricName: "Backlog", dimensions: { Stage: "prod" } },
      {
        id: "seconds",
        metricName: "Rate",
        statistic: "Average",
        period: 30,
        namespace: "Other",
        dimensions: { Queue: "all" },
      },
    ],
  });
  expect(query.wanted).toBe("value_");
  expect(
    query.parts.map(({ Id, MetricStat, ReturnData }) => [Id, MetricStat?.Stat, MetricStat?.Period, ReturnData]),
  ).toEqual([
    ["value", "Sum", 60, false],
    ["seconds", "Average", 30, false],
    ["value_", undefined, undefined, undefined],
  ]);
  expect(query.parts.map(({ MetricStat }) => MetricStat?.Metric?.Dimensions?.map(({ Value }) => Value))).toEqual([
    ["orders", "prod"],
    ["all"],
    undefined,
  ]);
  expect(query.description).toBe(`expression "value / seconds" over 60 s`);
});

test.each([
  "Average",
  "SampleCount",
  "IQM",
  "p0",
  "p99",
  "p99.99",
  "p100",
  "tm95",
  "TM(10%:90%)",
  "TM(:90%)",
  "PR(:300)",
  "TS(80%:)",
])("the statistic %s is one", (statistic) => {
  expect(parse({ ...metric, statistic }).parts[0]?.MetricStat?.Stat).toBe(statistic);
});

test.each([
  ["error", undefined],
  ["0", 0],
  ["1.5", 1.5],
  [-2, -2],
])("absent %p means %p", (absent, meaning) => {
  expect(parse({ ...metric, absent }).absent).toBe(meaning);
});

const statistics =
  "Average, Sum, Minimum, Maximum, SampleCount, IQM, or a percentile or trimmed statistic such as p99 or tm95";
const period = "a period in seconds: 1, 5, 10, 20, 30 or a multiple of 60 up to 86400";

test.each<[Record<string, unknown>, string]>([
  [{}, "parameter metricName: expected a metric's name of 1 to 255 characters, got nothing"],
  [{ metricName: "m" }, "parameter namespace: expected an ASCII namespace such as AWS/SQS, got nothing"],
  [{ ...metric, namespace: ":x" }, `parameter namespace: expected an ASCII namespace such as AWS/SQS, got ":x"`],
  [{ ...metric, metric: "m" }, `parameter metric: expected metricName or metric, not both, got "m"`],
  ...["average", "p101", "p", "TM()", "Median", 5].map((statistic): [Record<string, unknown>, string] => [
    { ...metric, statistic },
    `parameter statistic: expected ${statistics}, got ${JSON.stringify(statistic)}`,
  ]),
  ...[0, 45, "90", 61, "1m", -60, 60.5, 86_460, true].map((given): [Record<string, unknown>, string] => [
    { ...metric, period: given },
    `parameter period: expected ${period}, got ${JSON.stringify(given)}`,
  ]),
  [{ ...metric, periods: 0 }, "parameter periods: expected a whole number from 1 to 100, got 0"],
  [{ ...metric, delay: "soon" }, `parameter delay: expected a whole number from 0 to 86400, got "soon"`],
  [{ ...metric, absent: "zero" }, `parameter absent: expected "error" or a number, got "zero"`],
  [{ ...metric, absent: Number.NaN }, `parameter absent: expected "error" or a number, got NaN`],
  [
    { ...metric, unit: "Messages" },
    `parameter unit: expected a CloudWatch unit such as Count or Bytes, got "Messages"`,
  ],
  [{ ...metric, region: "Ireland" }, `parameter region: expected an AWS region such as eu-west-1, got "Ireland"`],
  [
    { ...metric, dimensions: "QueueName=orders" },
    `parameter dimensions: expected an object of names and values such as {"QueueName": "orders"}, got "QueueName=orders"`,
  ],
  [
    { ...metric, dimensions: { Shard: 7 } },
    "parameter dimensions.Shard: expected a string of 1 to 1024 ASCII characters, got 7",
  ],
  [{ ...metric, namespace: "Läden" }, `parameter namespace: expected an ASCII namespace such as AWS/SQS, got "Läden"`],
  ...["ö", " ", "a\tb"].map((value): [Record<string, unknown>, string] => [
    { ...metric, "dimension.Shard": value },
    `parameter dimension.Shard: expected a string of 1 to 1024 ASCII characters, got ${JSON.stringify(value)}`,
  ]),
  [
    { ...metric, "dimension.": "x" },
    `parameter dimension.: expected a dimension's name of 1 to 255 ASCII characters, got ""`,
  ],
  [
    { ...metric, dimensions: Object.fromEntries(Array.from({ length: 31 }, (_, index) => [`d${index}`, "x"])) },
    "parameter dimensions: expected at most 30 dimensions, got 31",
  ],
  [{ ...metric, queries: [] }, "parameter queries: expected queries only together with an expression, got []"],
  [
    { ...maths, metricName: "m" },
    `parameter metricName: expected nothing beside an expression (set it in queries), got "m"`,
  ],
  [{ ...maths, expression: "" }, `parameter expression: expected an expression of 1 to 2048 characters, got ""`],
  [
    { ...maths, queries: "a" },
    `parameter queries: expected a list of at most 499 objects, which only a SOURCE entry can hold, got "a"`,
  ],
  [
    { ...maths, queries: [{ expression: "1" }] },
    "parameter queries[0].id: expected an id of letters, digits and _ that starts with a lowercase letter, got nothing",
  ],
  [{ ...maths, queries: ["a"] }, `parameter queries[0]: expected an object, got "a"`],
  [
    { ...maths, queries: [{ id: "A", expression: "1" }] },
    `parameter queries[0].id: expected an id of letters, digits and _ that starts with a lowercase letter, got "A"`,
  ],
  [
    {
      ...maths,
      queries: [
        { id: "a", expression: "1" },
        { id: "a", expression: "2" },
      ],
    },
    `parameter queries[1].id: expected an id that no other query has, got "a"`,
  ],
  [
    { ...maths, queries: [{ id: "a", metricName: "m" }] },
    "parameter queries[0].namespace: expected an ASCII namespace such as AWS/SQS, got nothing",
  ],
  [
    { ...maths, queries: [{ id: "a", namespace: "n" }] },
    "parameter queries[0].metricName: expected a metric's name of 1 to 255 characters, got nothing",
  ],
  [
    { ...maths, queries: [{ id: "a", expression: "1", period: 60 }] },
    "parameter queries[0].period: expected nothing beside an expression except its id, got 60",
  ],
  [
    { ...maths, queries: [{ id: "a", namespace: "n", metricName: "m", period: 300 }] },
    "parameter queries[0].period: expected a divisor of the query's period 60, got 300",
  ],
  [
    { ...maths, queries: [{ id: "a", namespace: "n", metricName: "m", dimensions: [] }] },
    `parameter queries[0].dimensions: expected an object of names and values such as {"QueueName": "orders"}, got []`,
  ],
  [{ ...maths, expression: "a / c" }, `parameter expression: expected ids of queries (a, b), got c in "a / c"`],
  [{ expression: "m1" }, `parameter expression: expected ids of queries (none), got m1 in "m1"`],
  [
    { ...metric, metricname: "m" },
    "parameter metricname: unknown field (did you mean metricName?), expected one of namespace, metricName, metric, statistic, period, dimensions, unit, expression, queries, region, account, periods, delay, absent, dimension.<Name>",
  ],
])("refuses %j", (parameters, message) => {
  expect(() => parse(parameters)).toThrow(message);
});

test.each([
  "SEARCH('{AWS/SQS,QueueName} orders', 'Sum', 60)",
  "SELECT AVG(depth) FROM App WHERE queue = 'orders'",
  `SUM(METRICS("m"))`,
])("%s is CloudWatch's to check", (expression) => {
  expect(parse({ expression }).parts).toHaveLength(1);
});

test("any parameters are either understood or refused as a bad entry", () => {
  const name = fc.constantFrom(
    "period",
    "statistic",
    "dimensions",
    "queries",
    "expression",
    "absent",
    "dimension.a",
    "unit",
  );
  fc.assert(
    fc.property(fc.dictionary(name, fc.anything()), (parameters) => {
      try {
        expect(parse({ ...metric, ...parameters }).parts.length).toBeGreaterThan(0);
      } catch (error) {
        expect(isFault(error, "badEntry")).toBe(true);
      }
    }),
  );
});
