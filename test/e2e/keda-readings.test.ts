import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { parseMilli } from "../../lib/k8s/quantity";
import type { MetricSource } from "../../lib/model/ports/sources";
import { openHttpSource } from "../../lib/sources/http/http";
import { openPostgresqlSource } from "../../lib/sources/postgresql/postgresql";
import { openPrometheusSource } from "../../lib/sources/prometheus/prometheus";
import { openRedisSource } from "../../lib/sources/redis/redis";
import { openUpstream, type Upstream } from "../../parity/ask-upstream";
import {
  type ReadingAnswer,
  readingRows,
  type ReadingRow,
  readReadings,
  readingsFile,
  type RecordedReading,
  writtenReadings,
} from "../../parity/keda/readings";
import { networkWith } from "../sources/contract/contract";
import { imported } from "../sources/imported";
import { contextOf } from "../sources/read-context";
import { inCheckout } from "./servers/checkout";
import { eventually } from "./servers/eventually";
import { type PostgresqlServer, startPostgresql } from "./servers/postgresql";
import { type Prometheus, startPrometheus } from "./servers/prometheus";
import { type RedisServer, startRedis } from "./servers/redis";

/**
 * An imported trigger reads the number and the activity that KEDA's own scaler reads of the same server. KEDA's answers
 * are recorded: `npm run keda:record` asks again, of these servers.
 */
const isRecording = process.env.EBB_RECORD !== undefined;

type Texts = Readonly<Record<string, string>>;

interface Server {
  readonly type: string;
  /** What every trigger has, and KEDA's credentials. */
  readonly metadata: () => Texts;
  readonly authentication?: () => Texts;
  /** What the entry has beside what the import writes: where the server is, and the secret. */
  readonly parameters?: () => Readonly<Record<string, unknown>>;
  readonly open: () => MetricSource;
  /** The trigger's setting of its activation. */
  readonly activation: string;
}

let redis: RedisServer;
let postgresql: PostgresqlServer;
let prometheus: Prometheus;
let app: HttpServer;
let keda: Upstream | undefined;
const ending: (() => unknown)[] = [];
const secrets = new Map<string, string>();
const password = "r3ad3r-0f-r0ws";
const appUrl = () => `http://127.0.0.1:${(app.address() as AddressInfo).port}/`;

const served: Readonly<Record<string, string>> = {
  "/numbers":
    '{"whole": 7, "part": 2.5, "text": "1500m", "none": null, "deep": {"list": [1, {"depth": 12}]}, "below": -3}',
  "/metrics": 'jobs{queue="orders"} 12.5\njobs{queue="mail"} 3\nnothing 0\nbelow -5\n',
};

const servers = {
  redis: {
    type: "redis",
    metadata: () => ({ address: redis.address, listLength: "5" }),
    open: () => openRedisSource(networkWith()),
    activation: "activationListLength",
  },
  streams: {
    type: "redis-streams",
    metadata: () => ({ address: redis.address }),
    open: () => openRedisSource(networkWith()),
    activation: "activationLagCount",
  },
  postgresql: {
    type: "postgresql",
    metadata: () => {
      const [host = "", port = ""] = postgresql.address.split(":");
      return { host, port, userName: "ebb", dbName: "postgres", sslmode: "require", targetQueryValue: "5" };
    },
    authentication: () => ({ password }),
    parameters: () => ({
      certificateAuthorityData: postgresql.certificateAuthorityData,
      secret: "ebb/prod/db",
      user: undefined,
    }),
    open: () => openPostgresqlSource(networkWith(secrets), () => Promise.reject(new Error("no AWS"))),
    activation: "activationTargetQueryValue",
  },
  prometheus: {
    type: "prometheus",
    metadata: () => ({ serverAddress: prometheus.url, threshold: "5" }),
    open: () => openPrometheusSource(networkWith()),
    activation: "activationThreshold",
  },
  http: {
    type: "metrics-api",
    metadata: () => ({ targetValue: "5" }),
    open: () => openHttpSource(networkWith()),
    activation: "activationTargetValue",
  },
} satisfies Readonly<Record<string, Server>>;

interface Case {
  readonly server: keyof typeof servers;
  readonly metadata: Texts;
}

const on = (server: keyof typeof servers, ...given: readonly Texts[]) =>
  given.map((metadata): Case => ({ server, metadata }));
const group = { consumerGroup: "mailers" };
const query = (text: string): Texts => ({ query: text });

const cases: readonly Case[] = [
  ...on(
    "redis",
    ...["jobs", "jobs:ids", "jobs:due", "jobs:by-id", "jobs:text", "none"].map((listName) => ({ listName })),
  ),
  ...on("redis", { listName: "jobs", activationListLength: "2" }, { listName: "jobs", activationListLength: "3" }),
  ...on("streams", { stream: "orders", ...group, pendingEntriesCount: "5" }, { stream: "orders", streamLength: "5" }),
  ...on("streams", { stream: "orders", ...group, lagCount: "5" }, { stream: "none", streamLength: "5" }),
  ...on("streams", { stream: "orders", ...group, lagCount: "5", activationLagCount: "4" }),
  ...on("streams", { stream: "orders", ...group, lagCount: "5", activationLagCount: "3" }),
  ...on("streams", { stream: "orders", consumerGroup: "nobody", lagCount: "5" }),
  ...on("streams", { stream: "orders", consumerGroup: "nobody", pendingEntriesCount: "5" }),
  ...on("streams", { stream: "none", ...group, pendingEntriesCount: "5" }, { stream: "none", ...group, lagCount: "5" }),
  ...on(
    "postgresql",
    ...["count(*)", "sum(weight)", "max(queue)", "NULL::int", "-2", "1e3::float8"].map((what) =>
      query(`SELECT ${what} FROM jobs`),
    ),
  ),
  ...on(
    "postgresql",
    query("SELECT count(*) FROM none"),
    query("SELECT id FROM jobs WHERE false"),
    query("SELECT id, weight FROM jobs"),
  ),
  ...on(
    "postgresql",
    query("SELECT id FROM jobs ORDER BY id"),
    query("SELECT '7'"),
    query("SELECT 'seven'"),
    query("SELECT true"),
  ),
  ...on("postgresql", { ...query("SELECT count(*) FROM jobs"), activationTargetQueryValue: "5" }),
  ...on(
    "prometheus",
    ...["sum(jobs)", "jobs", 'jobs{queue="mail"}', "none", "nothing", "0/0", "1/0", "-below", "below"].map(query),
  ),
  ...on("prometheus", { ...query("none"), ignoreNullValues: "false" }, { ...query("sum("), ignoreNullValues: "true" }),
  ...on(
    "prometheus",
    { ...query("sum(jobs)"), activationThreshold: "15.5" },
    { ...query("sum(jobs)"), activationThreshold: "15" },
  ),
  ...on("prometheus", query("scalar(sum(jobs))")),
  ...["whole", "part", "text", "none", "deep.list.1.depth", "deep.list", "missing", "below"].flatMap((valueLocation) =>
    on("http", { path: "numbers", valueLocation }),
  ),
  ...['jobs{queue="orders"}', "nothing", "missing", "below"].flatMap((valueLocation) =>
    on("http", { path: "metrics", valueLocation, format: "prometheus" }),
  ),
];
/** By the query or the place of the number. */
const differing: Readonly<Record<string, ReadingRow>> = {
  "SELECT -2 FROM jobs": readingRows.severalRows,
  "SELECT 1e3::float8 FROM jobs": readingRows.severalRows,
  "SELECT id FROM jobs ORDER BY id": readingRows.severalRows,
  "0/0": readingRows.scalar,
  "1/0": readingRows.scalar,
  "scalar(sum(jobs))": readingRows.scalar,
  below: readingRows.belowZero,
};
const differenceOf = ({ metadata: { query, valueLocation } }: Case) => differing[query ?? valueLocation ?? ""];
const idOf = ({ server, metadata }: Case) => `${server} ${JSON.stringify(metadata)}`;

function metadataOf({ server, metadata }: Case): Texts {
  const { path, ...given } = metadata;
  return { ...servers[server].metadata(), ...(path !== undefined && { url: `${appUrl()}${path}` }), ...given };
}

/** The number of an imported trigger, and whether KEDA's rule calls it active. */
async function readImported(one: Case): Promise<ReadingAnswer> {
  const server: Server = servers[one.server];
  const metadata = metadataOf(one);
  const { metricName, parameters } = imported(server.type, metadata);
  const whole = Object.entries({ ...parameters, ...server.parameters?.() }).filter(([, value]) => value !== undefined);
  const reading = await server
    .open()
    .open(contextOf())
    .read({ metricName, parameters: Object.fromEntries(whole) });
  if ("error" in reading) return { active: false, error: reading.error };
  const total = reading.items.reduce((sum, { value }) => sum + parseMilli(value), 0n);
  return { value: String(total), active: total > parseMilli(metadata[server.activation] ?? "0") };
}

async function askKeda(upstream: Upstream, one: Case): Promise<RecordedReading["keda"]> {
  const { type, authentication }: Server = servers[one.server];
  const given = { type, metadata: metadataOf(one), authentication: authentication?.() };
  const [answer] = await upstream.ask([{ kind: "reading", given } as never]);
  if (answer === undefined || !("expect" in answer)) throw new Error(`KEDA gave no answer: ${JSON.stringify(answer)}`);
  const { value, active } = answer.expect as ReadingAnswer;
  return value === undefined ? { active: false } : { value: String(parseMilli(value)), active };
}

async function startServers(): Promise<void> {
  app = createServer((request, response) => response.end(served[request.url ?? ""] ?? "")).listen(0, "127.0.0.1");
  ending.push(() => {
    app.close();
    app.closeAllConnections();
  });
  await once(app, "listening");
  const metrics = { job_name: "app", static_configs: [{ targets: [appUrl().slice("http://".length, -1)] }] };
  const config = { global: { scrape_interval: "1s", scrape_timeout: "1s" }, scrape_configs: [metrics] };
  const started = await Promise.all([
    startRedis({ name: "redis" }).then((one) => (redis = one)),
    startPostgresql().then((one) => (postgresql = one)),
    startPrometheus(config).then((one) => (prometheus = one)),
  ]);
  ending.push(...started.map((one) => () => one.stop()));
  const secretOf = (server: { readonly certificateAuthorityData: string }, credential: object) =>
    JSON.stringify({ certificateAuthorityData: server.certificateAuthorityData, ...credential });
  secrets.set(
    "db",
    secretOf(postgresql, { endpoint: `postgresql://${postgresql.address}`, username: "ebb", password }),
  );
  const endpoint = `postgresql://${postgresql.address}`;
  secrets.set("ebb/prod/db", secretOf(postgresql, { endpoint, username: "ebb", password }));
}

async function fillServers(): Promise<void> {
  for (const line of [
    ...["RPUSH jobs a b c", "SADD jobs:ids 1 2", "ZADD jobs:due 1 a", "HSET jobs:by-id 1 a 2 b", "SET jobs:text 5"],
    ...["XGROUP CREATE orders mailers 0 MKSTREAM", ...Array.from({ length: 7 }, () => "XADD orders * n 1")],
    "XREADGROUP GROUP mailers one COUNT 3 STREAMS orders >",
  ])
    await redis.cli(...line.split(" "));
  await postgresql.psql(
    `CREATE USER ebb PASSWORD '${password}'; CREATE TABLE jobs (id serial, queue text, weight numeric)`,
  );
  await postgresql.psql(
    "INSERT INTO jobs (queue, weight) SELECT '12', 1.25 FROM generate_series(1, 5); GRANT SELECT ON jobs TO ebb",
  );
}

beforeAll(async () => {
  await startServers();
  await fillServers();
  await eventually("Prometheus has scraped", async () =>
    expect(await readImported(on("prometheus", query("sum(jobs)"))[0]!)).toMatchObject({ value: "15500" }),
  );
  if (!isRecording) return;
  const recorder = execFileSync(process.execPath, [inCheckout("scripts/servers/keda-recorder.mjs")], {
    encoding: "utf8",
  });
  const upstream = (keda = openUpstream(recorder.trim().split("\n").at(-1) ?? ""));
  await eventually("KEDA, which asks Prometheus for whole seconds, sees it too", async () =>
    expect(await askKeda(upstream, on("prometheus", query("sum(jobs)"))[0]!)).toMatchObject({ value: "15500" }),
  );
}, 600_000);

afterAll(async () => {
  await keda?.close();
  for (const end of ending.reverse()) await end();
});

test("numbers and activity are KEDA's, but for the listed differences", async () => {
  const recorded = isRecording ? undefined : readReadings();
  const readings: RecordedReading[] = [];
  const differences: object[] = [];
  for (const one of cases) {
    const id = idOf(one);
    const theirs = keda === undefined ? recorded?.get(id) : await askKeda(keda, one);
    if (theirs === undefined) throw new Error(`${readingsFile} has no ${id}: run npm run keda:record`);
    const ours = await readImported(one);
    readings.push({ id, keda: theirs });
    const isSame = theirs.value === ours.value && theirs.active === ours.active;
    if (isSame !== (differenceOf(one) === undefined))
      differences.push({ id, keda: theirs, ebb: ours, listed: differenceOf(one)?.title });
  }
  if (isRecording) writeFileSync(inCheckout(readingsFile), writtenReadings(readings));
  expect(differences).toEqual([]);
}, 300_000);

test("each listed difference has a case", () => {
  const listed = Object.values(readingRows).map(({ title }) => title);
  expect([...new Set(cases.flatMap((one) => differenceOf(one)?.title ?? []))].sort()).toEqual([...listed].sort());
});
