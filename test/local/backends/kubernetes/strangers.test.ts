import { startSimulatedCluster, type SimulatedCluster } from "../../../../local/backends/kubernetes/cluster";
import { clientOf, deployment } from "./client";

let cluster: SimulatedCluster;
let call: ReturnType<typeof clientOf>;
beforeAll(async () => {
  cluster = await startSimulatedCluster({ controllers: false });
  call = clientOf(cluster);
});
afterAll(() => cluster.close());

const deployments = "/apis/apps/v1/namespaces/default/deployments";

test.each<[string, Record<string, string>]>([
  ["another site's page", { origin: "https://evil.example" }],
  ["a page of the server's own address", { origin: "https://127.0.0.1" }],
  ["an image of a page", { "sec-fetch-site": "cross-site" }],
  ["a name that was rebound to this machine", { host: "evil.example" }],
])("%s gets nothing, even with the admin's token, and may not read that", async (_case, headers) => {
  const answers = [
    await call("GET", "/version", { headers }),
    await call("OPTIONS", deployments, { headers: { ...headers, "access-control-request-method": "POST" } }),
    await call("POST", deployments, { headers, body: deployment("planted", 1) }),
  ];
  for (const answer of answers) {
    expect([answer.status, answer.body.kind, answer.body.reason]).toEqual([403, "Status", "Forbidden"]);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  }
  expect((await call("GET", deployments)).body.items).toEqual([]);
});

test("kubectl's names of this machine are its own", async () => {
  const { port } = new URL(cluster.endpoint);
  expect((await call("GET", deployments, { headers: { host: `localhost:${port}` } })).status).toBe(200);
});

test("a stranger without a token may not look around", async () => {
  expect((await call("GET", deployments, { token: null })).status).toBe(403);
  expect((await call("GET", deployments, { token: `${cluster.adminToken}x` })).status).toBe(401);
});
