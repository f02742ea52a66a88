import { openSqsClients } from "../../../lib/aws/clients";
import { openSqsSource, sqsConcurrency } from "../../../lib/sources/sqs/sqs";
import type { MetricSource } from "../../../lib/model/ports/sources";
import { type QueueAnswer, type SqsServer, startSqsServer } from "./sqs-server";
import { openCloudWatchClients } from "../../../lib/aws/sdk/cloudwatch-clients";
import { openCloudWatchSource } from "../../../lib/sources/cloudwatch/cloudwatch";
import { type FakeCloudWatch, startCloudWatch } from "../../fakes/cloudwatch/start-cloudwatch";
import { readAll } from "../read-all";
import { until } from "../../time/until";

const credentials = { accessKeyId: "test", secretAccessKey: "test" };
const now = Date.parse("2026-01-01T00:00:15Z");
const signal = new AbortController().signal;
const depth = (visible: unknown, inFlight: unknown = "0", delayed: unknown = "0"): QueueAnswer => ({
  ApproximateNumberOfMessages: visible,
  ApproximateNumberOfMessagesNotVisible: inFlight,
  ApproximateNumberOfMessagesDelayed: delayed,
});

let server: SqsServer;
let source: MetricSource;

beforeEach(async () => {
  server = await startSqsServer();
  source = openSqsSource(openSqsClients({ endpoint: server.url, region: "eu-west-1", credentials, maxAttempts: 1 }));
});
afterEach(() => server.close());

const read = (...parameters: Record<string, unknown>[]) =>
  readAll(
    source,
    parameters.map((given) => ({ metricName: "sqs", parameters: given })),
    now,
    signal,
  );
const valueOf = async (parameters: Record<string, unknown>) => {
  const [reading] = await read(parameters);
  return reading !== undefined && "items" in reading ? reading.items[0]?.value : reading;
};

test("a reading is visible + in flight, as of now", async () => {
  server.queues.set("orders", depth("3", "2", "7"));
  expect(await read({ queue: "orders" })).toEqual([
    {
      items: [
        { metricName: "sqs", metricLabels: { queue: "orders" }, timestamp: "2026-01-01T00:00:15.000Z", value: "5" },
      ],
      certain: "3",
    },
  ]);
});

const certainOf = async (parameters: Record<string, unknown>) => {
  const [reading] = await read(parameters);
  return reading !== undefined && "items" in reading ? reading.certain : reading;
};

test.each<[string, QueueAnswer, Record<string, unknown>, string | undefined]>([
  ["messages in flight are not certain", depth("0", "2"), {}, "0"],
  ["visible ones are", depth("3", "2"), {}, "3"],
  ["delayed ones are, if they count", depth("0", "2", "7"), { includeDelayed: true }, "7"],
  ["and not if they do not", depth("0", "2", "7"), {}, "0"],
  ["without any in flight, all of it is", depth("3"), {}, undefined],
  ["without those in flight, all of it is", depth("0", "2"), { includeInFlight: false }, undefined],
])("what is certain of a queue: %s", async (_name, answer, parameters, expected) => {
  server.queues.set("orders", answer);
  expect(await certainOf({ queue: "orders", ...parameters })).toBe(expected);
});

test("a queue whose messages are all certain does not make another's certain", async () => {
  server.queues.set("orders", depth("0", "2"));
  server.queues.set("mail", depth("4"));
  expect(await certainOf({ queues: "orders,mail" })).toBe("4");
});

test.each([
  [{}, "5"],
  [{ includeInFlight: "false" }, "3"],
  [{ includeDelayed: "true" }, "12"],
  [{ includeInFlight: false, includeDelayed: true }, "10"],
])("with %j it is %s", async (parameters, expected) => {
  server.queues.set("orders", depth("3", "2", "7"));
  expect(await valueOf({ queue: "orders", ...parameters })).toBe(expected);
});

test("is asked every slot", () => {
  expect(source.keepMs({ metricName: "sqs", parameters: { queue: "orders" } })).toBe(0);
});

test("the name, the ARN, the URL and other inclusions of one queue are one request for its attributes", async () => {
  server.queues.set("orders", depth("1"));
  const readings = await read(
    { queue: "orders" },
    { queue: "orders", includeDelayed: "true" },
    { queue: "orders", region: "eu-west-1" },
    { queue: "arn:aws:sqs:eu-west-1:123456789012:orders" },
    { queue: "https://sqs.eu-west-1.amazonaws.com/123456789012/orders" },
  );
  expect(readings.filter((reading) => "items" in reading)).toHaveLength(5);
  expect(server.requests.filter((request) => request.startsWith("GetQueueAttributes"))).toHaveLength(1);
});

const urlsAskedFor = () =>
  server.requests
    .filter((request) => request.startsWith("GetQueueUrl"))
    .map((request) => /"QueueName":"([^"]*)"/.exec(request)?.[1]);

test("the process keeps the URLs of the queues that it read last, and no others", async () => {
  const clients = openSqsClients({ endpoint: server.url, region: "eu-west-1", credentials, maxAttempts: 1 });
  source = openSqsSource(clients, { mostUrls: 2 });
  for (const name of ["a", "b", "c", "b", "c", "a"]) {
    server.queues.set(name, depth("1"));
    const account = { a: "111111111111", b: "222222222222", c: "333333333333" }[name];
    expect(await valueOf({ queue: name, account })).toBe("1");
  }
  expect(urlsAskedFor()).toEqual(["a", "b", "c", "a"]);
});

test("the URLs of an account's queues in a region differ in the name alone, so one is asked for", async () => {
  const names = Array.from({ length: 200 }, (_, index) => `queue-${index}`);
  for (const name of names) server.queues.set(name, depth("1"));
  expect(await valueOf({ queue: "queue-0" })).toBe("1");
  await read(...names.map((queue) => ({ queue })));
  await read({ queue: "queue-1", region: "us-east-2" }, { queue: "queue-1", account: "210987654321" });
  expect(urlsAskedFor()).toEqual(["queue-0", "queue-1", "queue-1"]);
  expect(server.requests.filter((request) => request.startsWith("GetQueueAttributes"))).toHaveLength(203);
});

test("of many queues at once, those that wait for a socket need no URL any more", async () => {
  const names = Array.from({ length: 200 }, (_, index) => `queue-${index}`);
  for (const name of names) server.queues.set(name, depth("1"));
  await read(...names.map((queue) => ({ queue })));
  expect(urlsAskedFor().length).toBeLessThanOrEqual(2 * sqsConcurrency);
});

test("a queue that hangs holds up no other one's URL", async () => {
  server.queues.set("hangs", "hang");
  server.queues.set("orders", depth("1"));
  const deadline = new AbortController();
  const reading = readAll(
    source,
    ["hangs", "orders"].map((queue) => ({ metricName: "sqs", parameters: { queue } })),
    now,
    deadline.signal,
  );
  setTimeout(() => deadline.abort(), 300);
  expect((await reading).map((answer) => "items" in answer)).toEqual([false, true]);
});

test("a queue that does not exist is asked for by its name again, whatever the others' URLs are", async () => {
  server.queues.set("orders", depth("1"));
  expect(await valueOf({ queue: "orders" })).toBe("1");
  const gone = {
    error: `queue "later" in eu-west-1: not found by sqs:GetQueueUrl (QueueDoesNotExist)`,
    from: "sqs",
  };
  expect(await valueOf({ queue: "later" })).toEqual(gone);
  expect(await valueOf({ queue: "later" })).toEqual(gone);
  expect(urlsAskedFor()).toEqual(["orders", "later", "later"]);
  expect(await valueOf({ queue: "orders" })).toBe("1");
  server.queues.set("later", depth("2"));
  expect(await valueOf({ queue: "later" })).toBe("2");
});

test("a URL that does not end with the queue's name says nothing of others", async () => {
  server.queues.set("odd", {
    raw: JSON.stringify({ QueueUrl: "http://elsewhere.test/1/other", Attributes: depth("1") }),
  });
  server.queues.set("orders", depth("1"));
  server.queues.set("other", depth("1"));
  await read({ queue: "odd" });
  expect(await valueOf({ queue: "orders" })).toBe("1");
  expect(urlsAskedFor()).toEqual(["odd", "orders"]);
  expect(server.requests.filter((request) => request.startsWith("GetQueueAttributes"))).toHaveLength(2);
});

test("the URL of a name is asked for once, in all reads, with its owner", async () => {
  server.queues.set("orders", depth("1"));
  await read({ queue: "orders", account: "123456789012" });
  await read({ queue: "orders", account: "123456789012" });
  expect(server.requests.map((request) => request.split(" ")[0])).toEqual([
    "GetQueueUrl",
    "GetQueueAttributes",
    "GetQueueAttributes",
  ]);
  expect(server.requests[0]).toContain(`"QueueOwnerAWSAccountId":"123456789012"`);
});

test("a queue that is gone is forgotten, so that its successor is found", async () => {
  server.queues.set("orders", depth("1"));
  expect(await valueOf({ queue: "orders" })).toBe("1");
  server.queues.delete("orders");
  expect(await valueOf({ queue: "orders" })).toEqual({
    error: `queue "orders" in eu-west-1: not found by sqs:GetQueueAttributes (QueueDoesNotExist)`,
    from: "sqs",
  });
  server.queues.set("orders", depth("4"));
  expect(await valueOf({ queue: "orders" })).toBe("4");
  expect(server.requests.filter((request) => request.startsWith("GetQueueUrl"))).toHaveLength(2);
});

test("a query goes to the region that it, its ARN or its URL names, and never to the host of a queue's URL", async () => {
  server.queues.set("orders", depth("1"));
  await read({ queue: "orders", region: "us-east-2" });
  await read({ queue: "arn:aws:sqs:us-west-1:123456789012:orders" });
  await read({ queue: "https://sqs.ap-south-1.amazonaws.com/123456789012/orders" });
  expect(server.requests.map((request) => request.split(" ")[1])).toEqual([
    ...["us-east-2", "us-east-2", "us-west-1", "us-west-1", "ap-south-1"],
  ]);
});

test.each<[string, QueueAnswer, string]>([
  [
    "access denied",
    { code: "AccessDenied", status: 403 },
    "access denied, the role needs sqs:GetQueueAttributes (AccessDenied: said AccessDenied)",
  ],
  [
    "access denied, in another name",
    { code: "AccessDeniedException" },
    "access denied, the role needs sqs:GetQueueAttributes (AccessDeniedException: said AccessDeniedException)",
  ],
  [
    "an expired token",
    { code: "ExpiredTokenException" },
    "credentials not accepted for sqs:GetQueueAttributes (ExpiredTokenException)",
  ],
  ["throttling", { code: "RequestThrottled" }, "sqs:GetQueueAttributes was throttled (RequestThrottled)"],
  [
    "a failure within",
    { code: "InternalFailure", status: 500 },
    "expected an answer to sqs:GetQueueAttributes, got HTTP 500 (InternalFailure)",
  ],
  [
    "anything else refused",
    { code: "UnsupportedOperation" },
    "sqs:GetQueueAttributes refused the request (UnsupportedOperation: said UnsupportedOperation)",
  ],
  [
    "a web page",
    { raw: "<html>captive portal</html>" },
    "expected an answer to sqs:GetQueueAttributes, got HTTP 200 (SyntaxError)",
  ],
  [
    "a web page as an error",
    { raw: "<html>Bad Gateway</html>", status: 502 },
    "expected an answer to sqs:GetQueueAttributes, got HTTP 502 (SyntaxError)",
  ],
  ["nothing in it", { raw: "{}" }, "expected a number for ApproximateNumberOfMessages, got nothing"],
  ["a count missing", depth("1", null), "expected a number for ApproximateNumberOfMessagesNotVisible, got null"],
  ["a count that is empty", depth(""), `expected a number for ApproximateNumberOfMessages, got ""`],
  ["a count below zero", depth("-1"), `expected a number for ApproximateNumberOfMessages, got "-1"`],
  ["a count with a unit", depth("12 messages"), `expected a number for ApproximateNumberOfMessages, got "12 messages"`],
  ["a count that is no number", depth("many"), `expected a number for ApproximateNumberOfMessages, got "many"`],
])("%s is an error that says so, never 0", async (_name, answer, said) => {
  const url = "https://sqs.eu-west-1.amazonaws.com/123456789012/orders";
  server.queues.set("orders", answer);
  expect(await valueOf({ queue: url })).toMatchObject({
    error: `queue "orders" of 123456789012 in eu-west-1: ${said}`,
    from: "sqs",
  });
});

test("a missing count that the query does not include does no harm", async () => {
  server.queues.set("orders", depth("1", null, null));
  expect(await valueOf({ queue: "orders", includeInFlight: "false" })).toBe("1");
});

test.each([
  ["{}", "nothing"],
  [`{"QueueUrl":7}`, "7"],
  [`{"QueueUrl":"orders"}`, `"orders"`],
])("an answer %s to GetQueueUrl is an error", async (raw, shown) => {
  server.queues.set("orders", { raw });
  expect(await valueOf({ queue: "orders" })).toEqual({
    error: `queue "orders" in eu-west-1: expected a URL from sqs:GetQueueUrl, got ${shown}`,
    from: "sqs",
  });
});

test("a queue that cannot be read for a moment keeps its URL", async () => {
  server.queues.set("orders", depth("1"));
  expect(await valueOf({ queue: "orders" })).toBe("1");
  server.queues.set("orders", { code: "AccessDenied", status: 403 });
  expect(await valueOf({ queue: "orders" })).toMatchObject({ from: "sqs" });
  server.queues.set("orders", depth("2"));
  expect(await valueOf({ queue: "orders" })).toBe("2");
  expect(urlsAskedFor()).toEqual(["orders"]);
});

test("all counts are asked for by name", async () => {
  server.queues.set("orders", depth("1"));
  await read({ queue: "orders" });
  const names = ["", "NotVisible", "Delayed"].map((name) => `ApproximateNumberOfMessages${name}`);
  expect(server.requests.at(-1)).toContain(`"AttributeNames":${JSON.stringify(names)}`);
});

test("a refused GetQueueUrl names that action", async () => {
  server.queues.set("orders", { code: "AccessDenied", status: 403 });
  expect(await valueOf({ queue: "orders" })).toMatchObject({
    error: `queue "orders" in eu-west-1: access denied, the role needs sqs:GetQueueUrl (AccessDenied: said AccessDenied)`,
  });
});

test("one failing query leaves the others their values, in order", async () => {
  server.queues.set("a", depth("1"));
  server.queues.set("b", { code: "AccessDenied", status: 403 });
  server.queues.set("d", depth("4"));
  const readings = await read({ queue: "a" }, { queue: "b" }, { quue: "c" }, { queue: "gone" }, { queue: "d" });
  expect(readings.map((reading) => ("items" in reading ? reading.items[0]?.value : "error"))).toEqual([
    ...["1", "error", "error", "error", "4"],
  ]);
});

describe("several queues", () => {
  const requestsOf = (operation: string) => server.requests.filter((request) => request.startsWith(operation));
  const errorOf = async (parameters: Record<string, unknown>) => {
    const [reading] = await read(parameters);
    return reading !== undefined && "error" in reading ? reading.error : reading;
  };
  const urls = (...names: string[]) => names.map((name) => `https://sqs.test/123456789012/${name}`);

  test("by name: the sum of their messages, with what the query includes", async () => {
    server.queues.set("orders", depth("3", "2", "7"));
    server.queues.set("mail", depth("10", "20", "30"));
    expect(await read({ queues: "orders, mail" })).toEqual([
      {
        items: [
          {
            metricName: "sqs",
            metricLabels: { queues: "orders,mail" },
            timestamp: "2026-01-01T00:00:15.000Z",
            value: "35",
          },
        ],
        certain: "13",
      },
    ]);
    expect(await valueOf({ queues: "orders,mail", includeInFlight: "false", includeDelayed: "true" })).toBe("50");
  });

  test("a queue that is named twice counts once", async () => {
    server.queues.set("orders", depth("3"));
    const arn = "arn:aws:sqs:eu-west-1:123456789012:orders";
    expect(await valueOf({ queues: `orders,orders,${arn},https://sqs.test/123456789012/orders` })).toBe("3");
    expect(await valueOf({ queues: "orders,arn:aws:sqs:us-east-1:123456789012:orders" })).toBe("6");
  });

  test("by prefix: all whose names begin with it, and one list for all queries of a run", async () => {
    server.queues.set("orders-a", depth("3", "2"));
    server.queues.set("orders-b.fifo", depth("4"));
    server.queues.set("mail", depth("100"));
    const readings = await read({ queuePrefix: "orders-" }, { queuePrefix: "orders-", includeInFlight: "false" });
    expect(readings.map((reading) => "items" in reading && reading.items[0])).toEqual([
      expect.objectContaining({
        value: "9",
        metricLabels: { queuePrefix: "orders-", queues: "orders-a,orders-b.fifo" },
      }),
      expect.objectContaining({ value: "7" }),
    ]);
    expect(server.requests.map((request) => request.split(" ")[0])).toEqual([
      ...["ListQueues", "GetQueueAttributes", "GetQueueAttributes"],
    ]);
    expect(await valueOf({ queuePrefix: "orders-", region: "us-east-2" })).toBe("9");
    expect(requestsOf("ListQueues us-east-2")).toHaveLength(1);
    expect(requestsOf("GetQueueAttributes us-east-2")).toHaveLength(2);
  });

  test("by two prefixes in one run: each has its own list", async () => {
    server.queues.set("orders-a", depth("3"));
    server.queues.set("mail-a", depth("4"));
    const readings = await read({ queuePrefix: "orders-" }, { queuePrefix: "mail-" });
    expect(readings.map((reading) => "items" in reading && reading.items[0]?.value)).toEqual(["3", "4"]);
  });

  test("a queue by name and by prefix is asked once", async () => {
    server.queues.set("orders-a", depth("3"));
    server.queues.set("orders-b", depth("4"));
    await read({ queuePrefix: "orders-" }, { queues: "orders-b,orders-a" }, { queue: "orders-a" });
    expect(requestsOf("GetQueueAttributes")).toHaveLength(2);
  });

  test("a list in several pages is whole, also if a page is empty", async () => {
    server.queues.set("q1", depth("1"));
    server.queues.set("q2", depth("2"));
    server.lists.push(
      { raw: JSON.stringify({ QueueUrls: urls("q1"), NextToken: "more" }) },
      { raw: JSON.stringify({ NextToken: "still more" }) },
      { raw: JSON.stringify({ QueueUrls: urls("q1", "q2"), NextToken: null }) },
    );
    expect(await valueOf({ queuePrefix: "q" })).toBe("3");
    expect(requestsOf("ListQueues").map((request) => /"NextToken":"([^"]*)"/.exec(request)?.[1])).toEqual([
      ...[undefined, "more", "still more"],
    ]);
  });

  test.each([100, 101, 10_000])("of %d queues under a prefix, 100 are read and more are an error", async (count) => {
    for (let index = 0; index < count; index++) server.queues.set(`q-${index}`, depth("1"));
    const tooMany =
      `queues with the prefix "q-" in eu-west-1: expected at most 100, got more: ` +
      "name fewer by a longer queuePrefix";
    expect(await valueOf({ queuePrefix: "q-" })).toEqual(count > 100 ? { error: tooMany, from: "sqs" } : "100");
    expect(requestsOf("ListQueues")).toHaveLength(1);
    expect(requestsOf("GetQueueAttributes")).toHaveLength(count > 100 ? 0 : 100);
  });

  test.each<[string, QueueAnswer, string]>([
    ["no such queue", { raw: "{}" }, "sqs:ListQueues found none"],
    ["an empty list", { raw: `{"QueueUrls":[]}` }, "sqs:ListQueues found none"],
    ["null in its place", { raw: `{"QueueUrls":null,"NextToken":""}` }, "sqs:ListQueues found none"],
    [
      "no right to list",
      { code: "AccessDenied", status: 403 },
      "access denied, the role needs sqs:ListQueues (AccessDenied: said AccessDenied)",
    ],
    ["a web page", { raw: "<html>" }, "expected an answer to sqs:ListQueues, got HTTP 200 (SyntaxError)"],
    ["no list", { raw: `{"QueueUrls":"x"}` }, `expected a list of QueueUrls from sqs:ListQueues, got "x"`],
    ["no URL", { raw: `{"QueueUrls":["x"]}` }, `expected their URLs from sqs:ListQueues, got "x"`],
    [
      "another queue",
      { raw: JSON.stringify({ QueueUrls: urls("other") }) },
      `expected their URLs from sqs:ListQueues, got "https://sqs.test/123456789012/other"`,
    ],
    [
      "a hostile name",
      { raw: JSON.stringify({ QueueUrls: urls("orders-<script>") }) },
      `expected their URLs from sqs:ListQueues, got "https://sqs.test/123456789012/orders-<script>"`,
    ],
    ["a token that is none", { raw: `{"NextToken":7}` }, "expected a text as NextToken from sqs:ListQueues, got 7"],
  ])("a list with %s is an error, never 0", async (_what, answer, said) => {
    server.queues.set("orders-a", depth("1"));
    server.lists.push(answer);
    expect(await errorOf({ queuePrefix: "orders-" })).toBe(`queues with the prefix "orders-" in eu-west-1: ${said}`);
  });

  test("a list without an end is given up", async () => {
    for (let page = 0; page < 30; page++) server.lists.push({ raw: `{"NextToken":"${page}"}` });
    expect(await errorOf({ queuePrefix: "o" })).toBe(
      `queues with the prefix "o" in eu-west-1: expected at most 20 pages, got more`,
    );
    expect(requestsOf("ListQueues")).toHaveLength(20);
  });

  test("one that cannot be read makes the whole an error that names it", async () => {
    for (const name of ["q-a", "q-b", "q-c"]) server.queues.set(name, depth("1"));
    server.queues.set("q-b", { code: "AccessDenied", status: 403 });
    const said = `queue "q-b" in eu-west-1: access denied, the role needs`;
    expect(await errorOf({ queues: "q-a,q-b,q-c" })).toMatch(said);
    expect(await errorOf({ queuePrefix: "q-" })).toMatch(said);
    server.queues.set("q-b", depth("", "0"));
    expect(await errorOf({ queuePrefix: "q-" })).toMatch(`queue "q-b" in eu-west-1: expected a number`);
    expect(await valueOf({ queues: "q-a,q-c" })).toBe("2");
  });

  test("one that is deleted after the list makes the whole an error that names it", async () => {
    server.queues.set("q-a", depth("1"));
    server.lists.push({ raw: JSON.stringify({ QueueUrls: urls("q-a", "q-gone") }) });
    expect(await errorOf({ queuePrefix: "q-" })).toBe(
      `queue "q-gone" in eu-west-1: not found by sqs:GetQueueAttributes (QueueDoesNotExist)`,
    );
    expect(await valueOf({ queuePrefix: "q-" })).toBe("1");
  });

  test("counts at their limit are summed exactly", async () => {
    for (const name of ["a", "b", "c"]) server.queues.set(name, depth("999999999999999", "999999999999999"));
    expect(await valueOf({ queues: "a,b,c" })).toBe("5999999999999994");
  });

  test("at the deadline, the reading is an error that names what has no answer", async () => {
    for (let index = 0; index < 100; index++) server.queues.set(`q-${index}`, index === 7 ? "hang" : depth("1"));
    const deadline = new AbortController();
    const reading = readAll(source, [{ metricName: "sqs", parameters: { queuePrefix: "q-" } }], now, deadline.signal);
    while (server.requests.length < 101) await new Promise(setImmediate);
    deadline.abort();
    expect(await reading).toEqual([
      {
        error: `queue "q-7" in eu-west-1: the sync's time was up before sqs:GetQueueAttributes answered`,
        from: "sqs",
      },
    ]);

    const listing = new AbortController();
    const asked = server.requests.length;
    server.lists.push("hang");
    const unlisted = readAll(source, [{ metricName: "sqs", parameters: { queuePrefix: "q-" } }], now, listing.signal);
    await until(() => server.requests.length > asked);
    listing.abort();
    expect(await unlisted).toEqual([
      {
        error: `queues with the prefix "q-" in eu-west-1: the sync's time was up before sqs:ListQueues answered`,
        from: "sqs",
      },
    ]);
  });
});

test("hundreds of queues are read, each once", async () => {
  const names = Array.from({ length: 300 }, (_, index) => `queue-${index}`);
  names.forEach((name, index) => server.queues.set(name, depth(String(index))));
  const readings = await read(...names.map((queue) => ({ queue })));
  expect(readings.map((reading) => ("items" in reading ? reading.items[0]?.value : reading))).toEqual(
    names.map((_, index) => String(index)),
  );
  expect(server.requests.length).toBeLessThanOrEqual(300 + 2 * sqsConcurrency);
});

test("when the signal fires, each query without an answer says so, and no more requests are sent", async () => {
  server.queues.set("slow", "hang");
  const deadline = new AbortController();
  const reading = readAll(source, [{ metricName: "sqs", parameters: { queue: "slow" } }], now, deadline.signal);
  await until(() => server.requests.length > 0);
  deadline.abort();
  const said = "the sync's time was up before sqs:GetQueueUrl answered";
  expect(await reading).toEqual([{ error: `queue "slow" in eu-west-1: ${said}`, from: "sqs" }]);
  const seen = server.requests.length;
  await readAll(source, [{ metricName: "sqs", parameters: { queue: "late" } }], now, deadline.signal);
  expect(server.requests).toHaveLength(seen);
});

test("an endpoint that nobody serves is reported as such", async () => {
  const refused = () => Promise.reject(Object.assign(new Error("connect refused"), { code: "ECONNREFUSED" }));
  const clients = openSqsClients({ region: "eu-west-1", credentials, maxAttempts: 1, post: refused });
  const readings = await readAll(
    openSqsSource(clients),
    [{ metricName: "sqs", parameters: { queue: "orders" } }],
    now,
    signal,
  );
  expect(readings).toEqual([
    {
      error: `queue "orders" in eu-west-1: the endpoint of sqs:GetQueueUrl cannot be reached (ECONNREFUSED)`,
      from: "sqs",
    },
  ]);
});

test("without credentials, and without a region, the reading says so", async () => {
  const none = () => Promise.reject(Object.assign(new Error("none found"), { name: "CredentialsProviderError" }));
  const anonymous = openSqsSource(openSqsClients({ endpoint: server.url, region: "eu-west-1", credentials: none }));
  const nowhere = openSqsSource(openSqsClients({ endpoint: server.url, credentials, profile: "no-such-profile" }));
  const query = [{ metricName: "sqs", parameters: { queue: "orders" } }];
  expect(await readAll(anonymous, query, now, signal)).toEqual([
    {
      error: `queue "orders" in eu-west-1: credentials not accepted for sqs:GetQueueUrl (CredentialsProviderError)`,
      from: "sqs",
      lack: "credentials",
    },
  ]);
  expect(await readAll(nowhere, query, now, signal)).toEqual([
    { error: "parameter region: expected a region, here or in AWS_REGION, got neither", from: "sqs" },
  ]);
});

describe("the age of the oldest message", () => {
  const queueMetric = (name: string) => ({
    ...{ Namespace: "AWS/SQS", MetricName: "ApproximateAgeOfOldestMessage" },
    Dimensions: [{ Name: "QueueName", Value: name }],
  });
  let cloudwatch: FakeCloudWatch;

  beforeEach(async () => {
    cloudwatch = await startCloudWatch({ now: () => now });
    const access = { endpoint: cloudwatch.url, region: "eu-west-1", credentials, maxAttempts: 1 };
    const clients = openSqsClients({ endpoint: server.url, region: "eu-west-1", credentials, maxAttempts: 1 });
    source = openSqsSource(clients, { ages: openCloudWatchSource(openCloudWatchClients(access)) });
  });
  afterEach(() => cloudwatch.close());

  const aged = (name: string, seconds: number, agoMs = 120_000) =>
    cloudwatch.put(queueMetric(name), [[(now - agoMs) / 1_000, seconds]]);

  test("is CloudWatch's newest value", async () => {
    server.queues.set("orders", depth("3"));
    aged("orders", 41);
    aged("orders", 95, 180_000);
    expect(await valueOf({ queue: "orders", measure: "age" })).toBe("41");
  });

  test("of several queues is the highest, and each is asked for in its call", async () => {
    for (const name of ["orders", "returns", "idle"]) server.queues.set(name, depth(name === "idle" ? "0" : "1"));
    aged("orders", 41);
    aged("returns", 600);
    aged("idle", 9_000);
    expect(await valueOf({ queues: "orders,returns,idle", measure: "age" })).toBe("600");
    expect(cloudwatch.requests).toHaveLength(1);
  });

  test("of an empty queue is 0, and CloudWatch is not asked", async () => {
    server.queues.set("orders", depth("0"));
    aged("orders", 41);
    expect(await valueOf({ queue: "orders", measure: "age" })).toBe("0");
    expect(cloudwatch.requests).toEqual([]);
  });

  test("that CloudWatch throttles is due again with the next slot", async () => {
    server.queues.set("orders", depth("3"));
    cloudwatch.answer({ code: "Throttling", message: "Rate exceeded" });
    expect(await valueOf({ queue: "orders", measure: "age" })).toMatchObject({ isThrottled: true });
  });

  test("of messages that are there is never 0: a message in flight is work", async () => {
    server.queues.set("orders", depth("0", "1"));
    aged("orders", 0);
    expect(await valueOf({ queue: "orders", measure: "age" })).toBe("1");
    expect(await certainOf({ queue: "orders", measure: "age" })).toBe("0");
    server.queues.set("mail", depth("1"));
    aged("mail", 7);
    expect(await certainOf({ queues: "orders,mail", measure: "age" })).toBeUndefined();
  });

  test("is unknown while there are messages and CloudWatch has no value", async () => {
    server.queues.set("orders", depth("1"));
    aged("orders", 41, 3_600_000);
    const error = 'queue "orders" in eu-west-1: it has messages, and CloudWatch has no age of them yet';
    expect(await valueOf({ queue: "orders", measure: "age" })).toEqual({ error, from: "sqs" });
  });

  test("is unknown if CloudWatch refuses, or one of the queues cannot be read", async () => {
    server.queues.set("orders", depth("1"));
    cloudwatch.answer({ code: "AccessDenied", status: 403, message: "no cloudwatch:GetMetricData" });
    const reading = await valueOf({ queue: "orders", measure: "age" });
    expect(reading).toMatchObject({
      error: expect.stringContaining("no cloudwatch:GetMetricData") as string,
      from: "sqs",
    });
    expect(await valueOf({ queues: "orders,gone", measure: "age" })).toMatchObject({
      error: expect.stringContaining('queue "gone"') as string,
    });
  });

  test("is asked once a minute, as often as it changes", () => {
    expect(source.keepMs({ metricName: "sqs", parameters: { queue: "orders", measure: "age" } })).toBe(60_000);
  });

  test("goes to the account that the parameter names", async () => {
    server.queues.set("orders", depth("1"));
    await valueOf({ queue: "orders", account: "210987654321", measure: "age" });
    expect(JSON.stringify(cloudwatch.requests)).toContain('"AccountId":"210987654321"');
  });

  test.each(["includeInFlight", "includeDelayed"])("%s beside it is refused", async (name) => {
    expect(await valueOf({ queue: "orders", measure: "age", [name]: "true" })).toMatchObject({
      error: expect.stringContaining(`parameter ${name}: expected nothing beside the measure age`) as string,
    });
  });
});
