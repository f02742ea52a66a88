import { createHash, createHmac } from "node:crypto";
import { sign } from "../../../lib/sources/network/sigv4";
import { queryText, type WebRequest } from "../../../lib/sources/network/web-client";
import { encodePromql } from "../../../lib/sources/prometheus/prometheus-query";
import { openPrometheusSource } from "../../../lib/sources/prometheus/prometheus";
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

const vector = (values: readonly (number | string)[]) => ({
  resultType: "vector",
  result: values.map((value, index) => ({
    metric: { __name__: "jobs", pod: `p${index}` },
    value: [1.5, String(value)],
  })),
});
const success = (data: unknown, more: object = {}) => ({ status: "success", data, ...more });

describe("the contract", () => {
  sourceContract({
    open: openPrometheusSource,
    secrets,
    cases: {
      ...webCases(() => servers, {
        parameters: (url) => ({ url, query: "sum(jobs)" }),
        answer: (_request, response, values) => json(response, 200, success(vector(values))),
        missing: (_request, response) => json(response, 200, success(vector([]))),
        missingError: /the query finds no number \(no series, NaN or infinity\); set absent/,
        contentType: "application/json",
        many: { error: /expected one series, got 2; wrap the query in sum\(\), max\(\) or avg\(\)/ },
      }),
      hostile: () => ({
        parameters: {
          url: servers.server.url,
          query: 'sum(jobs{queue="${queue}"})',
          certificateAuthorityData: servers.ca,
          vars: { queue: 'a"}) or vector(0) #\r\n\\' },
        },
        before() {
          servers.server.reply = (_request, response) => json(response, 200, success(vector([1])));
        },
        expected: { values: ["1"] },
        after() {
          const { url } = servers.server.received.at(-1)!;
          const asked = new URL(url, "http://server").searchParams.get("query");
          expect(asked).toBe('sum(jobs{queue="a\\"}) or vector(0) #\\x0d\\x0a\\\\"})');
        },
      }),
    },
  });
});

/** The reading of a query that the server answers with this document. */
async function read(parameters: Readonly<Record<string, unknown>>, document: unknown, status = 200) {
  servers.server.reply = (_request, response) => json(response, status, document);
  const reader = openPrometheusSource(networkWith(secrets)).open(contextOf());
  const where = { url: `${servers.server.url}/prometheus/`, certificateAuthorityData: servers.ca, query: "jobs" };
  const reading = await reader.read({ metricName: "jobs", parameters: { ...where, ...parameters } });
  return "items" in reading ? reading.items.map(({ value }) => value) : reading.error;
}

const saying = (text: string) => expect.stringContaining(text) as string;

test.each<[string, unknown, string | readonly string[]]>([
  ["a vector", success(vector(["12.5"])), ["12500m"]],
  ["a scalar", success({ resultType: "scalar", result: [1, "7"] }), ["7"]],
  ["a number with an exponent", success(vector(["1e+06"])), ["1000000"]],
  ["NaN", success(vector(["NaN"])), saying("the query finds no number")],
  ["infinity", success(vector(["+Inf"])), saying("the query finds no number")],
  ["infinity without a sign", success(vector(["Inf"])), saying("the query finds no number")],
  ["a failure with data", { status: "error", data: vector([1]) }, saying("expected the answer to a query")],
  ["infinity in another word", success(vector(["Infinity"])), saying('expected a number, got "Infinity"')],
  ["NaN in other words", success(vector(["NaN or so"])), saying('expected a number, got "NaN or so"')],
  ["infinity in more words", success(vector(["no Inf"])), saying('expected a number, got "no Inf"')],
  [
    "a sample that is no text",
    success({ resultType: "vector", result: [{ value: [1, 2] }] }),
    saying("expected a sample"),
  ],
  ["a series without a metric", success({ resultType: "vector", result: [{ value: [1, "2"] }] }), ["2"]],
  ["a vector that is no list", success({ resultType: "vector", result: {} }), saying("expected a vector or a scalar")],
  ["a success without data", { status: "success" }, saying("expected the answer to a query, got something else")],
  ["several series", success(vector([1, 2, 3])), saying("expected one series, got 3")],
  ["a range", success({ resultType: "matrix", result: [] }), saying('expected a vector or a scalar, got "matrix"')],
  [
    "a text",
    success({ resultType: "string", result: [1, "x"] }),
    saying('expected a vector or a scalar, got "string"'),
  ],
  ["no number", success(vector(["seven"])), saying('expected a number, got "seven"')],
  ["an empty number", success(vector([""])), saying("expected a sample")],
  ["no sample", success({ resultType: "vector", result: [{}] }), saying("expected a sample")],
  ["no series", success({ resultType: "vector", result: ["x"] }), saying("expected a series")],
  ["a failure", { status: "error", error: "x" }, saying(": the server answers with an error: x")],
  ["a success with an error", success(vector([1]), { error: "no\nstore" }), saying("answers with an error: no store")],
  ["a success with an empty error", success(vector([1]), { error: "" }), ["1"]],
  ["a failure without words", { status: "error" }, saying("expected the answer to a query, got something else")],
  ["a hexadecimal number", success(vector(["0x10"])), saying('expected a number, got "0x10"')],
  ["a number beyond all", success(vector(["1e400"])), saying('expected a number, got "1e400"')],
  [
    "a native histogram",
    success({ resultType: "vector", result: [{ metric: {}, histogram: [1, { count: "4", sum: "2" }] }] }),
    saying("got a native histogram; wrap the query in histogram_count()"),
  ],
])("the answer %s", async (_name, document, expected) => {
  expect(await read({}, document)).toEqual(expected);
});

test("absent stands for no series, NaN and infinity, and for nothing else", async () => {
  for (const values of [[], ["NaN"], ["-Inf"]])
    expect(await read({ absent: 0 }, success(vector(values)))).toEqual(["0"]);
  expect(await read({ absent: 0 }, success(vector([1, 2])))).toContain("expected one series");
  expect(await read({ absent: 0 }, {}, 503)).toContain("the server failed (status 503)");
});

test("a refused query shows the server's own words, bounded and without control characters", async () => {
  const error = `parse error: unclosed left parenthesis\u001b[31m${"x".repeat(1_000)}`;
  const text = await read({}, { status: "error", errorType: "bad_data", error }, 400);
  expect(text).toBe(
    `${servers.server.url}/prometheus: the server refused the request (status 400: ${error.replace("\u001b", " ").slice(0, 300)})`,
  );
});

test("a refusal whose words are no text shows none", async () => {
  expect(await read({}, { error: 5 }, 400)).toBe(
    `${servers.server.url}/prometheus: the server refused the request (status 400)`,
  );
});

describe("an answer of which the server says that a part is missing", () => {
  const store = "receive series from store: unavailable";
  test.each<[string, readonly (string | number)[], Readonly<Record<string, unknown>>, string]>([
    ["by warnings, without a series", [], { warnings: [store] }, store],
    ["by warnings, with NaN", ["NaN"], { warnings: [store] }, store],
    ["by warnings, with a sum of the rest", [3], { warnings: [store] }, store],
    ["by isPartial and warnings", [], { isPartial: true, warnings: [store] }, store],
    ["by isPartial", [], { isPartial: true }, "isPartial"],
    ["by one text", [3], { warnings: store }, store],
    ["by something else", [3], { warnings: { store } }, JSON.stringify({ store })],
    ["by isPartial, with a sum of the rest", [3], { isPartial: true, warnings: [] }, "isPartial"],
    ["beside a warning about the query", [], { warnings: ["PromQL warning: x", store] }, store],
  ])("%s is an error, absent or not", async (_name, values, more, missing) => {
    const answer = success(vector(values), more);
    const error = `${servers.server.url}/prometheus: the answer is partial (${missing}); set allowPartial if it counts all the same`;
    expect(await read({}, answer)).toBe(error);
    expect(await read({ absent: 0 }, answer)).toBe(error);
    expect(await read({ absent: 0, allowPartial: true }, answer)).toEqual([
      values.length === 1 ? String(values[0]).replace("NaN", "0") : "0",
    ]);
  });

  test.each<[string, Readonly<Record<string, unknown>>]>([
    ["warns about the query", { warnings: ["PromQL warning: metric might not be a counter"] }],
    ["has infos", { infos: ["PromQL info: x"] }],
    ["is whole", { isPartial: false, warnings: [] }],
    ["has null", { isPartial: null, warnings: null }],
  ])("a whole answer that %s counts", async (_name, more) => {
    expect(await read({ absent: 0 }, success(vector([]), more))).toEqual(["0"]);
  });
});

test("warnings are kept beside what absent says", async () => {
  servers.server.reply = (_request, response) => json(response, 200, success(vector([]), { warnings: ["no store"] }));
  const reader = openPrometheusSource(networkWith()).open(contextOf());
  const where = { url: servers.server.url, certificateAuthorityData: servers.ca };
  const parameters = { ...where, query: "jobs", absent: 0, allowPartial: true };
  expect(await reader.read({ metricName: "jobs", parameters })).toMatchObject({
    items: [{ value: "0", metricLabels: { warnings: "no store" } }],
  });
});

test("warnings are kept beside the value", async () => {
  servers.server.reply = (_request, response) =>
    json(response, 200, success(vector([1]), { warnings: ["a store did not answer", "x".repeat(500)] }));
  const reader = openPrometheusSource(networkWith()).open(contextOf());
  const where = { url: servers.server.url, certificateAuthorityData: servers.ca };
  const parameters = { ...where, query: "jobs", allowPartial: true };
  const reading = await reader.read({ metricName: "jobs", parameters });
  const labels = "items" in reading ? reading.items[0]?.metricLabels : {};
  expect(labels).toEqual({
    ...{ __name__: "jobs", pod: "p0" },
    warnings: `a store did not answer; ${"x".repeat(300 - "a store did not answer; ".length)}`,
  });
});

test.each<[unknown, object]>([
  [[], {}],
  ["", {}],
  [null, {}],
])("without warnings (%j) and texts, the labels are the series' own", async (warnings, expected) => {
  servers.server.reply = (_request, response) =>
    json(
      response,
      200,
      success({ resultType: "vector", result: [{ metric: { a: 1 }, value: [1, "2"] }] }, { warnings }),
    );
  const reader = openPrometheusSource(networkWith()).open(contextOf());
  const parameters = { url: servers.server.url, certificateAuthorityData: servers.ca, query: "jobs" };
  expect(await reader.read({ metricName: "jobs", parameters })).toMatchObject({ items: [{ metricLabels: expected }] });
});

test("equal queries share one request, headers and parameters go with it", async () => {
  const { server } = servers;
  server.reply = (_request, response) => json(response, 200, success(vector([1])));
  const before = server.received.length;
  const reader = openPrometheusSource(networkWith()).open(contextOf());
  const parameters = {
    url: server.url,
    certificateAuthorityData: servers.ca,
    query: "jobs",
    headers: { "X-Scope-OrgID": "team-a" },
    queryParameters: { dedup: "true" },
  };
  await Promise.all([1, 2, 3].map(() => reader.read({ metricName: "jobs", parameters })));
  const [request, ...others] = server.received.slice(before);
  expect(others).toEqual([]);
  expect(request?.url).toBe("/api/v1/query?query=jobs&dedup=true");
  expect(request?.headers["x-scope-orgid"]).toBe("team-a");
  const different = [
    { query: "other" },
    { queryParameters: { dedup: "false" } },
    { headers: {} },
    { tlsServerName: "api.internal" },
  ];
  for (const one of different) await reader.read({ metricName: "jobs", parameters: { ...parameters, ...one } });
  expect(server.received.length - before).toBe(1 + different.length);
});

test("a workspace's request is signed for what the server receives", async () => {
  const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI", sessionToken: "s3ss10n" };
  const request: WebRequest = {
    method: "GET",
    path: `/api/v1/query?${queryText({ query: 'sum(jobs{a="b c+d*"})', dedup: "true" })}`,
    headers: { Accept: "application/json" },
    description: "x",
    failureKey: "x",
  };
  const url = new URL("https://aps-workspaces.eu-west-1.amazonaws.com/workspaces/ws-1");
  const now = Date.UTC(2026, 2, 1, 12);
  const signing = { region: "eu-west-1", service: "aps", url, credentials: () => Promise.resolve(credentials), now };
  const headers = await sign(request, signing);
  expect(headers["x-amz-security-token"]).toBe("s3ss10n");
  // As the service checks it: by AWS's documented steps, over the address as it arrives.
  const [path = "", query = ""] = request.path.split("?");
  const signed = ["accept", "host", "x-amz-content-sha256", "x-amz-date", "x-amz-security-token"];
  const values: Readonly<Record<string, string>> = { ...headers, accept: "application/json" };
  const hash = (text: string) => createHash("sha256").update(text).digest("hex");
  const canonical = [
    "GET",
    `/workspaces/ws-1${path}`,
    query.split("&").sort().join("&"),
    ...signed.map((name) => `${name}:${values[name]}`),
    "",
    signed.join(";"),
    hash(""),
  ].join("\n");
  const scope = "20260301/eu-west-1/aps/aws4_request";
  const toSign = ["AWS4-HMAC-SHA256", "20260301T120000Z", scope, hash(canonical)].join("\n");
  const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
  const key = ["20260301", "eu-west-1", "aps", "aws4_request"].reduce<string | Buffer>(hmac, "AWS4wJalrXUtnFEMI");
  expect(headers["authorization"]).toBe(
    `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/${scope}, SignedHeaders=${signed.join(";")}, Signature=${hmac(key, toSign).toString("hex")}`,
  );
  const none = { ...signing, credentials: () => Promise.reject(new Error("wJalrXUtnFEMI")) };
  await expect(sign(request, none)).rejects.toThrow("expected AWS credentials to sign with: Error");
});

test.each([
  ['jobs{queue="', "orders", "orders"],
  ['jobs{queue="', 'a"b\\c\n', 'a\\"b\\\\c\\x0a'],
  ["jobs{queue='", "it's", "it\\'s"],
  ["jobs{queue='", 'a"b', 'a"b'],
  ['jobs{queue="', "it's", "it's"],
  ['jobs{queue="a\\"', 'x"y', 'x\\"y'],
  ['jobs{queue=~"', ".*", "\\\\.\\\\*"],
  ['jobs{queue!~"', "a|b", "a\\\\|b"],
  ['jobs{a="b", queue=~ "x-', "(", "\\\\("],
  ["rate(jobs[", "5m", "5m"],
  ["jobs > ", "12.5", "12.5"],
  ["sum(rate(x[", "1h30m", "1h30m"],
  ["sum(rate(x[", "10ms", "10ms"],
  ["jobs{a='`', queue=\"", "orders", "orders"],
  ['jobs{a=`\\`, queue="', "orders", "orders"],
  ['jobs{a="b"} # of "a" and \'b\'\n > ', "5", "5"],
  ['jobs{queue=~  "', "a.b", "a\\\\.b"],
  ['jobs{queue="', "a\u0085b\u007f", "a\u0085b\\x7f"],
])("after %s, the value %j becomes %s", (before, value, expected) => {
  expect(encodePromql(value, { before, name: "v" })).toBe(expected);
});

test.each([
  ["jobs offset ", "vector(0)", "parameter var.v: expected a number or a duration"],
  ["jobs > ", "x5", "a number or a duration"],
  ["jobs > ", "5 or vector(0)", "a number or a duration"],
  ["jobs > ", "1.", "a number or a duration"],
  ["jobs[", "5m)", "a number or a duration"],
  ["jobs[", "x5m", "a number or a duration"],
  ["jobs[", "5x", "a number or a duration"],
  ["jobs[", "", "a number or a duration"],
  ["jobs{", 'a="b"', "a number or a duration"],
  ["jobs{queue=`", "a", "backquotes have no escapes"],
  ["jobs # ", "1\nor vector(0)", "no placeholder ${v} in a comment"],
])("after %s, the value %j is refused", (before, value, expected) => {
  expect(() => encodePromql(value, { before, name: "v" })).toThrow(expected);
});

test.each<[string, string]>([
  ["jobs", "last_over_time(jobs[30s]) and jobs"],
  ['jobs{queue="a}b", x!~"y"}', 'last_over_time(jobs{queue="a}b", x!~"y"}[30s]) and jobs{queue="a}b", x!~"y"}'],
  [" jobs ", "last_over_time(jobs[30s]) and jobs"],
  ["jobs {a='b}', c=`d`}", "last_over_time(jobs {a='b}', c=`d`}[30s]) and jobs {a='b}', c=`d`}"],
  ["{a='b\\'}', c=`d`}", "last_over_time({a='b\\'}', c=`d`}[30s]) and {a='b\\'}', c=`d`}"],
  ["a:b_9{}", "last_over_time(a:b_9{}[30s]) and a:b_9{}"],
  ['{__name__="jobs"}', 'last_over_time({__name__="jobs"}[30s]) and {__name__="jobs"}'],
])("with maxAgeSeconds, %s is asked as", async (query, expected) => {
  await read({ query, maxAgeSeconds: 30 }, success(vector([1])));
  const asked = new URL(servers.server.received.at(-1)!.url, "http://server").searchParams.get("query");
  expect(asked).toBe(expected);
});

test.each<[Readonly<Record<string, unknown>>, string]>([
  [{ query: "sum(jobs)", maxAgeSeconds: 30 }, "a query that is a plain selector"],
  [{ query: "{}", maxAgeSeconds: 30 }, "parameter maxAgeSeconds: expected a query that is a plain selector"],
  [{ query: "jobs or x", maxAgeSeconds: 30 }, "a query that is a plain selector"],
  [{ query: 'jobs{a="b}', maxAgeSeconds: 30 }, "a query that is a plain selector"],
  [{ query: "9jobs", maxAgeSeconds: 30 }, "a query that is a plain selector"],
  [{ query: "jobs{}{}", maxAgeSeconds: 30 }, "a query that is a plain selector"],
  [{ query: "jobs[5m]", maxAgeSeconds: 30 }, "a query that is a plain selector"],
  [{ query: undefined }, "parameter query: expected a PromQL expression"],
  [{ url: undefined }, "parameter url: expected an address such as"],
  [
    { sigv4Region: "eu-west-1", url: "https://aps-workspaces.eu-west-1.amazonaws.com.evil.example" },
    "parameter url: expected a host such as aps-workspaces.eu-west-1.amazonaws.com for signed requests",
  ],
  [
    { sigv4Region: "eu-west-1", url: "https://x.aps-workspaces.eu-west-1.amazonaws.com" },
    "a host such as aps-workspaces.eu-west-1.amazonaws.com for signed requests",
  ],
  [{ sigv4Region: "eu-west-1" }, "a host such as aps-workspaces.eu-west-1.amazonaws.com for signed requests"],
  [{ sigv4Region: "eu-west-1", secret: "ebb/prod/x" }, "sigv4Region or secret, not both"],
  [{ queryParameters: { query: "up" } }, "parameter queryParameters.query: expected a parameter of the query API"],
])("what cannot be asked: %j", async (parameters, expected) => {
  expect(await read(parameters, success(vector([1])))).toContain(expected);
});
