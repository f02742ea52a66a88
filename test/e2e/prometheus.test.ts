import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { SourceReading } from "../../lib/model/ports/sources";
import { openPrometheusSource } from "../../lib/sources/prometheus/prometheus";
import { networkWith } from "../sources/contract/contract";
import { imported } from "../sources/imported";
import { contextOf } from "../sources/read-context";
import { installedProgram } from "./servers/installed";
import { type Prometheus, startPrometheus } from "./servers/prometheus";
import { startScaledConsumer } from "./servers/scaled-consumer";

/** The real Prometheus, which scrapes an application of this suite every second. */
/** The application's samples, as it serves them. */
const samples = new Map<string, number | string>();
let app: Server;
let prometheus: Prometheus;
let url: string;

beforeAll(async () => {
  app = createServer((_request, response) => {
    response.setHeader("content-type", "text/plain; version=0.0.4");
    response.end([...samples].map(([name, value]) => `${name} ${value}\n`).join(""));
  }).listen(0, "127.0.0.1");
  await once(app, "listening");
  const { port } = app.address() as AddressInfo;
  const job = { job_name: "app", static_configs: [{ targets: [`127.0.0.1:${port}`] }] };
  prometheus = await startPrometheus({
    global: { scrape_interval: "1s", scrape_timeout: "1s" },
    scrape_configs: [job],
  });
  ({ url } = prometheus);
}, 90_000);

afterAll(async () => {
  await prometheus.stop();
  app.close();
  app.closeAllConnections();
});

function read(query: string, more: Readonly<Record<string, unknown>> = {}): Promise<SourceReading> {
  const reader = openPrometheusSource(networkWith()).open(contextOf());
  return reader.read({ metricName: "jobs", parameters: { url, query, ...more } });
}

const valueOf = (reading: SourceReading) => ("items" in reading ? String(reading.items[0]?.value) : reading.error);

/** Reads until Prometheus has scraped what the application serves now. */
async function readUntil(query: string, expected: string, more: Readonly<Record<string, unknown>> = {}): Promise<void> {
  let last: string | undefined;
  for (let tries = 0; tries < 100 && last !== expected; tries += 1) {
    if (tries > 0) await sleep(200);
    last = valueOf(await read(query, more));
  }
  expect(last).toBe(expected);
}

/** What Prometheus's own tool finds. */
async function promtool(query: string): Promise<string> {
  const { stdout } = await promisify(execFile)(installedProgram("promtool"), ["query", "instant", url, query]);
  return stdout;
}

test("reads the number that promtool reads", async () => {
  samples.set('jobs{queue="orders"}', 12.5);
  samples.set('jobs{queue="mail"}', 3);
  await readUntil("sum(jobs)", "15500m");
  expect(await promtool("sum(jobs)")).toMatch(/^\{\} => 15\.5 @/);
  expect(valueOf(await read("scalar(sum(jobs)) * 2"))).toBe("31");
  // A trigger of KEDA, imported.
  const trigger = imported("prometheus", { serverAddress: url, query: "sum(jobs)", threshold: "5" });
  expect(valueOf(await openPrometheusSource(networkWith()).open(contextOf()).read(trigger))).toBe("15500m");
  expect(valueOf(await read("jobs"))).toContain("expected one series, got 2; wrap the query in sum()");
  expect(valueOf(await read("jobs[1m]"))).toContain('expected a vector or a scalar, got "matrix"');
});

test("what is not a number, or not there, is an error", async () => {
  samples.set("broken", "NaN");
  await readUntil("count(broken)", "1");
  for (const query of ["broken", "sum(broken) / 0", "no_such_metric"]) {
    expect(valueOf(await read(query))).toContain("the query finds no number");
    expect(valueOf(await read(query, { absent: 0 }))).toBe("0");
  }
});

test("a refused query shows what Prometheus says about it", async () => {
  expect(valueOf(await read("sum("))).toMatch(/status 400: .*parse error: unclosed left parenthesis/);
});

test.each(['x" or vector(99) or jobs{queue="x', "back\\slash", "it's", "line\nbreak", ".*", "ünïcode 数"])(
  "the value %j finds the series of that name, and no other",
  async (queue) => {
    const escaped = queue.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n");
    samples.clear();
    samples.set(`named{queue="${escaped}"}`, 7);
    samples.set('named{queue="other"}', 1);
    for (const query of [
      'named{queue="${q}"}',
      "named{queue='${q}'}",
      'named{queue=~"${q}"}',
      'sum(named{queue=~"(${q})"})',
    ])
      await readUntil(query, "7", { vars: { q: queue } });
  },
);

test("maxAgeSeconds refuses a sample that the server still takes for current", async () => {
  samples.clear();
  samples.set("recent", 4);
  await readUntil("recent", "4", { maxAgeSeconds: 5 });
  samples.set("old", `4 ${Date.now() - 60_000}`);
  await readUntil("old", "4");
  expect(valueOf(await read("old", { maxAgeSeconds: 5 }))).toContain("the query finds no number");
  expect(valueOf(await read("old", { maxAgeSeconds: 240 }))).toBe("4");
});

test("a consumer of jobs goes to zero, to as many as its jobs ask for, and back to zero", async () => {
  const show = (jobs: number) => {
    samples.clear();
    samples.set('waiting{queue="orders"}', jobs);
  };
  show(0);
  const consumer = await startScaledConsumer({
    kind: "prometheus",
    parameters: { url, query: 'sum(waiting{queue="${queue}"})', absent: "error" },
    labels: { "var.queue": "orders" },
    perReplica: "5",
    secrets: new Map(),
  });
  try {
    await consumer.untilReplicas(0);
    show(12);
    await consumer.untilReplicas(3);
    show(3);
    await consumer.untilReplicas(1);
    show(0);
    await consumer.untilReplicas(0);
  } finally {
    await consumer.stop();
  }
}, 180_000);
