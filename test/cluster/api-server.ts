import * as http from "node:http";
import * as https from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { makeCertificates } from "./certificates";

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

export type Reply = (request: Received, response: http.ServerResponse) => void;

/** A server on loopback that answers as `reply` says and remembers what it was asked, and over which connections. */
export interface TestServer {
  readonly url: string;
  readonly received: Received[];
  readonly connections: number;
  /** Connections that neither side has closed. */
  readonly openConnections: number;
  reply: Reply;
  /** Closes every open connection from the server's side. */
  dropConnections(): void;
  stop(): Promise<void>;
}

export async function startServer(
  reply: Reply,
  tls?: https.ServerOptions,
  onUpgrade?: (request: http.IncomingMessage, socket: Duplex, head: Buffer) => void,
): Promise<TestServer> {
  const sockets = new Set<Socket>();
  const state = { reply, connections: 0, received: [] as Received[] };
  const listener: http.RequestListener = (request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const received = {
        method: request.method ?? "",
        url: request.url ?? "",
        headers: request.headers,
        body: Buffer.concat(pieces).toString("utf8"),
      };
      state.received.push(received);
      state.reply(received, response);
    });
  };
  const server = tls === undefined ? http.createServer(listener) : https.createServer(tls, listener);
  if (onUpgrade !== undefined) server.on("upgrade", onUpgrade);
  server.on("connection", (socket: Socket) => {
    state.connections += 1;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const dropConnections = () => sockets.forEach((socket) => socket.destroy());
  return {
    url: `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    received: state.received,
    get connections() {
      return state.connections;
    },
    get openConnections() {
      return sockets.size;
    },
    set reply(next: Reply) {
      state.reply = next;
    },
    get reply() {
      return state.reply;
    },
    dropConnections,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        dropConnections();
      }),
  };
}

export function json(
  response: http.ServerResponse,
  status: number,
  body: unknown,
  headers: http.OutgoingHttpHeaders = {},
) {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

export function status(code: number, reason: string, message: string) {
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code };
}

/**
 * Discovery of deployments, statefulsets, a custom resource and the metrics APIs, as a server from 1.26 on gives it.
 */
export const aggregated = {
  kind: "APIGroupDiscoveryList",
  apiVersion: "apidiscovery.k8s.io/v2",
  items: [
    group("apps", [
      [
        "v1",
        [
          ["deployments", "Deployment", true],
          ["controllerrevisions", "ControllerRevision", false],
        ],
      ],
    ]),
    group("example.com", [
      ["v2", [["workers", "Worker", false]]],
      ["v1", [["workers", "Worker", true]]],
    ]),
    group("networking.k8s.io", [["v1", [["ingresses", "Ingress", false]]]]),
    group("custom.metrics.k8s.io", [
      ["v1beta2", []],
      ["v1beta1", []],
    ]),
  ],
};

type Resources = readonly (readonly [resource: string, kind: string, hasScale: boolean])[];

function group(name: string, versions: readonly (readonly [version: string, resources: Resources])[]) {
  return {
    metadata: { name },
    versions: versions.map(([version, resources]) => ({
      version,
      freshness: "Current",
      resources: resources.map(([resource, kind, hasScale]) => ({
        resource,
        responseKind: { group: name, version, kind },
        scope: "Namespaced",
        verbs: ["get", "list"],
        subresources: hasScale ? [{ subresource: "status" }, { subresource: "scale" }] : [{ subresource: "status" }],
      })),
    })),
  };
}

/** The core group's resources, /api/v1. */
export const core = {
  kind: "APIResourceList",
  groupVersion: "v1",
  resources: [
    { name: "pods", kind: "Pod", namespaced: true },
    { name: "replicationcontrollers", kind: "ReplicationController", namespaced: true },
    { name: "replicationcontrollers/scale", kind: "Scale", namespaced: true, group: "autoscaling", version: "v1" },
    { name: "services", kind: "Service", namespaced: true },
  ],
};

export function scale(replicas: number, resourceVersion = "7") {
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name: "web", namespace: "shop", uid: "u1", resourceVersion },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas, selector: "app=web" },
  };
}

/** Answers discovery, and gives everything else to `rest`. */
export function discovering(rest: Reply): Reply {
  return (request, response) => {
    if (request.url === "/apis") return json(response, 200, aggregated);
    if (request.url === "/api/v1") return json(response, 200, core);
    rest(request, response);
  };
}

/** A TLS server whose targets have 3 replicas. It asks for a client certificate, and takes a client without one. */
export function startTlsServer({ server, ca }: Awaited<ReturnType<typeof makeCertificates>>): Promise<TestServer> {
  return startServer(
    discovering((_request, response) => json(response, 200, scale(3))),
    { ...server, ca, requestCert: true, rejectUnauthorized: false },
  );
}
