import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { acceptsGzip, openMetricsToken, serveMetrics, type MetricsServer } from "../../cli/look/metrics/serve-metrics";
import { Fault } from "../../lib/model/fault";
import type { Fleet } from "../../lib/read/fleet";

const token = "secret-token";
const shard = { cluster: "prod", from: "", to: null, version: 1, slot: 1, heartbeat: 1, behind: {}, entries: 3 };
let fleet: () => Promise<Fleet>;
let server: MetricsServer;

beforeAll(async () => {
  server = await serveMetrics({ fleet: () => fleet(), now: () => 1_000, token, port: 0 });
});
beforeEach(() => {
  fleet = () => Promise.resolve({ shards: [shard], hpas: [] });
});
afterAll(() => server.close());

interface Answer {
  readonly status: number | undefined;
  readonly type: string | undefined;
  readonly encoding: string | undefined;
  readonly body: Buffer;
}

function ask(headers: Readonly<Record<string, string>> = {}, path = "/metrics", method = "GET"): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const all = { authorization: `Bearer ${token}`, ...headers };
    request(new URL(path, server.url), { headers: all, method, agent: false }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("error", reject);
      response.on("end", () => {
        const { "content-type": type, "content-encoding": encoding } = response.headers;
        resolve({ status: response.statusCode, type, encoding, body: Buffer.concat(parts) });
      });
    })
      .on("error", reject)
      .end();
  });
}

test("it serves text, and OpenMetrics to a client that accepts it", async () => {
  const plain = await ask();
  expect(plain).toMatchObject({ status: 200, type: "text/plain; version=0.0.4; charset=utf-8", encoding: undefined });
  expect(plain.body.toString()).toContain('ebb_shard_hpas{cluster="prod",shard=""} 3\n');
  const open = await ask({ accept: "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;q=0.1" });
  expect(open.type).toBe("application/openmetrics-text; version=1.0.0; charset=utf-8");
  expect(open.body.toString()).toMatch(/# EOF\n$/);
});

test("it is zipped if the client can read that", async () => {
  const zipped = await ask({ "accept-encoding": "gzip" });
  expect(zipped.encoding).toBe("gzip");
  expect(gunzipSync(zipped.body).toString()).toBe((await ask()).body.toString());
});

test.each<[string, boolean]>([
  ["gzip", true],
  ["deflate, gzip;q=0.5", true],
  ["gzip;q=0", false],
  ["gzip;q=0.0, br", false],
  ["br", false],
  ["", false],
])("a client that accepts %p gets it zipped: %p", (accepted, expected) => {
  expect(acceptsGzip(accepted)).toBe(expected);
});

test.each<[string, Readonly<Record<string, string>>, number]>([
  ["no token", { authorization: "" }, 401],
  ["another token", { authorization: "Bearer secret-tokem" }, 401],
  ["half of it", { authorization: "Bearer secret" }, 401],
  ["another scheme", { authorization: `Basic ${token}` }, 401],
  ["a web page", { origin: "http://evil.example" }, 403],
  ["a rebound name", { host: "evil.example:9464" }, 403],
])("%s is refused, and reads nothing", async (_, headers, status) => {
  fleet = () => Promise.reject(new Error("the table was read"));
  expect((await ask(headers)).status).toBe(status);
});

test("other paths and methods are refused", async () => {
  expect((await ask({}, "/")).status).toBe(404);
  expect((await ask({}, "/metrics", "POST")).status).toBe(405);
});

test("a table that does not answer is a failed scrape, in words", async () => {
  fleet = () => Promise.reject(new Fault("throttled", "the table is busy"));
  const { status, body } = await ask();
  expect([status, body.toString()]).toEqual([503, "the table is busy\n"]);
});

test("of many scrapes at a time, two read the table", async () => {
  const waiting: (() => void)[] = [];
  fleet = () => new Promise((resolve) => waiting.push(() => resolve({ shards: [], hpas: [] })));
  const [first, second] = [ask(), ask()];
  while (waiting.length < 2) await new Promise((resolve) => setImmediate(resolve));
  expect((await ask()).status).toBe(503);
  for (const answer of waiting) answer();
  expect([(await first).status, (await second).status]).toEqual([200, 200]);
});

test("the token stays for the next start, and is for you alone", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ebb-metrics-"));
  try {
    const first = await openMetricsToken(folder);
    expect(first.token).toMatch(/^[\w-]{32}$/);
    expect(await openMetricsToken(folder)).toEqual(first);
    expect((await readFile(first.file, "utf8")).trim()).toBe(first.token);
    expect((await stat(first.file)).mode & 0o777).toBe(0o600);
  } finally {
    await rm(folder, { recursive: true });
  }
});
