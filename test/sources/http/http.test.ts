import { openHttpSource } from "../../../lib/sources/http/http";
import { json } from "../../cluster/api-server";
import { networkWith, sourceContract } from "../contract/contract";
import { startWebServers, webCases, type WebServers } from "../contract/web-cases";
import { contextOf } from "../read-context";

let servers: WebServers;
const secrets = new Map<string, string>();
beforeAll(async () => {
  servers = await startWebServers(secrets);
});
afterAll(() => servers.stop());

describe("JSON", () => {
  sourceContract({
    open: openHttpSource,
    secrets,
    cases: {
      ...webCases(() => servers, {
        parameters: (url) => ({ url: `${url}/queues`, path: "$.queues[*].depth" }),
        answer: (_request, response, values) => json(response, 200, { queues: values.map((depth) => ({ depth })) }),
        missing: (_request, response) => json(response, 404, {}),
        missingError: /there is no such thing on the server \(status 404\)/,
        contentType: "application/json",
        many: { values: ["1", "2"] },
      }),
      hostile: () => ({
        parameters: {
          url: `${servers.server.url}/queues/\${queue}/depth?of=\${queue}`,
          path: "$",
          certificateAuthorityData: servers.ca,
          vars: { queue: "a/../b?c=d&e#f\r\nX-Injected: 1" },
        },
        before() {
          servers.server.reply = (_request, response) => json(response, 200, [1]);
        },
        expected: { error: /expected a number at \$/ },
        after() {
          const encoded = "a%2F..%2Fb%3Fc%3Dd%26e%23f%0D%0AX-Injected%3A%201";
          const { url, headers } = servers.server.received.at(-1)!;
          expect(url).toBe(`/queues/${encoded}/depth?of=${encoded}`);
          expect(headers["x-injected"]).toBeUndefined();
        },
      }),
    },
  });
});

const text = `# HELP queue_depth Messages.
# TYPE queue_depth gauge
queue_depth{queue="orders",state="ready"} 12.5 1700000000000
queue_depth{queue="orders",state="with \\"quotes\\" and }"} 3
queue_depth_total{queue="orders",state="ready"} 99
queue_depth{queue="odd"} NaN
queue_depth{queue="two\\nlines"} 8
queue_depth{queue="long"} ${"x".repeat(60)}
queue_depth{queue="hex"} 0x10
idle 0
spaced \t4 \t 1700000000000 \t # {trace_id="KOO5S4vxi0o"} 0.67 \r
`;

/** The reading of a document that the server answers with. */
async function read(
  parameters: Readonly<Record<string, unknown>>,
  document: unknown,
  { type = "application/json", status = 200 }: { readonly type?: string; readonly status?: number } = {},
) {
  servers.server.reply = (_request, response) => {
    response.writeHead(status, { "content-type": type, location: "https://elsewhere.example.com/" });
    response.end(typeof document === "string" ? document : JSON.stringify(document));
  };
  const source = openHttpSource(networkWith(secrets));
  const where = { url: `${servers.server.url}/m?key=s3cr3t`, certificateAuthorityData: servers.ca };
  return source.open(contextOf()).read({ metricName: "jobs", parameters: { ...where, ...parameters } });
}

const values = (reading: Awaited<ReturnType<typeof read>>) =>
  "items" in reading ? reading.items.map(({ value }) => value) : reading.error;

test.each<[string, string | readonly string[]]>([
  ['queue_depth{queue="orders"}', ["12500m", "3"]],
  ['queue_depth{state="ready", queue="orders",}', ["12500m"]],
  ['queue_depth{state="with \\"quotes\\" and }"}', ["3"]],
  ['queue_depth{state="ready", }', ["12500m"]],
  ['queue_depth{state="\\ready"}', ["12500m"]],
  ["idle", ["0"]],
  ["spaced", ["4"]],
  ['queue_depth{queue="two\\nlines"}', ["8"]],
  ['queue_depth{queue="odd"}', expect.stringContaining("expected a finite number for queue_depth, got NaN") as string],
  ['queue_depth{queue="hex"}', expect.stringContaining("expected a finite number for queue_depth, got 0x10") as string],
  [
    'queue_depth{queue="long"}',
    expect.stringMatching(/expected a finite number for queue_depth, got x{40}$/) as string,
  ],
  ["queue_dep", expect.stringContaining("no sample of queue_dep with these labels; set absent") as string],
  [
    "queue_depth{queue=orders}",
    expect.stringContaining('parameter metric: expected labels such as {queue="orders"') as string,
  ],
])("a sample of Prometheus text: %s", async (metric, expected) => {
  const reading = await read({ metric }, text, { type: "text/plain; version=0.0.4" });
  expect(values(reading)).toEqual(expected);
});

test.each([
  "application/json; charset=utf-8",
  "application/vnd.stats+json",
  "text/json",
  "text/plain",
  "application/octet-stream",
  "binary/octet-stream",
])("a document of type %s is read", async (type) => {
  expect(values(await read({ path: "$.a" }, { a: 7 }, { type }))).toEqual(["7"]);
});

test.each(["text/html", "application/xml", "text/h\u00e4"])("a document of type %s is refused", async (type) => {
  expect(values(await read({ path: "$.a" }, { a: 7 }, { type }))).toBe(
    `${servers.server.url}/m: expected JSON, got ${type}`,
  );
});

test("Prometheus text may be of no type of its own, and begin with a byte order mark", async () => {
  const reading = await read({ metric: "depth" }, "\ufeffdepth 4\n", { type: "application/octet-stream" });
  expect(values(reading)).toEqual(["4"]);
});

test("an address with other letters than ASCII is sent as browsers do", async () => {
  let path: string | undefined;
  servers.server.reply = (request, response) => {
    path = request.url;
    json(response, 200, { a: 1 });
  };
  const source = openHttpSource(networkWith(secrets));
  const where = { url: `${servers.server.url}/w\u00e4rme/\u{1f525}?q=\u00fc`, certificateAuthorityData: servers.ca };
  const reading = await source.open(contextOf()).read({ metricName: "jobs", parameters: { ...where, path: "$.a" } });
  expect(values(reading)).toEqual(["1"]);
  expect(path).toBe("/w%C3%A4rme/%F0%9F%94%A5?q=%C3%BC");
});

test.each<[string, unknown, string | readonly string[]]>([
  ["$.a", { a: 7 }, ["7"]],
  ["$['a b'].c", { "a b": { c: "1500m" } }, ["1500m"]],
  ["$..depth", { a: { depth: 1 }, b: [{ depth: 2.5 }] }, ["1", "2500m"]],
  [
    "$.q[?@.state == 'ready'].n",
    {
      q: [
        { state: "ready", n: 4 },
        { state: "x", n: 9 },
      ],
    },
    ["4"],
  ],
  ["$.a", { a: 1e300 }, expect.stringContaining("/m: expected a number from -9.2e15 to 9.2e15, got 1e+300") as string],
  ["$.a", '{"a":1e400}', expect.stringContaining("expected a number from -9.2e15 to 9.2e15, got Infinity") as string],
  ["$.a", { a: "1e30" }, expect.stringContaining("expected a number from -9.2e15 to 9.2e15, got 1e+30") as string],
  ["$.a", { a: 9.2e15 }, ["9200000000000000"]],
  ["$.a", '\ufeff{"a":7}', ["7"]],
  ["$.a", { a: ["5"] }, expect.stringContaining("expected a number at $.a, got ") as string],
  ["$.a", { a: true }, expect.stringContaining("expected a number at $.a, got true") as string],
  ["$.a", { a: null }, expect.stringContaining("expected a number at $.a, got null") as string],
  ["$.b", { a: 1 }, expect.stringContaining("the answer has nothing at $.b; set absent") as string],
  ["$.a[?@.b].c[?@.d]", {}, expect.stringContaining("a path with one filter at most") as string],
  // What people write for "nothing known". Upstream's quantities read them as 0.
  ...["-", ".", "k", "Ki", "m", "0x10", "1_000", "1,000", "5%", "NaN", "1e"].map(
    (text) =>
      ["$.a", { a: text }, expect.stringContaining(`at $.a, got "${text}"`) as string] as [string, unknown, string],
  ),
  ["$.a", { a: "-0.4m" }, ["-0.4m"]],
  ["$.a", { a: "1Ki" }, ["1Ki"]],
  ["$.a", '{"a":NaN}', expect.stringContaining("/m: expected JSON, got NaN, which JSON does not have") as string],
  ["$.a", '{"a":1,\n "b": [-Infinity]}', expect.stringContaining("got -Infinity, which JSON does not have") as string],
  ["$.a", '{"a":1}{"a":2}', expect.stringContaining("/m: expected JSON, got something else") as string],
  ["$.a", '{"NaN of":', expect.stringContaining("/m: expected JSON, got something else") as string],
  ["$.a", " \n", expect.stringContaining("/m: expected JSON, got an empty answer") as string],
  ["$.a", "\ufeff <html>s3cr3t", expect.stringMatching(/expected JSON, got HTML or XML$/) as string],
  ["$", 5, ["5"]],
  ["$", '"1500m"', ["1500m"]],
  ["$", "null", expect.stringContaining("expected a number at $, got null") as string],
  ["$", '"many"', expect.stringContaining('expected a number at $, got "many"') as string],
  ["$.a", 5, expect.stringContaining("expected a JSON object or list, got 5") as string],
  ["$.a[", {}, expect.stringContaining("parameter path: expected an RFC 9535 JSONPath") as string],
  ["$..a..b", {}, expect.stringContaining("a path with one .. at most") as string],
  ["$.a[?match(@.b, '(a+)+')]", {}, expect.stringContaining("a path with one .. at most") as string],
  ["$.a[?match (@.b, '(a+)+')]", {}, expect.stringContaining("a path with one .. at most") as string],
  ["$..a[?@.b == 1]", {}, expect.stringContaining("a path with one .. at most") as string],
  ["$.a[?@['match(..'] == 1].n", { a: [{ "match(..": 1, n: 2 }] }, ["2"]],
  ['$.a[?@["match(.."] == 1].n', { a: [{ "match(..": 1, n: 2 }] }, ["2"]],
])("a number at %s", async (path, document, expected) => {
  expect(values(await read({ path }, document))).toEqual(expected);
});

test.each<[Readonly<Record<string, string>>, unknown, readonly object[]]>([
  [{ path: "$.a" }, { a: 1 }, [{}]],
  [{ path: "$.q[*].n" }, { q: [{ n: 1 }, { n: 2 }] }, [{ path: "q.0.n" }, { path: "q.1.n" }]],
  [{ metric: 'queue_depth{queue="two\\nlines"}' }, text, [{ queue: "two\nlines" }]],
  [{ metric: 'queue_depth{state="ready"}' }, text, [{ queue: "orders", state: "ready" }]],
])("the values of %j differ by their labels", async (parameters, document, expected) => {
  const reading = await read(parameters, document, { type: "text/plain" });
  expect("items" in reading && reading.items.map(({ metricLabels }) => metricLabels)).toEqual(expected);
});

test("absent is the value of what is not there, and of nothing else", async () => {
  expect(values(await read({ path: "$.b", absent: "0" }, { a: 1 }))).toEqual(["0"]);
  expect(values(await read({ path: "$.b", absent: "error" }, { a: 1 }))).toContain("the answer has nothing at $.b");
  expect(values(await read({ path: "$.a", absent: 0 }, { a: "x" }))).toContain("expected a number");
  expect(values(await read({ path: "$.a", absent: 0 }, "oops", { status: 500 }))).toContain(
    "the server failed (status 500)",
  );
});

test.each<[number, string]>([
  [302, "got a redirection, which is not followed (status 302)"],
  [403, "the server does not allow it to requests without a secret (status 403)"],
  [429, "the server asks for fewer requests (status 429)"],
])("status %d", async (status, expected) => {
  const reading = await read({ path: "$.a" }, { a: 1 }, { status });
  expect(values(reading)).toBe(`${servers.server.url}/m: ${expected.replace(/^got/, "expected the answer, got")}`);
});

test("a login page is no document, and the address's query is in no message", async () => {
  const reading = await read({ path: "$.a" }, "<html>s3cr3t</html>", { type: "text/html; charset=utf-8" });
  expect(values(reading)).toBe(`${servers.server.url}/m: expected JSON, got text/html`);
  const sample = await read({ metric: "idle" }, "<html>s3cr3t</html>", { type: "text/html" });
  expect(values(sample)).toBe(`${servers.server.url}/m: expected Prometheus text, got text/html`);
});

test.each([
  ["with other labels", "depth{queue=orders} 1"],
  ["without a value", "depth"],
  ["without a value", 'depth{queue="orders"}'],
  ["without a value", 'depth{queue="ord'],
  ["without a value", "depth 1 2 3"],
  ["without a value", "depth 1 2 3 depth 5"],
])("a line of the metric %s makes it unknown, whatever absent says: %s", async (what, bad) => {
  const found = async (text: string) =>
    values(await read({ metric: "depth", absent: 0 }, text, { type: "text/plain" }));
  const expected = `expected samples in Prometheus text format, got a line of depth ${what}`;
  expect(await found(`${bad}\n`)).toContain(expected);
  expect(await found(`depth 2\n${bad}\n`)).toContain(expected);
  expect(await found("depth_total\ndepth:sum{\n# depth\n")).toEqual(["0"]);
});

test.each<[string, boolean]>([
  ["application/problem+json", true],
  ["APPLICATION/JSON ; charset=utf-8", true],
  ["text/plain", true],
  ["application/x.json", false],
  ["text/jsonp", false],
])("a document of type %s is JSON: %s", async (type, isJson) => {
  const found = values(await read({ path: "$.a" }, { a: 1 }, { type }));
  if (isJson) expect(found).toEqual(["1"]);
  else expect(found).toContain(`expected JSON, got ${type}`);
});

test("a content type is cut, and Prometheus text may be of OpenMetrics", async () => {
  const type = `x/${"y".repeat(200)}`;
  expect(values(await read({ path: "$.a" }, {}, { type }))).toMatch(/: expected JSON, got x\/y{78}$/);
  expect(values(await read({ metric: "idle" }, text, { type: "application/openmetrics-text; version=1" }))).toEqual([
    "0",
  ]);
});

test("Prometheus text is asked for as text, and the source's own headers go with it", async () => {
  await read({ metric: "idle", headers: { "X-Own": "1", "User-Agent": "mine" } }, text, { type: "text/plain" });
  expect(servers.server.received.at(-1)?.headers).toMatchObject({
    ...{ accept: "text/plain", "x-own": "1", "user-agent": "mine" },
  });
});

test("an address without a path is that of the server's root", async () => {
  expect(values(await read({ path: "$.a", url: `${servers.server.url}?of=a` }, { a: 1 }))).toEqual(["1"]);
  expect(servers.server.received.at(-1)?.url).toBe("/?of=a");
});

test("queries of one document share its request, also when they look for different numbers", async () => {
  const { server } = servers;
  server.reply = (_request, response) => json(response, 200, { a: 1, b: 2 });
  const before = server.received.length;
  const reader = openHttpSource(networkWith()).open(contextOf());
  const parameters = { url: `${server.url}/both`, certificateAuthorityData: servers.ca };
  const readings = await Promise.all(
    ["$.a", "$.b"].map((path) => reader.read({ metricName: "jobs", parameters: { ...parameters, path } })),
  );
  expect(readings.map(values)).toEqual([["1"], ["2"]]);
  expect(server.received.length - before).toBe(1);
  const others = [{ url: `${server.url}/other` }, { headers: { "X-Own": "1" } }, { tlsServerName: "api.internal" }];
  for (const other of others)
    await reader.read({ metricName: "jobs", parameters: { ...parameters, path: "$.a", ...other } });
  expect(server.received.length - before).toBe(1 + others.length);
});

test.each<[Readonly<Record<string, unknown>>, string]>([
  [{ path: undefined }, "parameter path: expected path (for JSON) or metric"],
  [{ path: "$.a", metric: "a" }, "parameter path: expected path (for JSON) or metric"],
  [{ path: "$.a", url: "https://u:p@h/x" }, "parameter url: expected an address without a user name or password"],
  [{ path: "$.a", url: "https://h.example.com/${q}" }, "parameter url: expected a value for ${q}: set the label var.q"],
  [{ path: "$.a", "var.q": "1" }, "parameter var.q: expected a placeholder ${q} in url"],
  [{ path: "$.a", url: "https://h.example.com/a/${q}", "var.q": ".." }, "a path without the segments . and .."],
  [{ path: "$.a", url: "https://h.example.com/./b" }, "parameter url: expected a path without the segments . and .."],
  [{ path: "$.a", url: "http://h.example.com/a", secret: "ebb/prod/x" }, "plain http is allowed only to this machine"],
  [{ path: "$.a", url: "https://169.254.169.254/latest" }, "ebb does not connect to a link-local address"],
  [{ path: "$.a", secret: "ebb/other/x" }, "a cluster uses only secrets named for it"],
])("what cannot be read: %j", async (parameters, expected) => {
  expect(values(await read(parameters, { a: 1 }))).toContain(expected);
});

test("a deployment reaches only the hosts that it allows", async () => {
  const addresses = { loopback: false, allowedHosts: [], onlyHosts: ["stats.example.com", "*.internal.example.com"] };
  const reader = openHttpSource({ ...networkWith(), addresses }).open(contextOf());
  const at = async (host: string) => {
    const reading = await reader.read({
      metricName: "jobs",
      parameters: { url: `https://${host}/`, path: "$" },
    });
    return "error" in reading ? reading.error : "";
  };
  const refused = "expected a host that the deployment's sourceHosts allows";
  expect(await at("evil.example.com")).toContain(`${refused}, got evil.example.com`);
  expect(await at("internal.example.com")).toContain(refused);
  expect(await at("169.254.169.254")).toContain(refused);
  expect(await at("stats.example.com.")).not.toContain(refused);
  expect(await at("a.internal.example.com")).not.toContain(refused);
});
