import { onThisMachine } from "../../../lib/net/address";
import { openRabbitmqSource } from "../../../lib/sources/rabbitmq/rabbitmq";
import { parseRabbitmqQuery } from "../../../lib/sources/rabbitmq/rabbitmq-query";
import { json, type Reply } from "../../cluster/api-server";
import { networkWith, sourceContract } from "../contract/contract";
import { startWebServers, webCases, type WebServers } from "../contract/web-cases";
import { contextOf } from "../read-context";

let servers: WebServers;
beforeAll(async () => {
  servers = await startWebServers();
});
afterAll(() => servers.stop());

const secrets = new Map<string, string>();
beforeAll(() => Object.assign(servers, { secrets }));

const notFound: Reply = (_request, response) => json(response, 404, { error: "Object Not Found", reason: "Not Found" });

interface Queue {
  readonly name: string;
  readonly [member: string]: unknown;
}

/** As the server reports a queue with this many messages, of which one is unacknowledged. */
const queueOf = (name: string, messages: number): Queue => ({
  ...{ name, type: "classic", state: "running", messages, messages_ready: messages - 1 },
  ...{ messages_details: { rate: 0 }, message_stats: { publish_details: { rate: 2.5 } } },
});

const pageOf = (items: readonly Queue[], page = 1, pages = 1, count = items.length) => ({
  ...{ filtered_count: count, item_count: items.length, items, page, page_count: items.length === 0 ? 0 : pages },
  ...{ page_size: 500, total_count: count + 1 },
});

const searchOf = (url: string) => new URL(url, "https://mq.example.com").searchParams;

describe("one queue", () => {
  sourceContract({
    open: openRabbitmqSource,
    secrets,
    cases: {
      ...webCases(() => servers, {
        parameters: (url) => ({ url, queue: "orders" }),
        answer: (_request, response, [value = 0, ...more]) =>
          json(response, 200, more.length === 0 ? queueOf("orders", value) : [queueOf("orders", value)]),
        missing: (request, response) =>
          request.url.includes("/orders") ? notFound(request, response) : json(response, 200, pageOf([])),
        missingError: /there is no such queue; set absent if that means a number/,
        contentType: "application/json",
        many: { error: /expected a queue, got \[/ },
      }),
      hostile: () => ({
        parameters: {
          url: `${servers.server.url}/mq`,
          vhost: "a/../b",
          queue: "a/../b?columns=x&c=d#e%2F\r\nX-Injected: 1",
          certificateAuthorityData: servers.ca,
        },
        before() {
          servers.server.reply = (_request, response) => json(response, 200, queueOf("x", 3));
        },
        expected: { values: ["3"] },
        after() {
          const { url } = servers.server.received.at(-1)!;
          const [path, search = ""] = url.split("?");
          expect(path).toBe(
            "/mq/api/queues/a%2F..%2Fb/a%2F..%2Fb%3Fcolumns%3Dx%26c%3Dd%23e%252F%0D%0AX-Injected%3A%201",
          );
          expect(search.startsWith("columns=name,type,state,messages,")).toBe(true);
        },
      }),
    },
  });
});

describe("queues by a regular expression", () => {
  sourceContract({
    open: openRabbitmqSource,
    secrets,
    cases: {
      ...webCases(() => servers, {
        parameters: (url) => ({ url, queues: "^orders" }),
        answer: (_request, response, values) =>
          json(response, 200, pageOf(values.map((value, index) => queueOf(`orders-${index}`, value)))),
        missing: (_request, response) => json(response, 200, pageOf([])),
        missingError: /queues like "\^orders" of .*: there is no such queue; set absent if that means a number/,
        contentType: "application/json",
        many: { values: ["3"] },
      }),
      hostile: () => ({
        parameters: {
          url: servers.server.url,
          queues: "a&use_regex=false&name=b#%0d",
          certificateAuthorityData: servers.ca,
        },
        before() {
          servers.server.reply = (_request, response) => json(response, 200, pageOf([queueOf("x", 3)]));
        },
        expected: { values: ["3"] },
        after() {
          const search = searchOf(servers.server.received.at(-1)!.url);
          expect(search.getAll("name")).toEqual(["a&use_regex=false&name=b#%0d"]);
          expect(search.getAll("use_regex")).toEqual(["true"]);
        },
      }),
    },
  });
});

/** The readings of several queries of one run, and what the server was asked for them. */
async function readAll(reply: Reply, ...all: readonly Readonly<Record<string, unknown>>[]) {
  servers.server.reply = reply;
  const before = servers.server.received.length;
  const reader = openRabbitmqSource(networkWith(secrets)).open(contextOf());
  const where = { url: servers.server.url, certificateAuthorityData: servers.ca };
  const readings = await Promise.all(
    all.map((parameters) => reader.read({ metricName: "jobs", parameters: { ...where, ...parameters } })),
  );
  const values = readings.map((reading) =>
    "items" in reading ? reading.items.map(({ value }) => value).join() : reading.error,
  );
  return { values, asked: servers.server.received.slice(before).map(({ url }) => url) };
}

const read = async (parameters: Readonly<Record<string, unknown>>, document: unknown) =>
  (await readAll((_request, response) => json(response, 200, document), parameters)).values[0];

test.each<[Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>, string]>([
  [{}, {}, "5"],
  [{ measure: "messages" }, {}, "5"],
  [{ measure: "ready" }, {}, "4"],
  [{ measure: "ready" }, { messages_ready: 0 }, "0"],
  [{ measure: "publishRate" }, {}, "2500m"],
  [{ measure: "deliverRate" }, { message_stats: { deliver_get_details: { rate: 0.25 } } }, "250m"],
  [{}, { type: "quorum" }, "5"],
  [{ measure: "publishRate" }, { type: "stream" }, "2500m"],
])("what counts: %j of a queue with %j", async (parameters, queue, expected) => {
  expect(await read({ queue: "orders", ...parameters }, { ...queueOf("orders", 5), ...queue })).toBe(expected);
});

test.each<[Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>, string]>([
  [{}, { messages: undefined }, 'queue "orders" of https://127.0.0.1:'],
  [{}, { messages: undefined }, 'the answer has no messages of queue "orders" (yet)'],
  [{}, { messages: "5" }, 'expected a number as messages of queue "orders", got "5"'],
  [{}, { messages: -1 }, "expected a number as messages"],
  [{}, { messages: null }, "expected a number as messages"],
  [{}, { state: "down" }, 'queue "orders" is down'],
  [{}, { state: "minority" }, 'queue "orders" is minority'],
  [{}, { type: "stream" }, "is a stream, which keeps what was consumed: its length is no backlog"],
  [
    { measure: "publishRate" },
    { message_stats: { publish_details: { rate: "1" } } },
    "expected a number as publishRate",
  ],
])("what does not count as a number: %j of a queue with %j", async (parameters, queue, expected) => {
  const reading = await read({ queue: "orders", ...parameters }, { ...queueOf("orders", 5), ...queue });
  expect(reading).toContain(expected);
});

test("a rate of what never happened is 0, unless the server has no rates at all", async () => {
  const never = { ...queueOf("orders", 5), message_stats: undefined };
  expect(await read({ queue: "orders", measure: "deliverRate" }, never)).toBe("0");
  const noRates = { ...never, messages_details: undefined };
  expect(await read({ queue: "orders", measure: "deliverRate" }, noRates)).toContain("the answer has no deliverRate");
});

test.each([
  ["sum", "12"],
  ["avg", "4"],
  ["max", "9"],
])("several queues: their %s", async (operation, expected) => {
  const queues = [1, 9, 2].map((messages, index) => queueOf(`orders-${index}`, messages));
  expect(await read({ queues: "^orders", operation }, pageOf(queues))).toBe(expected);
});

test("one queue of several that has no number makes the metric unavailable", async () => {
  const queues = [queueOf("orders-0", 1), { ...queueOf("orders-1", 1), messages: undefined }];
  expect(await read({ queues: "^orders" }, pageOf(queues))).toContain('no messages of queue "orders-1" (yet)');
});

describe("10,000 queues", () => {
  const reply =
    (count: number): Reply =>
    ({ url }, response) => {
      const page = Number(searchOf(url).get("page"));
      const items = Array.from({ length: Math.min(500, count - (page - 1) * 500) }, (_, at) =>
        queueOf(`orders-${(page - 1) * 500 + at}`, 1),
      );
      json(response, 200, pageOf(items, page, Math.ceil(count / 500), count));
    };

  test("are read, page by page", async () => {
    const { values, asked } = await readAll(reply(10_000), { queues: "^orders" });
    expect(values).toEqual(["10000"]);
    expect(asked.map((url) => searchOf(url).get("page"))).toEqual(Array.from({ length: 20 }, (_, at) => `${at + 1}`));
  });

  test("are the most", async () => {
    const { values, asked } = await readAll(reply(10_001), { queues: "^orders" });
    expect(values[0]).toContain("expected at most 10000 queues, got more");
    expect(asked).toHaveLength(20);
  });
});

test("queues that come and go between two pages make the metric unavailable", async () => {
  const { values } = await readAll(
    ({ url }, response) => {
      const page = Number(searchOf(url).get("page"));
      json(response, 200, pageOf([queueOf("orders-0", 1)], page, 2, 2));
    },
    { queues: "^orders" },
  );
  expect(values[0]).toContain("expected 2 queues, got 1: they changed while being read");
});

test("a server that lies about its pages ends", async () => {
  const { values, asked } = await readAll(
    (_request, response) => json(response, 200, pageOf([queueOf("orders", 1)], 1, 1e9)),
    { queues: "^orders" },
  );
  expect(values[0]).toContain("expected at most 10000 queues, got more");
  expect(asked).toHaveLength(20);
});

test("a pattern that the server does not accept", async () => {
  const { values } = await readAll((_request, response) => json(response, 400, { error: "bad_request" }), {
    queues: "(",
  });
  expect(values[0]).toBe('parameter queues: expected a regular expression that the server accepts, got "("');
});

describe("a queue that does not exist", () => {
  test("has the value of absent, if the virtual host exists", async () => {
    const { values, asked } = await readAll(
      (request, response) =>
        request.url.startsWith("/api/queues/%2F?") ? json(response, 200, pageOf([])) : notFound(request, response),
      { queue: "none", absent: 0 },
      { queue: "none" },
    );
    expect(values).toEqual(["0", expect.stringContaining("there is no such queue")]);
    expect(asked).toHaveLength(2);
  });

  test("is an error in a virtual host that does not exist, or at a wrong url", async () => {
    const { values } = await readAll(notFound, { queue: "none", absent: 0, vhost: "no" }, { queues: "a", absent: 0 });
    expect(values[0]).toContain('queue "none" in vhost "no" of https://127.0.0.1:');
    expect(values[0]).toContain("the server has no such virtual host, or no management API at this url");
    expect(values[1]).toContain("the server has no such virtual host, or no management API at this url");
  });

  test("has the value of absent by a pattern", async () => {
    expect(await read({ queues: "none", absent: "7" }, pageOf([]))).toBe("7");
  });
});

test("metrics of one queue share a request", async () => {
  const { values, asked } = await readAll(
    (_request, response) => json(response, 200, queueOf("orders", 5)),
    { queue: "orders" },
    { queue: "orders", measure: "ready" },
    { queue: "orders", measure: "publishRate" },
  );
  expect(values).toEqual(["5", "4", "2500m"]);
  expect(asked).toHaveLength(1);
});

test.each<[Readonly<Record<string, unknown>>, string]>([
  [{}, "parameter queue: expected queue (a name) or queues (a regular expression), and not both"],
  [{ queue: "a", queues: "b" }, "parameter queue: expected queue (a name) or queues"],
  [{ queue: "a", operation: "sum" }, "parameter operation: expected queues beside it: one queue needs none"],
  [{ queue: ".." }, "parameter queue: expected a name other than . and .."],
  [{ queue: "a", vhost: "." }, "parameter vhost: expected a name other than . and .."],
  [{ queue: "\ud800" }, "URI malformed"],
  [
    { queue: "a", measure: "length" },
    "parameter measure: expected one of messages, ready, publishRate and deliverRate",
  ],
  [{ queue: "a", url: "amqp://mq.example.com" }, "parameter url: expected the address of the management API"],
  [{ queue: "a", url: "https://u:p@mq.example.com" }, "an address without a user name or password"],
  [{ queue: "a", url: "http://mq.example.com", secret: "ebb/prod/mq" }, "plain http is allowed only to this machine"],
  [{ queue: "a", secret: "ebb/other/mq" }, "a cluster uses only secrets named for it"],
])("what cannot be read: %j", async (parameters, expected) => {
  expect(await read(parameters, {})).toContain(expected);
});

test("a deployment reaches only the hosts that it allows", async () => {
  const addresses = { ...onThisMachine, loopback: false, onlyHosts: ["mq.example.com"] };
  const reader = openRabbitmqSource({ ...networkWith(), addresses }).open(contextOf());
  const reading = await reader.read({
    metricName: "jobs",
    parameters: { url: "https://evil.example.com", queue: "a" },
  });
  expect(reading).toMatchObject({
    error: "parameter url: expected a host that the deployment's sourceHosts allows, got evil.example.com",
  });
});

test.each(["down", "crashed", "stopped", "terminated", "minority"])(
  "a queue that is %s has no number",
  async (state) => {
    expect(await read({ queue: "orders" }, { ...queueOf("orders", 5), state })).toContain(`queue "orders" is ${state}`);
  },
);

test.each<[Readonly<Record<string, unknown>>]>([
  [{ items: {} }],
  [{ page_count: "1" }],
  [{ page_count: -1 }],
  [{ page_count: 0.5 }],
  [{ filtered_count: undefined }],
  [{ filtered_count: -1 }],
])("a page of queues with %j is none", async (more) => {
  const page = { ...pageOf([queueOf("orders", 5)]), ...more };
  expect(await read({ queues: "^orders" }, page)).toMatch(/: expected a page of queues, got \{/);
});

test("a page whose members are no queues is none", async () => {
  const page = { ...pageOf([]), items: [{ messages: 5 }], page_count: 1 };
  expect(await read({ queues: "^orders" }, page)).toMatch(/queues like "\^orders" .*: expected a queue, got \{/);
  expect(await read({ queue: "orders" }, { ...queueOf("orders", 5), name: 5 })).toContain("expected a queue, got {");
});

test("the server is asked for the columns that count, in a form that it may compress", async () => {
  const reply: Reply = (_request, response) => json(response, 200, pageOf([queueOf("orders", 5)]));
  const { asked } = await readAll(reply, { queues: "^orders" });
  const columns =
    "name,type,state,messages,messages_ready,messages_details.rate," +
    "message_stats.publish_details.rate,message_stats.deliver_get_details.rate";
  expect(asked).toEqual([`/api/queues/%2F?page=1&page_size=500&use_regex=true&name=%5Eorders&columns=${columns}`]);
  const { headers } = servers.server.received.at(-1)!;
  expect(headers).toMatchObject({ accept: "application/json", "accept-encoding": "gzip", "user-agent": "ebb" });
  const one = await readAll((_request, response) => json(response, 200, queueOf("a", 1)), { queue: "a" });
  expect(one.asked).toEqual([`/api/queues/%2F/a?columns=${columns}`]);
});

test("a queue that does not exist is looked for in the shortest list of its virtual host", async () => {
  const { asked } = await readAll(
    (request, response) =>
      request.url.includes("?page=") ? json(response, 200, pageOf([])) : notFound(request, response),
    { queue: "none", vhost: "shop" },
  );
  expect(asked.at(-1)).toBe("/api/queues/shop?page=1&page_size=1&columns=name");
});

test("a pattern is refused on the first page alone", async () => {
  const { values } = await readAll(
    ({ url }, response) =>
      searchOf(url).get("page") === "1"
        ? json(response, 200, pageOf([queueOf("orders-0", 1)], 1, 2, 2))
        : json(response, 400, { error: "bad_request" }),
    { queues: "^orders" },
  );
  expect(values[0]).toMatch(/^queues like "\^orders" of .* 400/);
});

test("a server that refuses otherwise is not asked for the list of queues", async () => {
  const { values, asked } = await readAll((_request, response) => json(response, 403, {}), { queue: "a", absent: 0 });
  expect(values[0]).toContain("403");
  expect(asked).toHaveLength(1);
});

test.each<[Readonly<Record<string, unknown>>, string]>([
  [{ queue: "a", url: "https://mq.example.com/a b" }, "parameter url: expected the address of the management API"],
  [{ queue: "a", url: "https://mq.example.com?a" }, "parameter url: expected the address of the management API"],
  [{ queue: "a", url: " https://mq.example.com" }, "parameter url: expected the address of the management API"],
  [{ queue: "a", url: undefined }, "parameter url: expected the address of the management API"],
  [{ queue: "a", vhost: "" }, "parameter vhost: expected a virtual host's name, such as /"],
  [{ queue: "a", vhost: "a".repeat(256) }, "parameter vhost: expected a virtual host's name"],
  [{ queue: "a\0" }, "parameter queue: expected a queue's name"],
  [{ queue: "a".repeat(256) }, "parameter queue: expected a queue's name"],
  [{ queues: "a".repeat(501) }, "parameter queues: expected a regular expression such as ^orders"],
  [{ queues: "a\0" }, "parameter queues: expected a regular expression"],
  [{ queues: "a", operation: "min" }, "parameter operation: expected one of sum, avg and max"],
  [{ queue: "." }, "parameter queue: expected a name other than . and .."],
  [{ queue: "a", vhost: ".." }, "parameter vhost: expected a name other than . and .."],
  [{ queue: "a", absent: "none" }, "parameter absent"],
])("what no query may be: %j", async (parameters, expected) => {
  const { values, asked } = await readAll((_request, response) => json(response, 200, queueOf("a", 1)), parameters);
  expect(values[0]).toContain(expected);
  expect(asked).toEqual([]);
});

test.each<[Readonly<Record<string, unknown>>]>([
  [{ queue: "a".repeat(255), vhost: "b".repeat(255) }],
  [{ queue: "a", vhost: "/" }],
])("names may be as long as the server's: %j", async (parameters) => {
  expect(await read(parameters, queueOf("a", 1))).toBe("1");
  expect(await read({ queues: "a".repeat(500) }, pageOf([queueOf("a", 1)]))).toBe("1");
});

test("the description of a query names its virtual host unless it is /", () => {
  const describedBy = (parameters: Readonly<Record<string, unknown>>) =>
    parseRabbitmqQuery({ metricName: "jobs", parameters: { url: "https://mq.example.com/mq", ...parameters } });
  expect(describedBy({ queue: "a", vhost: "/", absent: "error" })).toMatchObject({
    ...{ description: 'queue "a" of https://mq.example.com/mq', vhost: "/", measure: "messages", of: { queue: "a" } },
    absent: undefined,
  });
  expect(describedBy({ queues: "^a", vhost: "shop", absent: "3" })).toMatchObject({
    ...{ description: 'queues like "^a" in vhost "shop" of https://mq.example.com/mq', absent: 3 },
    of: { pattern: "^a", operation: "sum" },
  });
});
