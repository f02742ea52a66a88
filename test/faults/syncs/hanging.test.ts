import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { openConnections, type Connections, openAwsClients } from "../../../compose";
import type { AwsCredentialProvider } from "../../../lib/aws/credentials";
import type { HpaSpec } from "../../../lib/k8s/hpa";
import { Fault } from "../../../lib/model/fault";
import { onThisMachine } from "../../../lib/net/address";
import type { Cluster } from "../../../lib/model/ports/cluster";
import { serveOnLoopback, type LoopbackServer } from "../../backends/loopback";
import { streamTo } from "../../sources/contract/stream-to";
import { until } from "../../time/until";
import { document, fixture, metricValue, queueSpec, sourceOf } from "../../sync/sync-fixture";

/**
 * One HPA has a metric that hangs and one that is readable, and the process has just started. Whatever hangs on the way
 * to the reading, the HPA decides within the slot with the other metric, and its neighbour does not wait for it.
 */
const slotMs = 400;
const region = "eu-west-1";

interface Row {
  /** Of the source. Absent: the metric is the pods' CPU. */
  readonly kind?: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** The AWS credentials of this process hang. */
  readonly credentials?: true;
  /** What the API server never answers. */
  readonly hangs?: Partial<Cluster>;
}

interface Servers {
  /** Accepts connections, and says nothing. */
  readonly silent: string;
  /** Sends a byte every 20 ms. */
  readonly dripping: string;
  /** An answer with status 200 whose body never ends. */
  readonly endless: string;
}

const untilAborted = (_namespace: string, _selector: string, signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) =>
    signal.addEventListener("abort", () => reject(new Fault("timeout", "the API server: no answer"))),
  );
const never = () => new Promise<never>(() => undefined);
const via = { namespace: "shop", service: "stats", port: "8080" };
const query = { database: "shop", query: "SELECT 1" };

/** By what hangs. */
const rows: Readonly<Record<string, (servers: Servers) => Row>> = {
  "SQS, silent": () => ({ kind: "sqs", parameters: { queue: "silent" } }),
  "SQS, dripping": () => ({ kind: "sqs", parameters: { queue: "dripping", region: "ap-drip-1" } }),
  CloudWatch: () => ({ kind: "cloudwatch", parameters: { namespace: "App", metric: "depth" } }),
  "the credentials of SQS": () => ({ kind: "sqs", parameters: { queue: "silent" }, credentials: true }),
  "the credentials of CloudWatch": () => ({
    kind: "cloudwatch",
    parameters: { namespace: "App", metric: "depth" },
    credentials: true,
  }),
  "the credentials that sign for Prometheus": () => ({
    kind: "prometheus",
    parameters: {
      url: `https://aps-workspaces.${region}.amazonaws.com/workspaces/ws-1`,
      query: "1",
      sigv4Region: region,
    },
    credentials: true,
  }),
  "the credentials of MSK's token": () => ({
    kind: "kafka",
    parameters: {
      address: `b-1.x.abc123.c2.kafka.${region}.amazonaws.com:9098`,
      group: "g",
      topics: "t",
      lagThreshold: 5,
      awsIam: true,
    },
    credentials: true,
  }),
  "the credentials of RDS' token": ({ silent }) => ({
    kind: "postgresql",
    parameters: { address: silent, ...query, secret: "ebb/prod/iam" },
    credentials: true,
  }),
  "Secrets Manager, for HTTP": ({ silent }) => ({
    kind: "http",
    parameters: { url: `https://${silent}`, path: "$", secret: "ebb/prod/silent" },
  }),
  "Secrets Manager, for Redis": ({ silent }) => ({
    kind: "redis",
    parameters: { address: silent, key: "l", secret: "ebb/prod/silent" },
  }),
  "Parameter Store": ({ silent }) => ({
    kind: "redis",
    parameters: { address: silent, key: "l", secret: "ssm:/ebb/prod/silent" },
  }),
  ...forBoth("HTTP", (address, scheme) => ({ kind: "http", parameters: { url: `${scheme}://${address}`, path: "$" } })),
  ...forBoth("Prometheus", (address, scheme) => ({
    kind: "prometheus",
    parameters: { url: `${scheme}://${address}`, query: "1" },
  })),
  ...forBoth("RabbitMQ", (address, scheme) => ({
    kind: "rabbitmq",
    parameters: { url: `${scheme}://${address}`, queue: "q" },
  })),
  ...forBoth("Redis", (address, _, tls) => ({ kind: "redis", parameters: { address, key: "l", tls } })),
  ...forBoth("Kafka", (address, _, tls) => ({
    kind: "kafka",
    parameters: { address, group: "g", topics: "t", lagThreshold: 5, tls },
  })),
  ...forBoth("PostgreSQL", (address, _, tls) => ({
    kind: "postgresql",
    parameters: { address, ...query, user: "u", tls },
  })),
  "an answer that never ends": ({ endless }) => ({ kind: "http", parameters: { url: endless, path: "$" } }),
  "a service behind the API server": () => ({
    kind: "http",
    parameters: { url: "/stats", path: "$", via },
    hangs: { getService: never },
  }),
  "a port that is never forwarded": () => ({
    kind: "redis",
    parameters: { via, key: "l" },
    hangs: { connectService: never },
  }),
  "a tunnel that opens and is silent": ({ silent }) => ({
    kind: "redis",
    parameters: { via, key: "l" },
    hangs: { connectService: () => Promise.resolve(streamTo(Number(silent.split(":")[1]))) },
  }),
  "the list of pods": () => ({ hangs: { listPods: untilAborted } }),
  "the pods' CPU": () => ({ hangs: { podMetrics: untilAborted } }),
};

function forBoth(name: string, row: (address: string, scheme: string, tls: boolean) => Row) {
  return {
    [`${name}, silent`]: ({ silent }: Servers) => row(silent, "http", false),
    [`${name}, dripping`]: ({ dripping }: Servers) => row(dripping, "http", false),
    [`${name}, in the TLS handshake`]: ({ silent }: Servers) => row(silent, "https", true),
  };
}

const servers = { silent: "", dripping: "", endless: "" };
const open: Server[] = [];
const sockets = new Set<Socket>();
let secretsManager: LoopbackServer;
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  environment = { ...process.env };
  servers.silent = await listen(() => undefined);
  servers.dripping = await listen((socket) => drip(socket));
  servers.endless = `http://${await listen((socket) => {
    socket.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n");
    drip(socket);
  })}`;
  secretsManager = await serveOnLoopback((request, response) => {
    request.on("data", (asked: Buffer) => {
      if (!asked.toString().includes("ebb/prod/iam")) return;
      const SecretString = JSON.stringify({
        endpoint: `postgresql://${servers.silent}`,
        username: "ebb",
        iam: region,
      });
      response.writeHead(200, { "content-type": "application/x-amz-json-1.1" }).end(JSON.stringify({ SecretString }));
    });
  });
  Object.assign(process.env, {
    ...{ AWS_REGION: region, AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b" },
    ...{ AWS_ENDPOINT_URL_SECRETS_MANAGER: secretsManager.url, AWS_ENDPOINT_URL_SSM: secretsManager.url },
  });
});

afterAll(async () => {
  process.env = environment;
  for (const socket of sockets) socket.destroy();
  await Promise.all([secretsManager.close(), ...open.map((server) => new Promise((done) => server.close(done)))]);
});

async function listen(accept: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => undefined).on("close", () => sockets.delete(socket)));
    socket.resume();
    accept(socket);
  });
  open.push(server);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function drip(socket: Socket): void {
  const timer = setInterval(() => socket.write(" "), 20);
  socket.on("close", () => clearInterval(timer));
}

function connect({ credentials }: Row): Connections {
  const fixed = { accessKeyId: "a", secretAccessKey: "b" };
  const provider: AwsCredentialProvider = credentials ? never : () => Promise.resolve(fixed);
  const access = { region, credentials: provider, endpoint: `http://${servers.silent}` };
  return openConnections({
    clients: openAwsClients(access),
    credentials: provider,
    addresses: onThisMachine,
    now: () => Date.now(),
  });
}

const average = (name: string): NonNullable<HpaSpec["metrics"]>[number] => ({
  type: "External",
  external: { metric: { name }, target: { type: "AverageValue", averageValue: "5" } },
});

const cpu = {
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
} as const;

const failure = /no answer|no connection|did not answer|time was up|broke|does not speak HTTP|larger than/;

test.each(Object.entries(rows))("%s", async (_name, rowOf) => {
  const row = rowOf(servers);
  const day = fixture();
  const add = (name: string, metrics: HpaSpec["metrics"]) => {
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name };
    day.store.documents.set(
      `prod shop/${name}`,
      document({ ...queueSpec, scaleTargetRef, ...(metrics && { metrics }) }, `shop/${name}`),
    );
    day.cluster.add(`shop/${name}`, 1);
  };
  day.store.documents.delete("prod shop/orders");
  add("hung", [row.kind === undefined ? cpu : average("silent"), average("jobs")]);
  add("well", [average("jobs")]);
  if (row.kind !== undefined) {
    const spec = { kind: row.kind, parameters: row.parameters ?? {} };
    day.store.sourceEntries.set("prod silent", { key: "silent", value: { name: "silent", spec } });
  }
  const connections = connect(row);
  const sources = { ...connections.sources, jobs: sourceOf(() => ({ items: [metricValue("jobs", 20)] })) };
  const cluster: Cluster = { ...day.cluster, ...row.hangs };
  let [isLate, timer] = [false, undefined as NodeJS.Timeout | undefined];
  const late = new Promise((done) => (timer = setTimeout(done, 5 * slotMs, "nothing was decided in five slots")));
  void late.then(() => (isLate = true));
  const synced = day.sync(1, { cluster, sources, lengthMs: slotMs, afterMs: 0 });
  expect(await Promise.race([synced, late])).toMatchObject({ outcome: "synced", scaled: 2, behind: 0 });
  expect(day.scaled.map(({ name, to }) => `${name} → ${to}`)).toEqual(["well → 4", "hung → 4"]);
  const [hung] = day.store.stateItems.get("prod shop/hung")?.decision?.steps ?? [];
  expect(hung).toMatchObject({ stage: "metric", replicas: null });
  expect(hung?.because).toMatch(failure);
  connections.close();
  await until(() => isLate || sockets.size === 0);
  clearTimeout(timer);
  expect(sockets.size).toBe(0);
});
