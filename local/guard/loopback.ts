import type { Server as HttpServer } from "node:http";
import type { Server as HttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { once } from "node:events";

type Server = HttpServer | HttpsServer;

/** On this machine alone. @param port 0: any free one. @returns the port. @throws the error of a port that is in use */
export async function listenOnLoopback(server: Server, port: number): Promise<number> {
  const listening = once(server, "listening");
  server.listen(port, "127.0.0.1");
  await listening;
  return (server.address() as AddressInfo).port;
}

/** Also requests that are under way. A closed server stays closed. */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}
