import { createServer, type AddressInfo, type Socket } from "node:net";
import { openSqsClients } from "../../lib/aws/clients";
import { openCloudWatchClients } from "../../lib/aws/sdk/cloudwatch-clients";
import type { MetricSource } from "../../lib/model/ports/sources";
import { openCloudWatchSource } from "../../lib/sources/cloudwatch/cloudwatch";
import { openHttpSource } from "../../lib/sources/http/http";
import { openKafkaSource } from "../../lib/sources/kafka/kafka";
import { openPostgresqlSource } from "../../lib/sources/postgresql/postgresql";
import { openPrometheusSource } from "../../lib/sources/prometheus/prometheus";
import { openRabbitmqSource } from "../../lib/sources/rabbitmq/rabbitmq";
import { openRedisSource } from "../../lib/sources/redis/redis";
import { openSqsSource } from "../../lib/sources/sqs/sqs";
import { openScheduleSource } from "../../lib/sources/schedule/schedule";
import { openWorkloadSource } from "../../lib/sources/workload/workload";
import { json, startServer } from "../cluster/api-server";
import { startCloudWatch } from "../fakes/cloudwatch/start-cloudwatch";
import { fakeCluster } from "../fakes/fake-cluster";
import { networkWith } from "./contract/contract";
import { imported } from "./imported";
import { type Log, serve as serveKafka } from "./kafka/broker";
import { rows, serve as servePostgresql } from "./postgresql/double";
import { readAll } from "./read-all";
import { serve as serveRedis } from "./redis/resp";
import { startSqsServer } from "./sqs/sqs-server";
import { contextOf } from "./read-context";
import { noLimit } from "../time/no-limit";

/**
 * The shapes of trigger that KEDA 2.20 documents, with names of their own. Each becomes entries, whose source reads
 * from a server in a given state the number that KEDA's scaler computes from it.
 */
type Metadata = Readonly<Record<string, string>>;
type Row = readonly [name: string, metadata: Metadata, found: string | RegExp];

const now = Date.parse("2026-03-02T12:07:41Z");
const signal = noLimit();
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

/** What the source of an imported trigger reads, or its error. */
async function numberOf(type: string, metadata: Metadata, source: MetricSource): Promise<string> {
  const [reading] = await readAll(source, [imported(type, metadata)], now, signal);
  if (reading === undefined || !("items" in reading)) return reading?.error ?? "nothing";
  expect(reading.items).toHaveLength(1);
  return String(reading.items[0]?.value);
}

function expectNumber(found: string, expected: string | RegExp): void {
  if (typeof expected === "string") expect(found).toBe(expected);
  else expect(found).toMatch(expected);
}

/** `host:port` of a server without TLS. */
async function listen(accept: (socket: Socket) => void): Promise<string> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket.on("error", () => undefined));
    accept(socket);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  closers.push(() => {
    for (const socket of open) socket.destroy();
    return new Promise((done) => server.close(done));
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function web(reply: Parameters<typeof startServer>[0]) {
  const server = await startServer(reply);
  closers.push(() => server.stop());
  return server;
}

test.each<Row>([
  ["what waits and what is in flight", {}, "5"],
  ["what waits alone", { scaleOnInFlight: "false" }, "3"],
  ["what is delayed, too", { scaleOnDelayed: "true" }, "12"],
])("aws-sqs-queue: %s", async (_name, more, expected) => {
  const server = await startSqsServer();
  closers.push(() => server.close());
  server.queues.set("orders", {
    ApproximateNumberOfMessages: "3",
    ApproximateNumberOfMessagesNotVisible: "2",
    ApproximateNumberOfMessagesDelayed: "7",
  });
  const credentials = { accessKeyId: "a", secretAccessKey: "b" };
  const source = openSqsSource(openSqsClients({ endpoint: server.url, region: "eu-west-1", credentials }));
  const metadata = { queueURL: "https://sqs.eu-west-1.amazonaws.com/123456789012/orders", awsRegion: "eu-west-1" };
  expectNumber(await numberOf("aws-sqs-queue", { ...metadata, ...more }, source), expected);
});

test.each<Row>([
  // 12:05 is complete at 12:07:41. KEDA ends its window at 12:07 as well: the newest datapoint is that of 12:06.
  ["the newest datapoint", { metricStatPeriod: "60" }, "6"],
  ["by another statistic", { metricStatPeriod: "60", metricStat: "Maximum" }, "9"],
  ["before an offset", { metricStatPeriod: "60", metricEndTimeOffset: "60" }, "2"],
  [
    "minMetricValue where there is none",
    { metricStatPeriod: "60", metricName: "None", minMetricValue: "1.5" },
    "1500m",
  ],
  ["an error where there is none", { metricName: "None", ignoreNullValues: "false" }, /no datapoint/],
])("aws-cloudwatch: %s", async (_name, more, expected) => {
  const fake = await startCloudWatch({ now: () => now });
  closers.push(() => fake.close());
  const at = (text: string) => Date.parse(`2026-03-02T${text}Z`) / 1000;
  fake.put({ Namespace: "App", MetricName: "Backlog", Dimensions: [{ Name: "Queue", Value: "orders" }] }, [
    [at("12:05:30"), 2],
    [at("12:06:10"), 3],
    [at("12:06:20"), 9],
  ]);
  const config = { endpoint: fake.url, region: "eu-west-1", credentials: { accessKeyId: "a", secretAccessKey: "b" } };
  const metadata = {
    ...{ namespace: "App", metricName: "Backlog", dimensionName: "Queue", dimensionValue: "orders" },
    ...{ targetMetricValue: "2", awsRegion: "eu-west-1" },
  };
  const source = openCloudWatchSource(openCloudWatchClients(config));
  expectNumber(await numberOf("aws-cloudwatch", { ...metadata, ...more }, source), expected);
});

test.each<Row>([
  // KEDA reports 1 outside its window, for a trigger that is not active: other metrics and the minimum decide.
  ["in its window", { start: "0 11 * * *", end: "0 20 * * *" }, "10"],
  ["outside of it", { start: "0 13 * * *", end: "0 20 * * *" }, "0"],
  ["in its time zone", { timezone: "Asia/Kolkata", start: "30 17 * * *", end: "0 20 * * *" }, "10"],
])("cron: %s", async (_name, more, expected) => {
  const metadata = { timezone: "Etc/UTC", desiredReplicas: "10", ...more };
  expectNumber(await numberOf("cron", metadata, openScheduleSource()), expected);
});

const vector = (...values: readonly string[]) => ({
  status: "success",
  data: { resultType: "vector", result: values.map((value) => ({ metric: {}, value: [now / 1000, value] })) },
});

test.each<readonly [string, Metadata, object, string | RegExp]>([
  ["one series", {}, vector("42.5"), "42500m"],
  ["a scalar's vector", { query: "vector(3)" }, vector("3"), "3"],
  ["no series", {}, vector(), "0"],
  ["no series, as an error", { ignoreNullValues: "false" }, vector(), /no series/],
  ["infinity", {}, vector("+Inf"), "0"],
  ["NaN, as an error", { ignoreNullValues: "false" }, vector("NaN"), /NaN/],
  ["several series", {}, vector("1", "2"), /expected one series, got 2/],
  ["of a tenant", { namespace: "shop", queryParameters: "dedup=true" }, vector("7"), "7"],
])("prometheus: %s", async (_name, more, answer, expected) => {
  const server = await web((_request, response) => json(response, 200, answer));
  const metadata = { serverAddress: `${server.url}/select/0`, query: 'sum(jobs{app="a"})', threshold: "100", ...more };
  expectNumber(await numberOf("prometheus", metadata, openPrometheusSource(networkWith())), expected);
  const asked = new URL(server.received[0]!.url, server.url);
  expect(asked.pathname).toBe("/select/0/api/v1/query");
  const form = new URLSearchParams(server.received[0]!.body);
  const all = Object.fromEntries([...asked.searchParams, ...form]);
  expect(all).toMatchObject({ query: metadata.query });
  if (more["namespace"] !== undefined) expect(all).toMatchObject({ namespace: "shop", dedup: "true" });
});

const queueOf = (name: string, messages: number) => ({
  ...{ name, type: "classic", state: "running", messages, messages_ready: messages - 2 },
  message_stats: { publish_details: { rate: 2.5 }, deliver_get_details: { rate: 1.25 } },
});

test.each<Row>([
  ["ready and unacknowledged", { mode: "QueueLength" }, "7"],
  ["ready alone", { mode: "QueueLength", excludeUnacknowledged: "true" }, "5"],
  ["the old setting", { queueLength: "20" }, "7"],
  ["what is published", { mode: "MessageRate" }, "2500m"],
  ["what is delivered", { mode: "DeliverGetRate" }, "1250m"],
  ["a sum of queues", { mode: "QueueLength", useRegex: "true", queueName: "^a" }, "16"],
  ["a mean of queues", { mode: "QueueLength", useRegex: "true", queueName: "^a", operation: "avg" }, "8"],
  ["a maximum of queues", { mode: "QueueLength", useRegex: "true", queueName: "^a", operation: "max" }, "9"],
  ["no such queues", { mode: "QueueLength", useRegex: "true", queueName: "^none" }, "0"],
])("rabbitmq: %s", async (_name, more, expected) => {
  const server = await web((request, response) => {
    const { pathname, searchParams } = new URL(request.url, "http://mq");
    if (pathname === "/mq/api/queues/shop%2Feu/orders") return json(response, 200, queueOf("orders", 7));
    if (pathname !== "/mq/api/queues/shop%2Feu") return json(response, 404, {});
    const items = searchParams.get("name") === "^a" ? [queueOf("a1", 7), queueOf("a2", 9)] : [];
    const counts = { filtered_count: items.length, item_count: items.length, total_count: 9 };
    json(response, 200, { ...counts, items, page: 1, page_count: items.length === 0 ? 0 : 1, page_size: 500 });
  });
  const metadata = {
    ...{ host: `${server.url}/mq/shop%2Feu`, protocol: "http", queueName: "orders" },
    ...("queueLength" in more ? {} : { value: "20" }),
    ...more,
  };
  expectNumber(await numberOf("rabbitmq", metadata, openRabbitmqSource(networkWith())), expected);
});

test.each<readonly [string, string, Metadata, string | RegExp]>([
  ["a list", "redis", { listName: "jobs" }, "12"],
  ["a set", "redis", { listName: "tags" }, "4"],
  ["of host and port", "redis", { listName: "jobs", host: "", port: "" }, "12"],
  ["a list that is not there", "redis", { listName: "none" }, "0"],
  ["a stream", "redis-streams", { stream: "orders", streamLength: "50" }, "90"],
  ["what is pending", "redis-streams", { stream: "orders", consumerGroup: "g", pendingEntriesCount: "10" }, "6"],
  ["what is not read", "redis-streams", { stream: "orders", consumerGroup: "g", lagCount: "10" }, "8"],
  ["a group that is not there", "redis-streams", { stream: "orders", consumerGroup: "no", lagCount: "1" }, "90"],
])("redis: %s", async (_name, type, more, expected) => {
  const bulk = (text: string) => `$${text.length}\r\n${text}\r\n`;
  const count = (value: number) => `:${value}\r\n`;
  const group = [bulk("name"), bulk("g"), bulk("pending"), count(6), bulk("lag"), count(8)];
  const address = await listen(
    serveRedis(([command = "", ...words]) => {
      const [key = ""] = words;
      const types: Readonly<Record<string, string>> = { jobs: "list", tags: "set", orders: "stream" };
      if (command === "TYPE") return `+${types[key] ?? "none"}\r\n`;
      if (command === "LLEN") return ":12\r\n";
      if (command === "SCARD") return ":4\r\n";
      if (command === "XLEN") return ":90\r\n";
      if (command === "XINFO") return `*1\r\n*6\r\n${group.join("")}`;
      return "-ERR unknown\r\n";
    }),
  );
  const [host = "", port = ""] = address.split(":");
  const where: Metadata = "host" in more ? { host, port } : { address };
  expectNumber(await numberOf(type, { ...more, ...where }, openRedisSource(networkWith())), expected);
});

test.each<Row>([
  // KEDA's lags: 10 + 0, and of the partition without a committed offset 10 (earliest), 1 or 0 (latest).
  ["from the beginning", { offsetResetPolicy: "earliest" }, "20"],
  ["from the end, nothing for what is not committed", { scaleToZeroOnInvalidOffset: "true" }, "10"],
  ["at most lagThreshold for each partition", { offsetResetPolicy: "earliest", lagThreshold: "5" }, "15"],
  [
    "of partitions with lag",
    { offsetResetPolicy: "earliest", lagThreshold: "5", limitToPartitionsWithLag: "true" },
    "10",
  ],
  ["with idle consumers", { offsetResetPolicy: "earliest", lagThreshold: "5", allowIdleConsumers: "true" }, "20"],
  ["of some partitions", { offsetResetPolicy: "earliest", partitionLimitation: "0,1" }, "10"],
  ["of the group's topics", { offsetResetPolicy: "earliest", topic: "" }, "20"],
])("kafka: %s", async (_name, more, expected) => {
  const log: { now?: Log } = {};
  const address = await listen((socket) => serveKafka(socket, () => log.now!));
  log.now = {
    port: Number(address.split(":")[1]),
    topics: {
      orders: [
        { start: 0, end: 100 },
        { start: 0, end: 50 },
        { start: 0, end: 10 },
      ],
    },
    committed: { orders: [90, 50, -1] },
  };
  const metadata = { bootstrapServers: address, consumerGroup: "invoices", topic: "orders", ...more };
  for (const type of ["kafka", "apache-kafka"])
    expectNumber(await numberOf(type, metadata, openKafkaSource(networkWith())), expected);
});

test.each<readonly [string, string | null, string | RegExp]>([
  ["a number", "42.5", "42500m"],
  ["NULL", null, /NULL/],
])("postgresql: %s", async (_name, value, expected) => {
  const certificate = { key: "", cert: "" };
  const address = await listen(servePostgresql({ certificate, answer: () => rows([[value]]) }));
  const [host = "", port = ""] = address.split(":");
  const metadata = {
    ...{ host, port, userName: "ebb", dbName: "shop", sslmode: "disable" },
    ...{ query: "SELECT count(*) FROM jobs", targetQueryValue: "5" },
  };
  const keys = () => Promise.reject(new Error("no credentials in this test"));
  const source = openPostgresqlSource(networkWith(), keys);
  expectNumber(await numberOf("postgresql", metadata, source), expected);
});

const stats = { components: { worker: { tasks: 12, quantity: "10Mi" } }, list: [{ bar: 42 }] };

test.each<Row>([
  ["a number", { valueLocation: "components.worker.tasks" }, "12"],
  ["a quantity", { valueLocation: "components.worker.quantity" }, "10Mi"],
  ["in a list", { valueLocation: "list.0.bar" }, "42"],
  ["that is not there", { valueLocation: "components.none" }, /nothing|no value|not there|absent/],
  ["a sample", { format: "prometheus", valueLocation: 'tasks{queue="a"}' }, "7"],
])("metrics-api: %s", async (_name, more, expected) => {
  const server = await web((_request, response) => {
    if (more["format"] === undefined) return json(response, 200, stats);
    response.writeHead(200, { "content-type": "text/plain; version=0.0.4" });
    response.end('# TYPE tasks gauge\ntasks{queue="a"} 7\ntasks{queue="b"} 9\n');
  });
  const metadata = { url: `${server.url}/api/v1/stats`, targetValue: "7", ...more } as Metadata;
  expectNumber(await numberOf("metrics-api", metadata, openHttpSource(networkWith())), expected);
});

test("kubernetes-workload: pods that are not terminated, in the namespace of the ScaledObject", async () => {
  const cluster = fakeCluster();
  for (const [name, phase, app, namespace] of [
    ["a", "Running", "backend", "shop"],
    ["b", "Pending", "backend", "shop"],
    ["c", "Succeeded", "backend", "shop"],
    ["d", "Failed", "backend", "shop"],
    ["e", "Running", "frontend", "shop"],
    ["f", "Running", "backend", "other"],
  ] as const)
    cluster.pods.push({ metadata: { name, namespace, labels: { app } }, status: { phase } });
  const query = imported("kubernetes-workload", { podSelector: "app=backend", value: "0.5" });
  const context = contextOf({ cluster: { name: "prod", api: () => Promise.resolve(cluster) } });
  expect(await openWorkloadSource().open(context).read(query)).toMatchObject({ items: [{ value: "2" }] });
});
