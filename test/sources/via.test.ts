import { parseHttpQuery } from "../../lib/sources/http/http-query";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { parse } from "yaml";
import { checkDocument } from "../../cli/write/documents/check-document";
import { openHttpSource } from "../../lib/sources/http/http";
import { openPrometheusSource } from "../../lib/sources/prometheus/prometheus";
import { Fault } from "../../lib/model/fault";
import type { ServiceAnswer, ServiceStream } from "../../lib/model/ports/cluster";
import type { MetricSource } from "../../lib/model/ports/sources";
import { parseKafkaQuery } from "../../lib/sources/kafka/kafka-query";
import { parsePostgresqlQuery } from "../../lib/sources/postgresql/postgresql-query";
import { openRedisSource } from "../../lib/sources/redis/redis";
import { base64, makeCertificates } from "../cluster/certificates";
import { fakeCluster } from "../fakes/fake-cluster";
import { networkWith } from "./contract/contract";
import { streamTo } from "./contract/stream-to";
import { serve } from "./redis/resp";
import { contextOf } from "./read-context";

interface SourceDocument {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly kind: "redis" | "prometheus"; readonly parameters: Readonly<Record<string, unknown>> };
}

type TlsKeys = Awaited<ReturnType<typeof makeCertificates>>;

const via = { namespace: "monitoring", service: "stats", port: "8080" };

/** What a source reads through an API server behind which this service is. */
async function readVia(
  open: (network: ReturnType<typeof networkWith>) => MetricSource,
  parameters: Readonly<Record<string, unknown>>,
  answer?: (path: string) => ServiceAnswer,
) {
  const cluster = fakeCluster();
  if (answer !== undefined) cluster.services.set("monitoring/stats:8080", answer);
  const context = contextOf({ cluster: { name: "prod", api: () => Promise.resolve(cluster) } });
  const reading = await open(networkWith())
    .open(context)
    .read({ metricName: "jobs", parameters: { via, ...parameters } });
  return "items" in reading ? reading.items.map(({ value }) => value) : reading.error;
}

const answering = (document: unknown, status = 200, type = "application/json") => {
  const asked: string[] = [];
  const answer = (path: string): ServiceAnswer => {
    asked.push(path);
    return { status, headers: { "content-type": type }, body: Buffer.from(JSON.stringify(document)) };
  };
  return { asked, answer };
};

test("http reads a document of a service, whose URL is a path", async () => {
  const { asked, answer } = answering({ depth: 7 });
  const parameters = { url: "/queues/${queue}?full=1", path: "$.depth", "var.queue": "a b" };
  expect(await readVia(openHttpSource, parameters, answer)).toEqual(["7"]);
  expect(asked).toEqual(["/queues/a%20b?full=1"]);
});

test.each([
  [{}, "/api/v1/query?query=sum%28jobs%29"],
  [{ url: "/prometheus/" }, "/prometheus/api/v1/query?query=sum%28jobs%29"],
])("prometheus asks a service: %j", async (more, expected) => {
  const { asked, answer } = answering({ status: "success", data: { resultType: "scalar", result: [1, "3"] } });
  expect(await readVia(openPrometheusSource, { query: "sum(jobs)", ...more }, answer)).toEqual(["3"]);
  expect(asked).toEqual([expected]);
});

test("the example on the sources' page reads what is behind the API server", async () => {
  const page = readFileSync("docs/sources/README.md", "utf8");
  const section = page.slice(page.indexOf("## Servers inside the cluster"));
  const documents = /```yaml\n([\s\S]*?)```/.exec(section)?.[1]?.split(/^---$/m) ?? [];
  const entries = documents.map((text) => parse(text) as SourceDocument);
  expect(entries.map((entry) => checkDocument(entry, "default"))).toMatchObject(
    entries.map(() => ({ checked: { ref: { kind: "MetricSource" } } })),
  );
  const redis = createServer((socket) => {
    serve(([name]) => (name === "TYPE" ? "+list\r\n" : ":12\r\n"))(socket.on("error", () => undefined));
  }).listen(0, "127.0.0.1");
  await once(redis, "listening");
  const cluster = fakeCluster();
  const { port } = redis.address() as AddressInfo;
  cluster.streams.set("shop/redis:client", () => streamTo(port));
  const { answer } = answering({ status: "success", data: { resultType: "scalar", result: [1, "3"] } });
  cluster.services.set("monitoring/prometheus:9090", answer);
  const sources = { redis: openRedisSource(networkWith()), prometheus: openPrometheusSource(networkWith()) };
  const context = contextOf({ cluster: { name: "prod", api: () => Promise.resolve(cluster) } });
  const read = async ({ spec: { kind, parameters }, metadata }: SourceDocument) => {
    const reading = await sources[kind].open(context).read({ metricName: metadata.name, parameters });
    return [metadata.name, "items" in reading ? reading.items.map(({ value }) => value) : reading.error];
  };
  expect(await Promise.all(entries.map(read))).toEqual([
    ["jobs", ["3"]],
    ["tasks", ["12"]],
  ]);
  redis.close();
});

test("what the service answers is judged as any server's answer", async () => {
  const { answer } = answering({ status: "error", error: "parse error: unclosed left parenthesis" }, 400);
  expect(await readVia(openPrometheusSource, { query: "sum(" }, answer)).toBe(
    "http://stats.monitoring.svc:8080: the server refused the request (status 400: parse error: unclosed left parenthesis)",
  );
});

test("a service that is not there is an error of the API server's words", async () => {
  expect(await readVia(openPrometheusSource, { query: "jobs" })).toBe(
    'http://stats.monitoring.svc:8080: services "stats" not found',
  );
});

test("a cluster that cannot be reached is the metric's error", async () => {
  const api = () => Promise.reject(new Fault("unreachable", "https://prod.example: connection refused"));
  const context = contextOf({ cluster: { name: "prod", api } });
  const reader = openPrometheusSource(networkWith()).open(context);
  expect(await reader.read({ metricName: "jobs", parameters: { via, query: "jobs" } })).toEqual({
    error: "http://stats.monitoring.svc:8080: https://prod.example: connection refused",
    from: "prometheus",
  });
});

test.each<[Readonly<Record<string, unknown>>, string]>([
  [{ url: "https://stats.example.com/a" }, "parameter url: expected a path such as /prometheus"],
  [{ secret: "ebb/prod/x" }, "parameter secret: expected nothing beside via"],
  [{ certificateAuthorityData: "YQ==" }, "parameter certificateAuthorityData: expected nothing beside via"],
  [{ via: { namespace: "monitoring", service: "stats" } }, "parameter via.port: expected a port's number or name"],
  [{ via: { ...via, service: "../x" } }, "parameter via.service: expected a name such as prometheus"],
  [{ via: { ...via, port: "1/../../x" } }, "parameter via.port: expected a port's number or name"],
  [{ via: "monitoring/stats" }, "parameter via: expected an object with namespace, service and port"],
  [{ via: undefined, url: "/a" }, "parameter url: expected https://host[:port][/path], or via for a path"],
])("what cannot be asked: %j", async (parameters, expected) => {
  expect(await readVia(openHttpSource, { url: "/a", path: "$", ...parameters })).toContain(expected);
});

test("a port may be a number", () => {
  const query = { metricName: "m", parameters: { url: "/a", path: "$", via: { ...via, port: 8080 } } };
  expect(parseHttpQuery(query).server).toEqual(
    parseHttpQuery({ ...query, parameters: { ...query.parameters, via: { ...via, port: "8080" } } }).server,
  );
});

describe("over TCP", () => {
  const secretName = "ebb/prod/redis";
  const service = { namespace: "shop", service: "redis", port: "6379" };
  const secrets = new Map<string, string>();
  let keys: TlsKeys;
  let plain: Server;
  let secure: Server;
  let commands: (readonly string[])[];
  let answer: (command: readonly string[]) => string;

  beforeAll(async () => {
    keys = await makeCertificates();
    const speak = (socket: Socket) => {
      socket.on("error", () => undefined);
      serve((command) => {
        commands.push(command);
        return answer(command);
      })(socket);
    };
    plain = createServer(speak).listen(0, "127.0.0.1");
    secure = createTlsServer({ key: keys.server.key, cert: keys.server.cert }, speak).listen(0, "127.0.0.1");
    await Promise.all([once(plain, "listening"), once(secure, "listening")]);
  });
  afterAll(() => {
    plain.close();
    secure.close();
  });
  beforeEach(() => {
    commands = [];
    answer = ([name]) => (name === "AUTH" ? "+OK\r\n" : name === "TYPE" ? "+list\r\n" : ":12\r\n");
    secrets.clear();
  });

  const portOf = (server: Server) => (server.address() as AddressInfo).port;

  async function readService(
    parameters: Readonly<Record<string, unknown>>,
    server = plain,
    open: (port: number) => ServiceStream = streamTo,
  ) {
    const cluster = fakeCluster();
    const requests: object[] = [];
    cluster.streams.set("shop/redis:6379", (request) => {
      requests.push(request);
      return open(portOf(server));
    });
    const context = contextOf({ cluster: { name: "prod", api: () => Promise.resolve(cluster) } });
    const reader = openRedisSource(networkWith(secrets)).open(context);
    const reading = await reader.read({ metricName: "jobs", parameters: { key: "jobs", via: service, ...parameters } });
    return { requests, read: "items" in reading ? reading.items.map(({ value }) => value) : reading.error };
  }

  const setSecret = (endpoint: string, more: object = {}) =>
    secrets.set(secretName, JSON.stringify({ endpoint, password: "s3cret-0f-redis", ...more }));

  test("a service is read over one stream, without TLS of its own", async () => {
    expect(await readService({})).toEqual({ read: ["12"], requests: [{ ...service, priority: 0 }] });
    expect(commands).toEqual([
      ["TYPE", "jobs"],
      ["LLEN", "jobs"],
    ]);
  });

  test("a secret that is for the service goes to it", async () => {
    setSecret("via://shop/redis:6379");
    expect((await readService({ secret: secretName })).read).toEqual(["12"]);
    expect(commands[0]).toEqual(["AUTH", "s3cret-0f-redis"]);
  });

  test.each(["via://shop/other:6379", "via://pay/redis:6379", "via://shop/redis:6380", "redis://127.0.0.1:6379", "x"])(
    "a secret for %s does not",
    async (endpoint) => {
      setSecret(endpoint);
      const { read, requests } = await readService({ secret: secretName });
      expect(read).toMatch(
        /spec.endpoint: expected the one of|expected via:\/\/namespace\/service:port, got something/,
      );
      expect(requests).toEqual([]);
      expect(commands).toEqual([]);
    },
  );

  test("TLS goes over the stream, and the certificate is for the service", async () => {
    const trusting = { tls: true, certificateAuthorityData: base64(keys.ca) };
    expect((await readService({ ...trusting, tlsServerName: "api.internal" }, secure)).read).toEqual(["12"]);
    expect((await readService(trusting, secure)).read).toMatch(/for another name .*Host: redis.shop.svc. is not in/);
    expect((await readService({ tls: true }, secure)).read).toMatch(/not signed by a trusted CA/);
  });

  test.each([false, true])("an answer has 2 MB at most, with TLS %s", async (tls) => {
    answer = () => `$99999999\r\n${"x".repeat(8 * 2 ** 20)}`;
    const parameters = tls ? { tls, certificateAuthorityData: base64(keys.ca), tlsServerName: "api.internal" } : {};
    expect((await readService(parameters, tls ? secure : plain)).read).toMatch(/larger than 2097152 bytes/);
  });

  test("a member of a cluster is asked for by the address that the server names", async () => {
    answer = () => (commands.length === 1 ? "-MOVED 3999 10.0.0.7:6380\r\n" : ":3\r\n");
    const { read, requests } = await readService({ topology: "cluster", type: "list" });
    expect(read).toEqual(["3"]);
    expect(requests).toMatchObject([service, { ...service, member: { host: "10.0.0.7", port: 6380 } }]);
  });

  test("a stream that broke before it was used says why", async () => {
    const broken = streamTo(portOf(plain));
    broken.once("error", () => undefined);
    broken.destroy(new Fault("unreachable", "the kubelet says: connection refused"));
    await new Promise((closed) => broken.once("close", closed));
    const { read } = await readService({}, plain, () => broken);
    expect(read).toBe('"jobs" of redis.shop.svc:6379: the kubelet says: connection refused');
  });

  test("what the API server refuses is this metric's error", async () => {
    const { read } = await readService({ via: { ...service, service: "nope" } });
    expect(read).toBe('"jobs" of nope.shop.svc:6379: services "nope" not found');
  });

  test.each<[Readonly<Record<string, unknown>>, string]>([
    [{ address: "redis.example.com:6379" }, "parameter address: expected nothing beside via"],
    [{ via: { ...service, scheme: "http" } }, "parameter via.scheme: "],
    [{ via: undefined }, "parameter address: expected host:port"],
  ])("what cannot be asked: %j", async (parameters, expected) => {
    expect((await readService(parameters)).read).toContain(expected);
  });

  test("kafka and postgresql take a service as well", () => {
    const via = { namespace: "shop", service: "db", port: "client" };
    const postgres = parsePostgresqlQuery({
      metricName: "jobs",
      parameters: { via, database: "shop", user: "ebb", query: "SELECT 1" },
    });
    expect(postgres.server).toMatchObject({ via, isSecure: false, peers: [{ host: "db.shop.svc", port: 0 }] });
    const lag = parseKafkaQuery({ metricName: "jobs", parameters: { via, group: "g", lagThreshold: 5 } });
    expect(lag).toMatchObject({ description: 'group "g" of db.shop.svc', server: { via } });
  });
});
