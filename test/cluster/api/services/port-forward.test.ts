import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { type WebSocket, WebSocketServer } from "ws";
import type { ServiceStream, ServiceStreamRequest } from "../../../../lib/model/ports/cluster";
import { json, startServer, status, type TestServer } from "../../api-server";
import { clustersWith, entry, soon } from "../../connect";
import { until } from "../../../time/until";

/** An API server that forwards ports as `serve` says. */
let server: TestServer;
let clusters: ReturnType<typeof clustersWith>;
let upgraded: { readonly url: string; readonly headers: IncomingMessage["headers"] }[];
let channels: WebSocket[];
/** What the kubelet does with a connection. */
let serve: (channel: WebSocket, port: number) => void;
/** The API server's answer to the requests that ask for an upgrade. Undefined: it is upgraded. */
let refusal: ((request: IncomingMessage) => { readonly code: number; readonly body: unknown } | undefined) | undefined;

/** Whether the peer has forgotten the connection that an upgrade came over. */
let forgotten: (socket: Duplex) => boolean;

const port = 6379;
const beginning = (channel: WebSocket, announced = port) => {
  for (const number of [0, 1]) channel.send(Buffer.of(number, announced & 255, announced >> 8));
};
const echo = (channel: WebSocket, asked: number) => {
  beginning(channel, asked);
  channel.on("message", (message: Buffer) => channel.send(message));
};

const endpoint = (name: string, more: object = {}) => ({
  addresses: [`10.0.0.${name.length}`],
  targetRef: { kind: "Pod", namespace: "shop", name },
  ...more,
});
const slice = (endpoints: readonly unknown[]) => ({
  metadata: { name: "redis-x" },
  endpoints,
  ports: [
    { name: "client", port, protocol: "TCP" },
    { name: "gossip", port: 16379, protocol: "UDP" },
  ],
});
let slices: readonly unknown[];

beforeEach(async () => {
  [upgraded, channels, serve, refusal] = [[], [], echo, undefined];
  forgotten = () => false;
  slices = [slice([endpoint("redis-0")])];
  const answer = ({ url }: { readonly url: string }, response: ServerResponse) => {
    if (url.includes("endpointslices"))
      return json(response, 200, { kind: "EndpointSliceList", metadata: {}, items: slices });
    const ports = [{ name: "client", port: 80, targetPort: "redis", protocol: "TCP" }];
    return json(response, 200, { kind: "Service", metadata: { name: "redis" }, spec: { ports } });
  };
  server = await startServer(answer, undefined, (request, socket, head) => {
    if (forgotten(socket)) return;
    upgraded.push({ url: request.url ?? "", headers: request.headers });
    const refused = refusal?.(request);
    if (refused !== undefined) {
      const body = JSON.stringify(refused.body);
      const length = Buffer.byteLength(body);
      socket.end(
        `HTTP/1.1 ${refused.code} No\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`,
      );
      return;
    }
    const kubelet = new WebSocketServer({ noServer: true, handleProtocols: () => "v4.channel.k8s.io" });
    kubelet.handleUpgrade(request, socket, head, (channel) => {
      channels.push(channel);
      channel.on("error", () => undefined);
      serve(channel, Number(/ports=(\d+)$/.exec(request.url ?? "")?.[1]));
    });
  });
  clusters = clustersWith({ transport: { timeoutMs: 1_000 } });
});
afterEach(async () => {
  clusters.close();
  for (const channel of channels) channel.terminate();
  await server.stop();
});

const service = { namespace: "shop", service: "redis", port: "client" } as const;

async function connect(request: Partial<ServiceStreamRequest> = {}, signal = soon()): Promise<ServiceStream> {
  const cluster = await clusters.connect(entry(server.url), signal);
  return cluster.connectService({ ...service, ...request }, signal);
}

/** All that arrives until the stream ends, or why it broke. */
async function readAll(stream: ServiceStream): Promise<string> {
  let text = "";
  stream.on("data", (piece: Buffer) => (text += piece.toString("latin1")));
  return await new Promise((resolve) => {
    stream.on("error", ({ message }: Error) => resolve(message));
    stream.on("close", () => resolve(text));
  });
}

test("bytes go to a ready pod and back, with the cluster's credential", async () => {
  const stream = await connect();
  stream.write("PING\r\n");
  const [answer] = (await once(stream, "data")) as [Buffer];
  expect(answer.toString()).toBe("PING\r\n");
  expect(stream.bytesRead).toBe(6);
  const path = "/api/v1/namespaces/shop/pods/redis-0/portforward?ports=6379";
  expect(upgraded).toMatchObject([{ url: path, headers: { authorization: "Bearer t0k3n", "user-agent": "ebb" } }]);
  expect(upgraded[0]?.headers).not.toHaveProperty("sec-websocket-extensions");
  expect(server.received.map(({ url }) => decodeURIComponent(url))).toEqual([
    "/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices?labelSelector=kubernetes.io/service-name=redis&limit=100",
  ]);
  stream.destroy();
});

test("a port's number is the service's own, and is looked up there", async () => {
  (await connect({ port: 80 })).destroy();
  expect(upgraded[0]?.url).toContain("ports=6379");
  await expect(connect({ port: 6379 })).rejects.toThrow("service redis in namespace shop has no TCP port 6379");
  await expect(connect({ port: "gossip" })).rejects.toThrow('no TCP port "gossip"');
});

test.each<[string, readonly unknown[]]>([
  ["that is not ready", [slice([endpoint("redis-0", { conditions: { ready: false } })])]],
  ["of another namespace", [slice([endpoint("redis-0", { targetRef: { kind: "Pod", namespace: "b", name: "c" } })])]],
  ["that is no pod", [slice([endpoint("redis-0", { targetRef: { kind: "Node", name: "c" } })])]],
  ["without a name", [slice([endpoint("redis-0", { targetRef: undefined })])]],
  ["that is malformed", [slice([7, null, "x"]), { endpoints: 7 }, null]],
  ["at all", []],
])("no connection goes to an endpoint %s", async (_what, given) => {
  slices = given;
  await expect(connect()).rejects.toMatchObject({
    kind: "unreachable",
    message: "service redis in namespace shop has no ready pod",
  });
  expect(upgraded).toEqual([]);
});

test("connections spread over the ready pods", async () => {
  slices = [slice([endpoint("redis-1"), endpoint("redis-0")])];
  for (let time = 0; time < 3; time += 1) (await connect()).destroy();
  expect(upgraded.map(({ url }) => /redis-\d/.exec(url)?.[0])).toEqual(["redis-0", "redis-1", "redis-0"]);
});

test.each([
  ["kafka-1.brokers.shop.svc.cluster.local", 9093, "kafka-1/portforward?ports=9093"],
  ["kafka-1.brokers", 9093, "kafka-1/portforward?ports=9093"],
  ["kafka-1", 9093, "kafka-1/portforward?ports=9093"],
  ["10.0.0.9", 9093, "another-x/portforward?ports=9093"],
  ["first.brokers.shop.svc", 9093, "another-x/portforward?ports=9093"],
  ["redis", 80, "another-x/portforward?ports=6379"],
  ["redis.shop.svc.cluster.local", 80, "another-x/portforward?ports=6379"],
])("a member at %s:%i is found among the service's pods", async (host, at, expected) => {
  slices = [slice([endpoint("kafka-1"), endpoint("another-x", { hostname: "first" })])];
  (await connect({ member: { host, port: at } })).destroy();
  expect(upgraded[0]?.url).toContain(`/pods/${expected}`);
});

test.each([
  "kafka-9.brokers.shop.svc",
  "kafka-1.brokers.pay.svc",
  "10.9.9.9",
  "kafka-1.example.com",
  "db.shop.svc",
  "",
])("a member at %j is none of the service's pods", async (host) => {
  slices = [slice([endpoint("kafka-1")])];
  await expect(connect({ member: { host, port: 9093 } })).rejects.toMatchObject({
    kind: "badAnswer",
    message: `a member says that it is at "${host}:9093", which is no ready pod of service redis in namespace shop`,
  });
  expect(upgraded).toEqual([]);
});

test("a refusal is in the API server's words, and names the right", async () => {
  const message = 'pods "redis-0" is forbidden: User "ebb" cannot create resource "pods/portforward"';
  refusal = () => ({ code: 403, body: status(403, "Forbidden", message) });
  await expect(connect()).rejects.toMatchObject({ kind: "forbidden", message });
  expect(upgraded).toHaveLength(1);
});

test("a pod that is gone has the API server's words, and no right is missing", async () => {
  refusal = () => ({ code: 404, body: status(404, "NotFound", 'pods "redis-0" not found') });
  await expect(connect()).rejects.toMatchObject({ kind: "notFound", message: 'pods "redis-0" not found' });
});

test("connections that the peer resets are tried twice", async () => {
  let resets = 0;
  forgotten = (socket) => {
    resets += 1;
    (socket as Socket).resetAndDestroy();
    return true;
  };
  await expect(connect()).rejects.toMatchObject({ kind: "unreachable" });
  expect(resets).toBe(2);
});

test("a refusal without a reason gets the right that it is about", async () => {
  refusal = () => ({ code: 403, body: status(403, "Forbidden", 'pods "redis-0" is forbidden: ') });
  const message = 'pods "redis-0" is forbidden: cannot create resource "pods/portforward" in the namespace "shop"';
  await expect(connect()).rejects.toMatchObject({ kind: "forbidden", message });
});

test("a refused credential is read again, once", async () => {
  refusal = () => (upgraded.length === 1 ? { code: 401, body: {} } : undefined);
  (await connect()).destroy();
  expect(upgraded).toHaveLength(2);
  refusal = () => ({ code: 401, body: {} });
  await expect(connect()).rejects.toMatchObject({ kind: "unauthorized" });
  expect(upgraded).toHaveLength(4);
});

test("a huge refusal is cut", async () => {
  refusal = () => ({ code: 500, body: "x".repeat(10 * 2 ** 20) });
  await expect(connect()).rejects.toThrow(/an error on the server \(status 500, application\/json, 65536 bytes\)/);
});

test.each<[string, (channel: WebSocket) => void, RegExp]>([
  ["says nothing", () => undefined, /no answer within 1 s/],
  ["closes at once", (channel) => channel.close(), /closed the connection/],
  ["breaks at once", (channel) => channel.terminate(), /closed the connection/],
  ["begins with another port", (channel) => beginning(channel, 22), /expected port 6379 at the beginning of channel 0/],
  ["begins with data", (channel) => channel.send(Buffer.from("\0+OK\r\n")), /expected port 6379 at the beginning/],
  ["sends text", (channel) => channel.send("hello"), /expected binary messages, got text/],
  ["sends an empty message", (channel) => channel.send(Buffer.alloc(0)), /got an empty message/],
  ["uses another channel", (channel) => channel.send(Buffer.of(2, 1)), /expected channel 0 or 1, got channel 2/],
  ["sends a huge message", (channel) => channel.send(Buffer.alloc(2 ** 21)), /expected WebSocket's frames/],
  ["sends garbage", (channel) => rawOf(channel).write("\xff\xff\xff\xff\xff"), /expected WebSocket's frames/],
])("no stream of a backend that %s", async (_what, far, expected) => {
  serve = far;
  const failed = connect();
  await expect(failed).rejects.toThrow(expected);
  await expect(failed).rejects.toThrow(/get pods\/portforward redis-0 in namespace shop|connect to service redis/);
});

test.each<[string, (channel: WebSocket) => void, RegExp]>([
  ["uses another channel", (channel) => channel.send(Buffer.of(7, 1)), /expected channel 0 or 1, got channel 7/],
  ["sends garbage", (channel) => rawOf(channel).write("\xff\xff\xff\xff"), /expected WebSocket's frames/],
  ["ends", (channel) => channel.close(), /^$/],
  ["breaks", (channel) => channel.terminate(), /^$/],
  [
    "reports an error",
    (channel) => channel.send(Buffer.from(`\x01refused \x1b[31m${"x".repeat(100_000)}`)),
    /^the kubelet says: refused {2}\[31mx{200,300}$/,
  ],
])("the stream ends when the backend %s", async (_what, far, expected) => {
  serve = (channel) => beginning(channel);
  const stream = await connect();
  const read = readAll(stream);
  far(channels[0] as WebSocket);
  expect(await read).toMatch(expected);
  expect(stream.destroyed).toBe(true);
});

test("what nobody reads is not taken from the backend", async () => {
  let sent = 0;
  serve = (channel) => {
    beginning(channel);
    const piece = Buffer.alloc(64 * 1024);
    const send = () => {
      sent += 1;
      channel.send(piece, () => (channel.readyState === channel.OPEN && sent < 2_000 ? send() : undefined));
    };
    send();
  };
  const stream = await connect();
  let before = -1;
  while (before !== sent) {
    before = sent;
    await sleep(100);
  }
  expect(sent).toBeLessThan(500);
  expect((stream as unknown as Duplex).readableLength).toBeLessThan(2 ** 20);
  let received = 0;
  stream.on("data", (data: Buffer) => (received += data.length));
  while (received < 2_000 * (64 * 1024 - 1)) await once(stream, "data");
  stream.destroy();
});

test("the end of the run closes what is being opened, and a destroyed stream closes the connection", async () => {
  serve = () => undefined;
  const turn = new AbortController();
  const failed = connect({}, turn.signal);
  await until(() => channels.length > 0);
  turn.abort(new Error("the slot's time is up"));
  await expect(failed).rejects.toMatchObject({
    kind: "timeout",
    message: expect.stringContaining("time is up") as string,
  });
  await once(channels[0] as WebSocket, "close");
  serve = echo;
  const stream = await connect();
  stream.destroy();
  await once(channels[1] as WebSocket, "close");
});

test("128 streams are open at a time; the next one waits for the end of one", async () => {
  const streams = await Promise.all(Array.from({ length: 128 }, () => connect()));
  await expect(connect()).rejects.toThrow(/no answer within 1 s/);
  const waiting = connect();
  streams[5]?.destroy();
  (await waiting).destroy();
  for (const stream of streams) stream.destroy();
});

test("of the idle connections that the peer forgot while the process was frozen, one alone is tried", async () => {
  (await connect()).destroy();
  // Their lookups leave four idle connections; the pods of redis are known.
  slices = [];
  const lookups = ["a", "b", "c", "d"].map((name) => connect({ service: name }));
  await Promise.allSettled(lookups);
  const idle = server.connections;
  let resets = 0;
  forgotten = (socket) => {
    if (server.connections > idle) return false;
    resets += 1;
    (socket as Socket).resetAndDestroy();
    return true;
  };
  const stream = await connect();
  expect({ resets, opened: server.connections - idle }).toEqual({ resets: 1, opened: 1 });
  stream.destroy();
});

test("an address that no connection goes to gets no upgrade either", async () => {
  const addresses = { loopback: false, allowedHosts: [] };
  const strict = clustersWith({ addresses });
  const cluster = strict.connect(entry(server.url.replace("http:", "https:")), soon());
  await expect(cluster.then((one) => one.connectService(service, soon()))).rejects.toThrow(/loopback/);
  strict.close();
});

/** The socket under a WebSocket: for what the protocol does not allow. */
function rawOf(channel: WebSocket): Duplex {
  return (channel as unknown as { readonly _socket: Duplex })._socket;
}
