import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

export interface LoopbackServer {
  readonly url: string;
  readonly requests: () => number;
  /** Ends its connections, too. */
  close(): Promise<void>;
}

/** An HTTP server on loopback and a free port. It answers as `answer` does, or never. */
export async function serveOnLoopback(answer: RequestListener): Promise<LoopbackServer> {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    answer(request, response);
  });
  // A busy client would send its next request while the server closes the idle connection.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Those that one test starts; they close when it ends. */
export function loopbackServers(): { readonly start: typeof serveOnLoopback } {
  let servers: LoopbackServer[] = [];
  afterEach(async () => {
    await Promise.all(servers.map((server) => server.close()));
    servers = [];
  });
  return {
    async start(answer) {
      const server = await serveOnLoopback(answer);
      servers.push(server);
      return server;
    },
  };
}
