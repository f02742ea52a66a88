import { readThrough } from "./servers/read-through";
import { requiredPermissionsOf } from "../../lib/read/required-permissions";
import { rulesOf } from "../../cli/set-up/rbac-rules";
import type { MetricSource, SourceReading } from "../../lib/model/ports/sources";
import { openKafkaSource } from "../../lib/sources/kafka/kafka";
import { openPostgresqlSource } from "../../lib/sources/postgresql/postgresql";
import { openRedisSource } from "../../lib/sources/redis/redis";
import { hpaWith } from "../core/build";
import { networkWith } from "../sources/contract/contract";
import { type ApiServer, startApiServer } from "./servers/api-server";
import { eventually } from "./servers/eventually";
import { type Kafka, startKafka } from "./servers/kafka";
import { type Kubelet, startKubelet } from "./servers/kubelet";
import { type PostgresqlServer, startPostgresql } from "./servers/postgresql";
import { type RedisServer, startRedis } from "./servers/redis";
import { type GivenConsumer, startScaledConsumer } from "./servers/scaled-consumer";

/** Real servers behind a real API server. Where they listen, the kubelet alone knows. */
const namespace = "shop";
const broker = "kafka-0.brokers.shop.svc.cluster.local";
const redisPassword = "r3d1s-0f-the-suite";
let apiServer: ApiServer;
let kubelet: Kubelet;
let redis: RedisServer;
let postgresql: PostgresqlServer;
let kafka: Kafka;
let secrets: Map<string, string>;

const portOf = (address: string) => Number(address.split(":")[1]);

beforeAll(async () => {
  [apiServer, redis, postgresql, kafka] = await Promise.all([
    startApiServer(),
    startRedis({ name: "redis", password: redisPassword }),
    startPostgresql(),
    startKafka({ advertised: `${broker}:9093` }),
  ]);
  kubelet = await startKubelet(apiServer, "node-1");
  kubelet.ports.set("redis-0:6379", redis.port);
  kubelet.ports.set("db-0:5432", portOf(postgresql.address));
  kubelet.ports.set("kafka-0:9093", portOf(kafka.address));
  await apiServer.admin.create("/api/v1/namespaces", { metadata: { name: namespace } });
  await serve(apiServer, { service: "redis", pod: "redis-0", port: 6379 });
  await serve(apiServer, { service: "db", pod: "db-0", port: 5432 });
  await serve(apiServer, { service: "kafka", pod: "kafka-0", port: 9093 });
  await serve(apiServer, { service: "closed", pod: "redis-1", port: 7000 });
  await redis.cli("RPUSH", "orders", "a", "b", "c");
  await postgresql.psql("CREATE USER ebb PASSWORD 'p0stgr3s-0f-the-suite'");
  secrets = new Map([
    ["ebb/prod/redis", JSON.stringify({ endpoint: "via://shop/redis:6379", password: redisPassword })],
    [
      "ebb/prod/db",
      JSON.stringify({ endpoint: "via://shop/db:client", username: "ebb", password: "p0stgr3s-0f-the-suite" }),
    ],
    [
      "ebb/prod/kafka",
      JSON.stringify({
        endpoint: "via://shop/kafka:client",
        certificateAuthorityData: kafka.certificateAuthorityData,
        ...kafka.user,
        mechanism: "SCRAM-SHA-512",
      }),
    ],
  ]);
}, 240_000);

afterAll(async () => {
  await kubelet?.stop();
  for (const server of [kafka, postgresql, redis, apiServer]) await server?.stop();
});

interface Served {
  readonly service: string;
  readonly pod: string;
  readonly port: number;
}

/** A service with one ready pod on the kubelet's node. */
async function serve({ admin }: ApiServer, { service, pod, port }: Served): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}`;
  const containers = [{ name: "main", image: "example.com/main:1" }];
  await admin.create(`${path}/pods`, { metadata: { name: pod }, spec: { containers, nodeName: "node-1" } });
  const conditions = [{ type: "Ready", status: "True" }];
  await admin.send("PATCH", `${path}/pods/${pod}/status`, { status: { phase: "Running", conditions } });
  await admin.create(`${path}/services`, {
    metadata: { name: service },
    spec: { ports: [{ name: "client", port, targetPort: port }] },
  });
  await admin.create(`/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`, {
    metadata: { name: `${service}-x`, labels: { "kubernetes.io/service-name": service } },
    addressType: "IPv4",
    endpoints: [
      { addresses: ["10.1.0.7"], conditions: { ready: true }, targetRef: { kind: "Pod", namespace, name: pod } },
    ],
    ports: [{ name: "client", port, protocol: "TCP" }],
  });
}

const network = () => networkWith(secrets);
const sources: Readonly<Record<string, () => MetricSource>> = {
  redis: () => openRedisSource(network()),
  postgresql: () => openPostgresqlSource(network(), () => Promise.reject(new Error("no AWS in this suite"))),
  kafka: () => openKafkaSource(network()),
};
const via = (service: string, port = "client") => ({ namespace, service, port });
const ofRedis = { via: via("redis", "6379"), key: "orders", secret: "ebb/prod/redis" };

async function read(
  kind: string,
  parameters: Readonly<Record<string, unknown>>,
  token = apiServer.adminToken,
): Promise<SourceReading> {
  const source = sources[kind]?.();
  if (source === undefined) throw new Error(`no source ${kind}`);
  return readThrough({ apiServer, token }, source, parameters);
}

const value = (text: string) => ({ items: [{ value: text }] });
const error = (text: RegExp) => ({ error: expect.stringMatching(text) as string });

test("a list of redis, with a secret", async () => {
  expect(await read("redis", ofRedis)).toMatchObject(value(await redis.cli("LLEN", "orders")));
  expect(kubelet.asked).toEqual(["/portForward/shop/redis-0?port=6379 v4.channel.k8s.io"]);
});

test.each([false, true])("a query of postgresql, with TLS %s", async (tls) => {
  const { certificateAuthorityData } = postgresql;
  const trusted = { tls, certificateAuthorityData, tlsServerName: "api.internal" };
  const parameters = { via: via("db"), database: "postgres", query: "SELECT 40 + 2", secret: "ebb/prod/db" };
  const endpoint = { endpoint: "via://shop/db:client", ...(tls ? trusted : {}) };
  secrets.set("ebb/prod/db", JSON.stringify({ ...JSON.parse(secrets.get("ebb/prod/db") ?? ""), ...endpoint }));
  expect(await read("postgresql", { ...parameters, ...(tls ? trusted : {}) })).toMatchObject(
    value(await postgresql.psql("SELECT 40 + 2")),
  );
});

test("the lag of a group of kafka, whose broker names itself by the name of its pod", async () => {
  await kafka.tool("TopicCommand", ["--create", "--topic", "orders", "--partitions", "3"]);
  await kafka.tool("ConsoleProducer", ["--topic", "orders"], "a\nb\nc\nd\n");
  const { certificateAuthorityData } = kafka;
  const parameters = {
    ...{ via: via("kafka"), tls: true, certificateAuthorityData, secret: "ebb/prod/kafka" },
    ...{ group: "invoices", topics: "orders", offsetResetPolicy: "earliest", allowIdleConsumers: true },
  };
  await eventually("the lag", async () => expect(await read("kafka", parameters)).toMatchObject(value("4")), 30_000);
  expect(kubelet.asked.at(-1)).toBe("/portForward/shop/kafka-0?port=9093 v4.channel.k8s.io");
});

test("a port that nothing listens on is an error in the kubelet's words", async () => {
  expect(await read("redis", { via: via("closed"), key: "orders" })).toMatchObject(
    error(/closed\.shop\.svc: the kubelet says: error forwarding port 7000: connection refused/),
  );
});

test("without a right, the API server's words name it; the rules that ebb rbac prints are enough, and each is needed", async () => {
  const metric = { name: "jobs", selector: { matchLabels: {} } };
  const external = { metric, target: { type: "AverageValue", averageValue: "5" } } as const;
  const locate = () => ({ kind: "source", source: "redis", parameters: ofRedis }) as const;
  const hpa = hpaWith({ metrics: [{ type: "External", external }] });
  const needs = requiredPermissionsOf([hpa], { locate, mirrorsEvents: false, isForwarded: () => true });
  const rules = rulesOf(needs.rights.filter((right) => right.namespace === namespace && right.subresource !== "scale"));
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
  await apiServer.admin.create(`${rbac}/roles`, { metadata: { name: "ebb" }, rules: [] });
  await apiServer.admin.create(`${rbac}/rolebindings`, {
    metadata: { name: "ebb" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "ebb" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "restricted" }],
  });
  const readWith = async (granted: readonly object[], expected: object) => {
    await apiServer.admin.send("PATCH", `${rbac}/roles/ebb`, { rules: granted });
    const reading = () => read("redis", ofRedis, apiServer.restrictedToken);
    await eventually("the reading", async () => expect(await reading()).toMatchObject(expected), 15_000);
  };
  await readWith(rules, value("3"));
  for (const rule of rules) {
    const [resource = ""] = rule.resources;
    const named = new RegExp(`User "restricted" cannot \\w+ resource "${resource}"`);
    await readWith(
      rules.filter((other) => other !== rule),
      error(named),
    );
  }
  const portforward = rules.find(({ resources }) => resources.includes("pods/portforward"));
  for (const verb of portforward?.verbs ?? []) {
    const others = rules.map((rule) =>
      rule === portforward ? { ...rule, verbs: rule.verbs.filter((one) => one !== verb) } : rule,
    );
    await readWith(others, error(new RegExp(`cannot ${verb} resource "pods/portforward"`)));
  }
}, 120_000);

describe("a consumer goes to zero, to as many as its messages ask for, and back to zero", () => {
  /** `ebb start` and a consumer on an API server of their own, whose kubelet forwards to what listens on `to`. */
  async function consumerOf(
    served: Served,
    to: number,
    given: Omit<GivenConsumer, "prepare" | "perReplica" | "secrets">,
  ) {
    let asked: readonly string[] = [];
    const scaled = await startScaledConsumer({
      ...{ ...given, perReplica: "5", secrets },
      async prepare(other) {
        const node = await startKubelet(other, "node-1");
        node.ports.set(`${served.pod}:${served.port}`, to);
        ({ asked } = node);
        await other.admin.create("/api/v1/namespaces", { metadata: { name: namespace } });
        await serve(other, served);
        return () => node.stop();
      },
    });
    return { scaled, asked: () => new Set(asked) };
  }

  test("of redis", async () => {
    const served = { service: "redis", pod: "redis-0", port: 6379 };
    const parameters = { ...ofRedis, key: "mails" };
    const { scaled, asked } = await consumerOf(served, redis.port, { kind: "redis", parameters });
    try {
      await scaled.untilReplicas(0);
      await redis.cli("RPUSH", "mails", ...Array.from({ length: 12 }, String));
      await scaled.untilReplicas(3);
      expect((await redis.cli("LPOP", "mails", "12")).split("\n")).toHaveLength(12);
      await scaled.untilReplicas(0);
      expect(asked()).toEqual(new Set(["/portForward/shop/redis-0?port=6379 v4.channel.k8s.io"]));
    } finally {
      await scaled.stop();
    }
  }, 120_000);

  test("of kafka", async () => {
    await kafka.tool("TopicCommand", ["--create", "--topic", "mails", "--partitions", "3"]);
    const served = { service: "kafka", pod: "kafka-0", port: 9093 };
    const { certificateAuthorityData } = kafka;
    const parameters = {
      ...{ via: via("kafka"), tls: true, certificateAuthorityData, secret: "ebb/prod/kafka" },
      ...{ group: "mailers", topics: "mails", offsetResetPolicy: "earliest", lagThreshold: 5 },
    };
    const { scaled, asked } = await consumerOf(served, portOf(kafka.address), { kind: "kafka", parameters });
    try {
      await scaled.untilReplicas(0);
      const keys = ["--property", "parse.key=true", "--property", "key.separator=:"];
      const mails = Array.from({ length: 12 }, (_, at) => `key-${at}:mail ${at}\n`).join("");
      await kafka.tool("ConsoleProducer", ["--topic", "mails", ...keys], mails);
      await scaled.untilReplicas(3);
      const all = ["--from-beginning", "--max-messages", "12", "--timeout-ms", "30000"];
      await kafka.tool("consumer.ConsoleConsumer", ["--topic", "mails", "--group", "mailers", ...all]);
      await scaled.untilReplicas(0);
      expect(asked()).toEqual(new Set(["/portForward/shop/kafka-0?port=9093 v4.channel.k8s.io"]));
    } finally {
      await scaled.stop();
    }
  }, 120_000);
});
