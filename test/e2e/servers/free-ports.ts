import { once } from "node:events";
import { createServer, type AddressInfo, type Server } from "node:net";

/** Loopback ports that nobody listens on. All are held until the last is known, so that they differ. */
export async function freePorts(count: number): Promise<number[]> {
  const held = await Promise.all(Array.from({ length: count }, listen));
  const ports = held.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(held.map((server) => new Promise((done) => server.close(done))));
  return ports;
}

async function listen(): Promise<Server> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}
