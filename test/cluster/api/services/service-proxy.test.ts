import type { ServiceRequest } from "../../../../lib/model/ports/cluster";
import { json, startServer, status, type TestServer } from "../../api-server";
import { clustersWith, entry, soon } from "../../connect";

let server: TestServer;
let clusters: ReturnType<typeof clustersWith>;

beforeEach(async () => {
  server = await startServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/plain" });
    response.end("up 1\n");
  });
  clusters = clustersWith({ transport: { timeoutMs: 500 } });
});
afterEach(async () => {
  clusters.close();
  await server.stop();
});

const service = { namespace: "monitoring", service: "prometheus", port: 9090, scheme: "http" } as const;

async function ask(request: Partial<ServiceRequest> = {}, signal = soon()) {
  const cluster = await clusters.connect(entry(server.url), signal);
  return cluster.getService({ ...service, path: "/metrics", headers: {}, maxBytes: 1_000, ...request }, signal);
}

test("the API server is asked for the service, with the cluster's credential and the request's own headers", async () => {
  const headers = { Accept: "text/plain", "X-Scope-OrgID": "a" };
  const answer = await ask({ path: "/api/v1/query?query=up%20%2B1", headers });
  expect(answer).toMatchObject({ status: 200, headers: { "content-type": "text/plain" } });
  expect(answer.body.toString()).toBe("up 1\n");
  const [received] = server.received;
  const path = "/api/v1/namespaces/monitoring/services/prometheus%3A9090/proxy/api/v1/query?query=up%20%2B1";
  expect(received).toMatchObject({ method: "GET", url: path });
  expect(received?.headers).toMatchObject({
    accept: "text/plain",
    "x-scope-orgid": "a",
    authorization: "Bearer t0k3n",
  });
});

test.each([
  [{ scheme: "https" } as const, "services/https%3Aprometheus%3A9090/proxy"],
  [{ port: "web" }, "services/prometheus%3Aweb/proxy"],
])("%j is in the path", async (request, expected) => {
  await ask(request);
  expect(server.received[0]?.url).toContain(expected);
});

test.each([
  "/../../../secrets",
  "/a/%2e%2e/b",
  "/a%2F..%2Fb",
  "/a%2fb",
  "/a%5Cb",
  "/a%00",
  "/.",
  "a",
  "a/b",
  " /b",
  "",
  "/a b",
  "/a\nX: y",
])("the path %j is refused before anything is sent", async (path) => {
  await expect(ask({ path })).rejects.toMatchObject({
    kind: "badEntry",
    message: `expected a path from / without . and .. as segments and without %2F, got ${JSON.stringify(path)}`,
  });
  expect(server.received).toEqual([]);
});

test("a status of the service's own is its answer", async () => {
  server.reply = (_request, response) => json(response, 400, { status: "error", error: "parse error" });
  expect(await ask()).toMatchObject({ status: 400 });
});

test.each([
  [
    403,
    "Forbidden",
    'services "prometheus:9090" is forbidden: User "ebb" cannot get resource "services/proxy"',
    "forbidden",
  ],
  [404, "NotFound", 'services "prometheus" not found', "notFound"],
  [503, "ServiceUnavailable", 'no endpoints available for service "prometheus"', "unreachable"],
])("the API server's own refusal (%d) is a fault in its words", async (code, reason, message, kind) => {
  server.reply = (_request, response) => json(response, code, status(code, reason, message));
  await expect(ask()).rejects.toMatchObject({ kind, message, status: code });
});

test("an answer beyond its bound is refused, and says whose it is", async () => {
  server.reply = (_request, response) => response.end("x".repeat(2_000));
  await expect(ask()).rejects.toMatchObject({
    kind: "badAnswer",
    message: `${server.url}: the answer is larger than 1000 bytes (get services/proxy prometheus:9090 in namespace monitoring)`,
  });
});

test("a document of the service's own may look like a refusal", async () => {
  server.reply = (_request, response) => json(response, 200, status(403, "Forbidden", "no"));
  expect(await ask()).toMatchObject({ status: 200 });
});

test("any type is accepted if the request names none", async () => {
  await ask();
  expect(server.received[0]?.headers.accept).toBe("*/*");
});

test("the end of the run while a service is asked, or waited for, says so", async () => {
  server.reply = () => undefined;
  const turn = new AbortController();
  const asked = Array.from({ length: 100 }, () => ask({}, turn.signal).catch((error: unknown) => error));
  while (server.received.length === 0) await new Promise(setImmediate);
  turn.abort(new Error("the slot's time is up"));
  for (const outcome of await Promise.all(asked))
    expect(outcome).toMatchObject({
      kind: "timeout",
      message: `${server.url}: the slot's time is up (get services/proxy prometheus:9090 in namespace monitoring)`,
    });
});

test("a service that hangs delays no other service, and no other request to the API server", async () => {
  server.reply = ({ url }, response) => {
    if (url.includes("stats")) response.end("up 1\n");
    else if (!url.includes("/proxy/")) json(response, 200, { kind: "PodList", apiVersion: "v1", items: [] });
  };
  const hanging = Array.from({ length: 50 }, (_, index) => ask({ path: `/${index}` }).catch((error: unknown) => error));
  const cluster = await clusters.connect(entry(server.url), soon());
  await expect(cluster.listPods("shop", "", soon())).resolves.toEqual([]);
  await expect(ask({ service: "stats" })).resolves.toMatchObject({ status: 200 });
  for (const outcome of await Promise.all(hanging)) expect(outcome).toMatchObject({ kind: "timeout" });
});

test("a service's 401 is its answer, and the API server's renews the cluster's credential", async () => {
  let tokens = 0;
  clusters = clustersWith({ tokens: () => Promise.resolve(`t0k3n${(tokens += 1)}`) });
  server.reply = (_request, response) => json(response, 401, { error: "no such user" });
  expect((await ask()).status).toBe(401);
  expect(tokens).toBe(1);
  server.reply = ({ headers }, response) => {
    if (headers.authorization === "Bearer t0k3n2") response.end("up 1\n");
    else json(response, 401, status(401, "Unauthorized", "Unauthorized"));
  };
  expect((await ask()).status).toBe(200);
});

test("a redirection is followed nowhere", async () => {
  server.reply = (_request, response) => response.writeHead(302, { location: "http://169.254.169.254/" }).end();
  expect(await ask()).toMatchObject({ status: 302 });
  expect(server.received).toHaveLength(1);
});
