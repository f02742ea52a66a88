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
  await expect(ask({ path })).rejects.toMatchObject({ kind: "badEntry" });
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

test("an answer beyond its bound is refused", async () => {
  server.reply = (_request, response) => response.end("x".repeat(2_000));
  await expect(ask()).rejects.toMatchObject({ kind: "badAnswer" });
});

test("a service that hangs delays no other request to the API server", async () => {
  server.reply = ({ url }, response) => {
    if (!url.includes("/proxy/")) json(response, 200, { kind: "PodList", apiVersion: "v1", items: [] });
  };
  const hanging = Array.from({ length: 50 }, (_, index) => ask({ path: `/${index}` }).catch((error: unknown) => error));
  const cluster = await clusters.connect(entry(server.url), soon());
  await expect(cluster.listPods("shop", "", soon())).resolves.toEqual([]);
  for (const outcome of await Promise.all(hanging)) expect(outcome).toMatchObject({ kind: "timeout" });
});

test("a redirection is followed nowhere", async () => {
  server.reply = (_request, response) => response.writeHead(302, { location: "http://169.254.169.254/" }).end();
  expect(await ask()).toMatchObject({ status: 302 });
  expect(server.received).toHaveLength(1);
});
