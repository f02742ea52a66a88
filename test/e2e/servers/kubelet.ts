import { once } from "node:events";
import { createServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import type { ApiServer } from "./api-server";

/** What a kubelet does for `pods/portforward`, for pods whose ports are elsewhere on this machine. */
export interface Kubelet {
  /** The requests that the API server sent, by path and subprotocol. */
  readonly asked: string[];
  /** By `pod:port`: a port of loopback, which only the kubelet knows. */
  readonly ports: Map<string, number>;
  stop(): Promise<void>;
}

/** Registers a node whose kubelet this is. */
export async function startKubelet(apiServer: ApiServer, node: string): Promise<Kubelet> {
  const { key, cert } = await apiServer.servingCertificate(["127.0.0.1"]);
  const asked: string[] = [];
  const ports: Kubelet["ports"] = new Map();
  const channels = new Set<WebSocket>();
  const server = createServer({ key, cert });
  const sockets = new WebSocketServer({ server, handleProtocols: (offered) => [...offered][0] ?? false });
  sockets.on("connection", (channel, { url = "" }) => {
    asked.push(`${url} ${channel.protocol}`);
    channels.add(channel);
    channel.on("close", () => channels.delete(channel));
    const { pathname, searchParams } = new URL(url, "https://kubelet");
    const port = Number(searchParams.get("port") ?? searchParams.get("ports"));
    forward(channel, { port, to: ports.get(`${pathname.split("/").at(-1)}:${port}`) });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  await apiServer.admin.create("/api/v1/nodes", { metadata: { name: node } });
  const status = {
    addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
    daemonEndpoints: { kubeletEndpoint: { Port: (server.address() as AddressInfo).port } },
  };
  await apiServer.admin.send("PATCH", `/api/v1/nodes/${node}/status`, { status });
  return {
    asked,
    ports,
    async stop() {
      for (const channel of channels) channel.terminate();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** k8s.io/kubelet/pkg/cri/streaming/portforward/websocket.go: channel 0 has the data, channel 1 the error. */
function forward(channel: WebSocket, { port, to }: { readonly port: number; readonly to: number | undefined }): void {
  for (const number of [0, 1]) channel.send(Buffer.of(number, port & 255, port >> 8));
  const fail = (what: string) => {
    channel.send(Buffer.from(`\x01error forwarding port ${port}: ${what}`));
    channel.close();
  };
  if (to === undefined) return fail("connection refused");
  const socket = connect(to, "127.0.0.1");
  channel.on("message", (message: Buffer) => socket.write(message.subarray(1)));
  channel.on("close", () => socket.destroy());
  socket.on("data", (data) => channel.send(Buffer.concat([Buffer.of(0), data])));
  socket.on("end", () => channel.close());
  socket.on("error", ({ message }) => fail(message));
}
