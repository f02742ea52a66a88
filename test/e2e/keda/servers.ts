import { once } from "node:events";
import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { CreateQueueCommand } from "@aws-sdk/client-sqs";
import { openSqsClients } from "../../../lib/aws/clients";
import { openCloudWatchClients } from "../../../lib/aws/sdk/cloudwatch-clients";
import type { MetricSource, ReadContext } from "../../../lib/model/ports/sources";
import { openCloudWatchSource } from "../../../lib/sources/cloudwatch/cloudwatch";
import { openHttpSource } from "../../../lib/sources/http/http";
import { openKafkaSource } from "../../../lib/sources/kafka/kafka";
import { openPostgresqlSource } from "../../../lib/sources/postgresql/postgresql";
import { openPrometheusSource } from "../../../lib/sources/prometheus/prometheus";
import { openRabbitmqSource } from "../../../lib/sources/rabbitmq/rabbitmq";
import { openRedisSource } from "../../../lib/sources/redis/redis";
import { openSqsSource } from "../../../lib/sources/sqs/sqs";
import { openWorkloadSource } from "../../../lib/sources/workload/workload";
import { clustersWith, entry } from "../../cluster/connect";
import { type FakeCloudWatch, startCloudWatch } from "../../fakes/cloudwatch/start-cloudwatch";
import { networkWith } from "../../sources/contract/contract";
import { noLimit } from "../../time/no-limit";
import { fillCloudWatch, fillCluster, fillKafka, fillRabbitmq } from "./fill-servers";
import { type ApiServer, startApiServer } from "../servers/api-server";
import { awsClients, sendWork } from "../servers/aws";
import { type Emulator, startMoto } from "../servers/emulator";
import { type Kafka, startKafka } from "../servers/kafka";
import { type PostgresqlServer, startPostgresql } from "../servers/postgresql";
import { type Prometheus, startPrometheus } from "../servers/prometheus";
import { type Rabbitmq, startRabbitmq } from "../servers/rabbitmq";
import { type RedisServer, startRedis } from "../servers/redis";

type Texts = Readonly<Record<string, string>>;

export interface Subject {
  readonly type: string;
  /** What every trigger has, and KEDA's credentials. */
  readonly metadata: () => Texts;
  readonly authentication?: () => Texts;
  readonly cluster?: () => Texts;
  /** What the entry has beside what the import writes: where the server is, and the secret. */
  readonly parameters?: () => Readonly<Record<string, unknown>>;
  readonly open: () => MetricSource;
  readonly context?: () => Partial<ReadContext>;
  readonly activation: string;
}

let redis: RedisServer;
let rabbitmq: Rabbitmq;
let postgresql: PostgresqlServer;
let prometheus: Prometheus;
let kafka: Kafka;
let moto: Emulator;
let apiServer: ApiServer;
let cloudwatch: FakeCloudWatch;
let filledAt: number;
let app: HttpServer;
const secrets = new Map<string, string>();
const password = "r3ad3r-0f-r0ws";
const awsKeys = { accessKeyId: "testing", secretAccessKey: "testing" };
const clusters = clustersWith({ tokens: () => Promise.resolve(apiServer.adminToken) });
const ending: (() => unknown)[] = [() => clusters.close()];

const backlog = {
  metricName: "Backlog",
  dimensionName: "Queue",
  dimensionValue: "orders",
  targetMetricValue: "5",
  minMetricValue: "0",
};

export const appUrl = () => `http://127.0.0.1:${(app.address() as AddressInfo).port}/`;
const pem = (data: string) => Buffer.from(data, "base64").toString("utf8");

export const subjects = {
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
  rabbitmq: {
    type: "rabbitmq",
    metadata: () => ({ host: rabbitmq.url, protocol: "http", vhostName: "/", value: "5", unsafeSsl: "true" }),
    authentication: () => rabbitmq.user,
    parameters: () => ({ certificateAuthorityData: rabbitmq.certificateAuthorityData, secret: "ebb/prod/mq" }),
    open: () => openRabbitmqSource(networkWith(secrets)),
    activation: "activationValue",
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
  kafka: {
    type: "kafka",
    metadata: () => ({ bootstrapServers: kafka.address, lagThreshold: "5", consumerGroup: "invoices" }),
    authentication: () => ({
      ...kafka.user,
      ...{ sasl: "scram_sha512", tls: "enable", ca: pem(kafka.certificateAuthorityData) },
    }),
    parameters: () => ({
      certificateAuthorityData: kafka.certificateAuthorityData,
      secret: "ebb/prod/kafka",
      tls: undefined,
    }),
    open: () => openKafkaSource(networkWith(secrets)),
    activation: "activationLagThreshold",
  },
  sqs: {
    type: "aws-sqs-queue",
    metadata: () => ({ awsRegion: moto.region, awsEndpoint: moto.endpoint, queueLength: "5" }),
    authentication: () => ({ awsAccessKeyID: awsKeys.accessKeyId, awsSecretAccessKey: awsKeys.secretAccessKey }),
    open: () => {
      const { endpoint, region } = moto;
      return openSqsSource(openSqsClients({ endpoint, region, credentials: awsKeys, maxAttempts: 1 }));
    },
    activation: "activationQueueLength",
  },
  cloudwatch: {
    type: "aws-cloudwatch",
    metadata: () => ({ awsRegion: moto.region, awsEndpoint: cloudwatch.url, namespace: "App", ...backlog }),
    authentication: () => ({ awsAccessKeyID: awsKeys.accessKeyId, awsSecretAccessKey: awsKeys.secretAccessKey }),
    open: () => {
      const config = { endpoint: cloudwatch.url, region: moto.region, credentials: awsKeys, maxAttempts: 1 };
      return openCloudWatchSource(openCloudWatchClients(config));
    },
    context: () => ({ now: filledAt }),
    activation: "activationTargetMetricValue",
  },
  workload: {
    type: "kubernetes-workload",
    metadata: () => ({ value: "2" }),
    cluster: () => {
      const { endpoint, adminToken: token, certificateAuthorityData } = apiServer;
      return { endpoint, token, certificateAuthorityData };
    },
    open: () => openWorkloadSource(),
    context: () => ({ cluster: { name: "prod", api: connect } }),
    activation: "activationValue",
  },
  http: {
    type: "metrics-api",
    metadata: () => ({ targetValue: "5" }),
    open: () => openHttpSource(networkWith()),
    activation: "activationTargetValue",
  },
} satisfies Readonly<Record<string, Subject>>;

function connect() {
  const { endpoint, certificateAuthorityData } = apiServer;
  return clusters.connect(entry(endpoint, { certificateAuthorityData }), noLimit());
}

const served: Readonly<Record<string, string>> = {
  "/numbers":
    '{"whole": 7, "part": 2.5, "text": "1500m", "none": null, "deep": {"list": [1, {"depth": 12}]}, "below": -3}',
  "/metrics": 'jobs{queue="orders"} 12.5\njobs{queue="mail"} 3\nnothing 0\nbelow -5\n',
};

export async function startServers(): Promise<void> {
  app = createServer((request, response) => response.end(served[request.url ?? ""] ?? "")).listen(0, "127.0.0.1");
  ending.push(() => {
    app.close();
    app.closeAllConnections();
  });
  await once(app, "listening");
  cloudwatch = await startCloudWatch();
  filledAt = fillCloudWatch(cloudwatch);
  ending.push(() => cloudwatch.close());
  const metrics = { job_name: "app", static_configs: [{ targets: [appUrl().slice("http://".length, -1)] }] };
  const config = { global: { scrape_interval: "1s", scrape_timeout: "1s" }, scrape_configs: [metrics] };
  await Promise.all([started(startRabbitmq(), (one) => (rabbitmq = one)), started(startMoto(), (one) => (moto = one))]);
  await Promise.all([
    started(startKafka(), (one) => (kafka = one)),
    started(startRedis({ name: "redis" }), (one) => (redis = one)),
  ]);
  await started(startApiServer(), (one) => (apiServer = one));
  await started(startPostgresql(), (one) => (postgresql = one));
  await started(startPrometheus(config), (one) => (prometheus = one));
  const secretOf = ({ certificateAuthorityData }: Texts | PostgresqlServer | Rabbitmq | Kafka, credential: object) =>
    JSON.stringify({ certificateAuthorityData, ...credential });
  const endpoint = `postgresql://${postgresql.address}`;
  secrets.set("ebb/prod/db", secretOf(postgresql, { endpoint, username: "ebb", password }));
  secrets.set("ebb/prod/mq", secretOf(rabbitmq, { endpoint: rabbitmq.url, ...rabbitmq.user }));
  const broker = { endpoint: `kafkas://${kafka.address}`, mechanism: "SCRAM-SHA-512", ...kafka.user };
  secrets.set("ebb/prod/kafka", secretOf(kafka, broker));
}

async function started<T extends { stop(): unknown }>(starting: Promise<T>, use: (one: T) => void): Promise<void> {
  const one = await starting;
  ending.push(() => one.stop());
  use(one);
}

export async function stopServers(): Promise<void> {
  for (const end of ending.reverse()) await end();
}

export const fillServers = () =>
  Promise.all([
    fillRedis(),
    fillRabbitmq(rabbitmq),
    fillPostgresql(),
    fillKafka(kafka),
    fillSqs(),
    fillCluster(apiServer),
  ]);

async function fillRedis(): Promise<void> {
  for (const line of [
    ...["RPUSH jobs a b c", "SADD jobs:ids 1 2", "ZADD jobs:due 1 a", "HSET jobs:by-id 1 a 2 b", "SET jobs:text 5"],
    ...["XGROUP CREATE orders mailers 0 MKSTREAM", ...Array.from({ length: 7 }, () => "XADD orders * n 1")],
    "XREADGROUP GROUP mailers one COUNT 3 STREAMS orders >",
  ])
    await redis.cli(...line.split(" "));
}

async function fillPostgresql(): Promise<void> {
  await postgresql.psql(
    `CREATE USER ebb PASSWORD '${password}'; CREATE TABLE jobs (id serial, queue text, weight numeric)`,
  );
  await postgresql.psql(
    "INSERT INTO jobs (queue, weight) SELECT '12', 1.25 FROM generate_series(1, 5); GRANT SELECT ON jobs TO ebb",
  );
}

async function fillSqs(): Promise<void> {
  const aws = awsClients(moto);
  for (const QueueName of ["orders", "idle"]) await aws.sqs.send(new CreateQueueCommand({ QueueName }));
  await sendWork(aws, "orders", 7);
}
