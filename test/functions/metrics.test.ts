import { streamed } from "../fakes/lambda-streams";
import { gunzipSync } from "node:zlib";
import type { Context } from "aws-lambda";
import { metricsHandler } from "../../functions/metrics";
import { openScrapeToken } from "../../functions/metrics-wiring";
import { openReporter, type Telemetry } from "../../functions/reporter";
import { asHpaKey } from "../../lib/model/hpa-key";
import { Fault } from "../../lib/model/fault";
import { flagsOf } from "../../lib/model/stored/history";
import { expositionOf } from "../../lib/read/exposition";
import type { Fleet, FleetHpa } from "../../lib/read/fleet";

const context = { awsRequestId: "request-1", getRemainingTimeInMillis: () => 20_000 } as unknown as Context;
const token = "a-token-of-24-characters";
const secretArn = "arn:aws:secretsmanager:eu-central-1:111122223333:secret:metrics-AbCdEf";
const shard = { cluster: "prod", from: "", to: null, version: 1, slot: 1, heartbeat: 1, behind: {}, entries: 3 };
const small: Fleet = { shards: [shard], hpas: [] };

interface Given {
  readonly secret?: () => Promise<string>;
  readonly fleet?: (signal: AbortSignal) => Promise<Fleet>;
}

function open({ secret = () => Promise.resolve(token), fleet = () => Promise.resolve(small) }: Given = {}) {
  let clock = 1_000_000;
  const said: string[] = [];
  const names: string[] = [];
  let loads = 0;
  const reporter: Telemetry = {
    ...openReporter(),
    warned: (message, error) => void said.push(`${message}: ${String(error)}`),
    invocationFailed: (error) => void said.push(`failed: ${String(error)}`),
  };
  const secrets = (name: string) => {
    names.push(name);
    return secret();
  };
  const handle = metricsHandler({
    fleet: (signal) => {
      loads += 1;
      return fleet(signal);
    },
    token: openScrapeToken(secretArn, { secrets, now: () => clock }),
    reporter,
    now: () => clock,
  });
  return {
    ...{ said, names },
    loads: () => loads,
    wait: (ms: number) => void (clock += ms),
    send: (event: unknown) => streamed((stream) => handle(event, stream, context)),
    scrape: (headers: object = {}, { path = "/metrics", method = "GET" } = {}) =>
      streamed((stream) =>
        handle(requestOf({ authorization: `Bearer ${token}`, ...headers }, path, method), stream, context),
      ),
  };
}

/** As a function URL describes a request. */
const requestOf = (headers: object, rawPath: string, method: string) => ({
  ...{ version: "2.0", routeKey: "$default", rawPath, rawQueryString: "", headers },
  requestContext: { accountId: "anonymous", http: { method, path: rawPath, protocol: "HTTP/1.1" } },
  isBase64Encoded: false,
});

test("it answers as `ebb metrics` prints, always zipped, and as OpenMetrics to a client that accepts it", async () => {
  const { scrape, names } = open();
  const plain = await scrape();
  expect(plain.statusCode).toBe(200);
  expect(plain.headers).toMatchObject({
    "content-type": "text/plain; version=0.0.4; charset=utf-8",
    "content-encoding": "gzip",
  });
  expect(gunzipSync(plain.body).toString()).toBe([...expositionOf(small, 1_000_000, "prometheus")].join(""));
  const openMetrics = await scrape({ accept: "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;q=0.1" });
  expect(openMetrics.headers["content-type"]).toBe("application/openmetrics-text; version=1.0.0; charset=utf-8");
  expect(gunzipSync(openMetrics.body).toString()).toMatch(/# EOF\n$/);
  expect(names).toEqual([secretArn]);
});

test.each<[string, object]>([
  ["no token", { authorization: undefined }],
  ["a blank one", { authorization: "Bearer " }],
  ["another", { authorization: `Bearer ${token}x` }],
  ["half of it", { authorization: `Bearer ${token.slice(0, 20)}` }],
  ["another scheme", { authorization: `Basic ${token}` }],
  ["two of them", { authorization: `Bearer ${token} ${token}` }],
  ["a list", { authorization: [`Bearer ${token}`] }],
  ["one in capitals alone", { authorization: `Bearer ${token.toUpperCase()}` }],
])("%s is refused in a sentence, and the table is not read", async (_, headers) => {
  const { scrape, loads } = open();
  const { statusCode, body } = await scrape(headers);
  expect([statusCode, body.toString()]).toEqual([401, "expected the bearer token of this deployment's metrics\n"]);
  expect(loads()).toBe(0);
});

test.each<[string, unknown]>([
  ["nothing", null],
  ["a text", "GET /metrics"],
  ["no headers", { rawPath: "/metrics" }],
  ["headers of a prototype", { headers: Object.create({ authorization: `Bearer ${token}` }) as object }],
  ["an odd context", { headers: [], requestContext: 7, rawPath: {} }],
])("an event of %s is refused as any stranger's", async (_, event) => {
  const { send, loads } = open();
  expect((await send(event)).statusCode).toBe(401);
  expect(loads()).toBe(0);
});

test("a stranger without a token costs no call for the secret, and one with a wrong token one in a minute", async () => {
  const { scrape, names, wait } = open();
  for (let times = 0; times < 100; times++) await scrape({ authorization: "" });
  expect(names).toHaveLength(0);
  for (let times = 0; times < 100; times++) await scrape({ authorization: "Bearer wrong" });
  expect(names).toHaveLength(1);
  wait(60_000);
  await scrape({ authorization: "Bearer wrong" });
  expect(names).toHaveLength(2);
});

test("another path or method is refused, to those with the token alone", async () => {
  const { scrape, loads } = open();
  expect((await scrape({}, { path: "/" })).statusCode).toBe(404);
  expect((await scrape({}, { method: "POST" })).statusCode).toBe(405);
  expect((await scrape({ authorization: "Bearer wrong" }, { path: "/" })).statusCode).toBe(401);
  expect(loads()).toBe(0);
});

test("a token that is replaced counts within a minute, and the old one no longer than that", async () => {
  let secret = token;
  const { scrape, wait } = open({ secret: () => Promise.resolve(secret) });
  const next = "the-next-token-of-30-characters";
  const both = async () => [
    (await scrape()).statusCode,
    (await scrape({ authorization: `Bearer ${next}` })).statusCode,
  ];
  expect(await both()).toEqual([200, 401]);
  secret = next;
  wait(59_999);
  expect(await both()).toEqual([200, 401]);
  wait(1);
  expect(await both()).toEqual([401, 200]);
});

const cannot = "the token of the metrics cannot be read: this function's log says why\n";

test.each<[string, () => Promise<string>]>([
  ["cannot be read", () => Promise.reject(new Fault("forbidden", `secret ${secretArn}: AccessDeniedException`))],
  ["is blank", () => Promise.resolve("  \n")],
  ["is too short", () => Promise.resolve("nineteen-characters")],
  ["has a blank within", () => Promise.resolve(`${token} ${token}`)],
  ["is no JSON", () => Promise.resolve(`{"token": "${token}"`)],
  ["is JSON without a token", () => Promise.resolve('{"tokens": "a-token-of-24-characters"}')],
])("a secret that %s lets nobody in, and only the log says more", async (_, secret) => {
  const { scrape, said, loads } = open({ secret });
  for (const authorization of [`Bearer ${token}`, "Bearer undefined", "Bearer nineteen-characters"]) {
    const { statusCode, body } = await scrape({ authorization });
    expect([statusCode, body.toString()]).toEqual([503, cannot]);
  }
  expect(said).toHaveLength(3);
  expect(said[0]).toContain(secretArn);
  expect(said.join("")).not.toContain(token);
  expect(loads()).toBe(0);
});

test("a token that was read a minute ago is no token while its secret cannot be read", async () => {
  let secret = () => Promise.resolve(token);
  const { scrape, wait } = open({ secret: () => secret() });
  expect((await scrape()).statusCode).toBe(200);
  secret = () => Promise.reject(new Fault("throttled", "secret: ThrottlingException"));
  wait(60_000);
  expect((await scrape()).statusCode).toBe(503);
});

test("the token may be in JSON, as the console stores it, and end with a line", async () => {
  for (const text of [`{"token": "${token}"}`, `${token}\n`])
    expect((await open({ secret: () => Promise.resolve(text) }).scrape()).statusCode).toBe(200);
});

test("an ARN of SSM names a parameter", async () => {
  const names: string[] = [];
  const arn = "arn:aws:ssm:eu-central-1:111122223333:parameter/ebb-metrics/token";
  const secrets = (name: string) => Promise.resolve((names.push(name), token));
  await openScrapeToken(arn, { secrets, now: () => 0 }).credential(new AbortController().signal);
  expect(names).toEqual([`ssm:${arn}`]);
});

test("a table that does not answer is a failed scrape, in words", async () => {
  const { scrape } = open({ fleet: () => Promise.reject(new Fault("throttled", "the table is busy")) });
  const { statusCode, body } = await scrape();
  expect([statusCode, body.toString()]).toEqual([503, "the table is busy\n"]);
});

test("a defect fails the invocation, which the log has", async () => {
  const { scrape, said } = open({ fleet: () => Promise.reject(new TypeError("no such thing")) });
  const ended = scrape();
  await expect(ended).rejects.toThrow("no such thing");
  expect(said).toEqual(["failed: TypeError: no such thing"]);
});

test("10,000 HPAs are far less than Lambda streams", async () => {
  const hpa = (at: number): FleetHpa => ({
    cluster: "prod",
    key: asHpaKey(`team-${at % 100}/service-with-a-name-${at}`),
    spec: {
      target: { apiVersion: "apps/v1", kind: "Deployment", name: `service-with-a-name-${at}` },
      ...{ minReplicas: 0, maxReplicas: 10, created: 0, generation: 3 },
      metrics: [{ label: "sqs(queue=a)", name: "sqs", type: "External", unit: "average", target: 5 }],
    },
    sample: {
      ...{ current: at % 7, desired: at % 9, recommended: 7, stabilized: 4, flags: flagsOf([]), conditions: 13 },
      metrics: [{ value: at, averageValue: null }],
    },
  });
  const hpas = Array.from({ length: 10_000 }, (_, at) => hpa(at));
  const { scrape } = open({ fleet: () => Promise.resolve({ shards: [shard], hpas }) });
  const { statusCode, body } = await scrape();
  expect(statusCode).toBe(200);
  expect(body.length).toBeLessThan(6 * 2 ** 20);
  const text = gunzipSync(body);
  expect(text.length).toBeGreaterThan(20 * 2 ** 20);
  expect(text.toString().match(/^kube_horizontalpodautoscaler_status_current_replicas\{/gm)).toHaveLength(10_000);
});
