import { gzipSync } from "node:zlib";
import { isFault } from "../../lib/model/fault";
import { aggregated, discovering, json, scale, startServer, status, type Reply, type TestServer } from "./api-server";
import { clustersWith, entry, soon, web } from "./connect";

const hang: Reply = () => {};

describe("transport", () => {
  let server: TestServer;
  const opened: { close(): void }[] = [];
  const connect = async (transport: NonNullable<Parameters<typeof clustersWith>[0]>["transport"] = {}) => {
    const clusters = clustersWith({ transport });
    opened.push(clusters);
    return clusters.connect(entry(server.url), soon());
  };

  beforeEach(async () => {
    server = await startServer(discovering((_request, response) => json(response, 200, scale(3))));
  });
  afterEach(async () => {
    opened.splice(0).forEach((clusters) => clusters.close());
    await server.stop();
  });

  test("100 reads use no more connections than allowed, and keep them", async () => {
    const cluster = await connect({ concurrency: 4 });
    await Promise.all(Array.from({ length: 100 }, () => cluster.getScale(web, soon())));
    await cluster.getScale(web, soon());
    expect(server.connections).toBeLessThanOrEqual(4);
    expect(server.received).toHaveLength(102);
  });

  test("a server that does not answer is a timeout that says what and where", async () => {
    const cluster = await connect({ timeoutMs: 300 });
    await cluster.getScale(web, soon());
    server.reply = hang;
    await expect(cluster.getScale(web, soon())).rejects.toMatchObject({
      kind: "timeout",
      message: `${server.url}: no answer within 0.3 s (get deployments.apps/scale web in namespace shop)`,
      retryable: true,
    });
  });

  test("an answer that stops half-way is a timeout", async () => {
    const cluster = await connect({ idleTimeoutMs: 100 });
    await cluster.getScale(web, soon());
    server.reply = (_request, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
      response.write('{"kind":');
    };
    await expect(cluster.getScale(web, soon())).rejects.toMatchObject({
      kind: "timeout",
      message: `${server.url}: the answer stalled for 0.1 s (get deployments.apps/scale web in namespace shop)`,
    });
  });

  test("requests that wait for their place end with those before them", async () => {
    const cluster = await connect({ timeoutMs: 300, concurrency: 1 });
    await cluster.getScale(web, soon());
    server.reply = hang;
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => cluster.getScale(web, soon())));
    expect(outcomes.map((o) => o.status === "rejected" && isFault(o.reason, "timeout"))).toEqual([true, true, true]);
  });

  test("the caller's signal ends a call at once", async () => {
    const cluster = await connect();
    await cluster.getScale(web, soon());
    const caller = new AbortController();
    server.reply = () => caller.abort(new Error("the deadline of this sync"));
    await expect(cluster.getScale(web, caller.signal)).rejects.toMatchObject({
      kind: "timeout",
      message: `${server.url}: the deadline of this sync (get deployments.apps/scale web in namespace shop)`,
    });
    await expect(cluster.getScale(web, caller.signal)).rejects.toMatchObject({ kind: "timeout" });
  });

  test("hundreds of calls that share one signal share one listener on it", async () => {
    const cluster = await connect();
    const deadline = soon();
    const listening = jest.spyOn(deadline, "addEventListener");
    await Promise.all(Array.from({ length: 100 }, () => cluster.getScale(web, deadline)));
    await Promise.all(Array.from({ length: 100 }, () => cluster.getScale(web, deadline)));
    expect(listening).toHaveBeenCalledTimes(1);
  });

  test("a read over a keep-alive connection that the server has dropped is sent again", async () => {
    const cluster = await connect();
    await Promise.all([1, 2, 3].map(() => cluster.getScale(web, soon())));
    let drops = 0;
    server.reply = (_request, response) => {
      drops += 1;
      if (drops === 1) return response.socket?.destroy();
      json(response, 200, scale(4));
    };
    expect((await cluster.getScale(web, soon())).spec.replicas).toBe(4);
    expect(drops).toBe(2);
  });

  test("idle connections that died unnoticed do not fail a read", async () => {
    const cluster = await connect();
    await Promise.all([1, 2, 3, 4].map(() => cluster.getScale(web, soon())));
    server.dropConnections();
    expect((await cluster.getScale(web, soon())).spec.replicas).toBe(3);
  });

  test("connections that were idle for as long as a load balancer remembers are not used again", async () => {
    let now = 0;
    const clusters = clustersWith({ now: () => now });
    opened.push(clusters);
    const cluster = await clusters.connect(entry(server.url), soon());
    await cluster.getScale(web, soon());
    now += 55_000;
    await cluster.getScale(web, soon());
    expect(server.connections).toBe(1);
    now += 55_001;
    await cluster.getScale(web, soon());
    expect(server.connections).toBe(2);
  });

  test("a read is sent three times at most when every connection breaks within the answer", async () => {
    const cluster = await connect();
    await cluster.getScale(web, soon());
    let asked = 0;
    server.reply = (_request, response) => {
      asked += 1;
      response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
      response.write('{"kind":', () => response.socket?.destroy());
    };
    await expect(cluster.getScale(web, soon())).rejects.toMatchObject({ kind: "unreachable" });
    expect(asked).toBe(3);
  });

  test("a write whose answer never came is lost, and is not sent again", async () => {
    const cluster = await connect();
    const read = await cluster.getScale(web, soon());
    let asked = 0;
    server.reply = (_request, response) => {
      asked += 1;
      response.socket?.destroy();
    };
    await expect(cluster.putScale(web, read, soon())).rejects.toMatchObject({
      kind: "lost",
      message: expect.stringMatching(
        /\(update deployments\.apps\/scale web in namespace shop\); whether it was done is not known$/,
      ) as string,
    });
    expect(asked).toBe(1);
  });

  test("a write that times out is lost", async () => {
    const cluster = await connect({ timeoutMs: 300 });
    const read = await cluster.getScale(web, soon());
    server.reply = hang;
    await expect(cluster.putScale(web, read, soon())).rejects.toMatchObject({ kind: "lost" });
  });

  test.each([
    [502, "lost"],
    [504, "lost"],
    [503, "unreachable"],
    [500, "badAnswer"],
    [409, "conflict"],
  ])("a write answered with %i is %s", async (code, kind) => {
    const cluster = await connect();
    const read = await cluster.getScale(web, soon());
    server.reply = (_request, response) => json(response, code, status(code, "x", "the server's words"));
    await expect(cluster.putScale(web, read, soon())).rejects.toMatchObject({ kind, message: "the server's words" });
    expect(server.received.filter(({ method }) => method === "PUT")).toHaveLength(1);
  });

  test("a write that could not be sent is not lost", async () => {
    const cluster = await connect();
    const read = await cluster.getScale(web, soon());
    await server.stop();
    const error: unknown = await cluster.putScale(web, read, soon()).catch((caught: unknown) => caught);
    // The read's connection may not have noticed yet, and then the outcome is unknown.
    expect(isFault(error, "unreachable") || isFault(error, "lost")).toBe(true);
    await expect(cluster.putScale(web, read, soon())).rejects.toMatchObject({
      kind: "unreachable",
      message: `${server.url}: connection refused (update deployments.apps/scale web in namespace shop)`,
    });
  });

  test.each([429, 503])("a read answered %i with Retry-After comes again", async (code) => {
    const cluster = await connect();
    await cluster.getScale(web, soon());
    let asked = 0;
    server.reply = (_request, response) => {
      asked += 1;
      if (asked === 1) return json(response, code, status(code, "x", "come again"), { "retry-after": "1" });
      json(response, 200, scale(9));
    };
    expect((await cluster.getScale(web, soon())).spec.replicas).toBe(9);
    expect(asked).toBe(2);
  });

  test.each([
    ["longer than the budget", { "retry-after": "60" }],
    ["not at all", {}],
    ["as a date", { "retry-after": "Sun, 06 Nov 2033 08:49:37 GMT" }],
  ])("a Retry-After %s is throttling at once", async (_name, headers) => {
    const cluster = await connect();
    await cluster.getScale(web, soon());
    let asked = 0;
    server.reply = (_request, response) => {
      asked += 1;
      json(response, 429, status(429, "TooManyRequests", "too many"), headers);
    };
    await expect(cluster.getScale(web, soon())).rejects.toMatchObject({ kind: "throttled", message: "too many" });
    expect(asked).toBe(1);
  });

  test("a throttled read does not wait past its time", async () => {
    const cluster = await connect({ timeoutMs: 500 });
    await cluster.getScale(web, soon());
    server.reply = (_request, response) => json(response, 429, status(429, "x", "too many"), { "retry-after": "2" });
    await expect(cluster.getScale(web, soon())).rejects.toMatchObject({ kind: "throttled" });
  });

  test("gzip is accepted for large answers only, and decompressed", async () => {
    server.reply = (request, response) => {
      if (request.headers["accept-encoding"] !== "gzip") return json(response, 200, scale(3));
      response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
      response.end(gzipSync(JSON.stringify(aggregated)));
    };
    expect((await (await connect()).getScale(web, soon())).spec.replicas).toBe(3);
    expect(server.received.map(({ headers }) => headers["accept-encoding"])).toEqual(["gzip", undefined]);
  });

  test.each([
    ["over the wire", (body: Buffer) => ({ body, headers: {} })],
    ["once unpacked", (body: Buffer) => ({ body: gzipSync(body), headers: { "content-encoding": "gzip" } })],
  ])("an answer that is too large %s is refused", async (_name, form) => {
    server.reply = (_request, response) => {
      const { body, headers } = form(Buffer.from(JSON.stringify({ ...aggregated, padding: "x".repeat(200_000) })));
      response.writeHead(200, { "content-type": "application/json", ...headers });
      response.end(body);
    };
    const read = (await connect({ maxBytes: 100_000 })).getScale(web, soon());
    await expect(read).rejects.toMatchObject({ kind: "badAnswer" });
    await expect(read).rejects.toThrow(/100000 bytes/);
  });

  test("broken gzip is no answer", async () => {
    server.reply = (_request, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
      response.end("this is not gzip");
    };
    await expect((await connect()).getScale(web, soon())).rejects.toMatchObject({ kind: "badAnswer" });
  });

  test("a refused connection", async () => {
    await server.stop();
    await expect((await connect()).getScale(web, soon())).rejects.toMatchObject({
      kind: "unreachable",
      message: `${server.url}: connection refused (get /apis)`,
    });
  });
});
