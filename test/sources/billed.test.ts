import { billedByAws as ofCloudWatch } from "../../lib/sources/cloudwatch/cloudwatch-query";
import { billedByAws as ofSqs } from "../../lib/sources/sqs/sqs-query";

const query = (parameters: Readonly<Record<string, unknown>>) => ({ metricName: "any", parameters });

describe("SQS", () => {
  const request = { unit: "SQS request", keptSeconds: 0 };

  test("bills a request for each queue, which HPAs share if it is named alike", () => {
    const arn = "arn:aws:sqs:eu-west-1:123456789012:orders";
    const [named] = ofSqs(query({ queue: "orders" }));
    expect(named).toEqual({ ...request, what: "queue", key: '[null,null,"orders"]' });
    expect(ofSqs(query({ queues: `orders,${arn}` })).map(({ key }) => key)).toEqual([
      named?.key,
      '["eu-west-1","123456789012","orders"]',
    ]);
    expect(ofSqs(query({ queue: "orders", region: "eu-west-1" }))[0]?.key).toBe('["eu-west-1",null,"orders"]');
  });

  test("bills the list of a prefix, and at least one queue of it", () => {
    const key = '["prefix","eu-west-1","or"]';
    expect(ofSqs(query({ queuePrefix: "or", region: "eu-west-1" }))).toEqual([
      { ...request, what: "queue list", key },
      { ...request, what: "queue", key, isLeast: true },
    ]);
  });

  test("bills a metric of CloudWatch for each queue whose age is asked for, and keeps it", () => {
    const kept = { keptSeconds: 60, key: '[null,null,"orders"]' };
    expect(ofSqs(query({ queue: "orders", measure: "age" }))).toEqual([
      { ...request, ...kept, what: "queue" },
      { ...kept, what: "age", unit: "CloudWatch metric", loweredBy: "the measure messages" },
    ]);
  });
});

describe("CloudWatch", () => {
  const metric = {
    ...{ what: "metric", unit: "CloudWatch metric", keptSeconds: 300 },
    loweredBy: "a longer period of the metric (parameter period)",
  };
  const stat = (name: string) => ({ id: name, namespace: "App", metricName: name, statistic: "Sum" });
  const keysOf = (parameters: Readonly<Record<string, unknown>>) =>
    ofCloudWatch(query(parameters)).map(({ key }) => key);
  const given = { namespace: "App", metric: "Backlog", statistic: "Sum", period: 300, region: "eu-west-1" };

  test("bills each metric of a request, and nothing for what is computed from them", () => {
    const [one, ...more] = ofCloudWatch(query(given));
    expect([one, more]).toEqual([{ ...metric, key: expect.stringMatching(/^\["eu-west-1",/) as string }, []]);
    const queries = [stat("a"), stat("b"), { id: "c", expression: "a + b" }];
    const both = ofCloudWatch(query({ queries, expression: "c * 2", period: 300 }));
    expect(both).toHaveLength(2);
    expect(new Set(both.map(({ key }) => key)).size).toBe(2);
  });

  test("bills at least one where CloudWatch alone knows how many there are", () => {
    const expression = "SEARCH('{App} Backlog', 'Sum', 300)";
    expect(ofCloudWatch(query({ expression, period: 300 }))).toEqual([
      { ...metric, key: expect.any(String) as string, isLeast: true },
    ]);
  });

  test("of requests that differ, HPAs share nothing", () => {
    const other = { ...given, metric: "Age" };
    const elsewhere = { ...given, region: "us-east-1" };
    expect(keysOf(given)).toEqual(keysOf({ ...given }));
    expect(new Set([given, other, elsewhere].flatMap(keysOf)).size).toBe(3);
  });
});
