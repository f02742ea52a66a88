import { readThrough } from "./servers/read-through";
import { networkInterfaces } from "node:os";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import type { SourceReading } from "../../lib/model/ports/sources";
import { requiredPermissionsOf } from "../../lib/read/required-permissions";
import { rulesOf } from "../../cli/set-up/rbac-rules";
import { openHttpSource } from "../../lib/sources/http/http";
import { hpaWith } from "../core/build";
import { networkWith } from "../sources/contract/contract";
import { type ApiServer, startApiServer } from "./servers/api-server";
import { eventually } from "./servers/eventually";

/**
 * A service of the cluster, read through the real API server's proxy. The API server connects to no loopback address,
 * so the service listens on an address of this machine's network.
 */
const namespace = "monitoring";
let apiServer: ApiServer;
let service: Server;
let port: number;
/** Who asked the service, and for what. */
const asked: string[] = [];

const ownAddress = () => {
  const found = Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === "IPv4" && !one.internal && !one.address.startsWith("169.254."));
  if (found === undefined)
    throw new Error(
      "this suite needs a network address beside 127.0.0.1: the API server proxies to no loopback address",
    );
  return found.address;
};

beforeAll(async () => {
  const address = ownAddress();
  service = createServer(({ url, headers }, response) => {
    asked.push(`${url} ${String(headers["x-scope-orgid"])} ${headers.authorization ?? "no credential"}`);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ depth: 7 }));
  }).listen(0, address);
  await once(service, "listening");
  ({ port } = service.address() as AddressInfo);
  apiServer = await startApiServer();
  const path = `/api/v1/namespaces/${namespace}`;
  await apiServer.admin.create("/api/v1/namespaces", { metadata: { name: namespace } });
  for (const name of ["stats", "empty"]) {
    const spec = { ports: [{ name: "web", port: 80, targetPort: port }] };
    await apiServer.admin.create(`${path}/services`, { metadata: { name }, spec });
  }
  // The API server proxies only to pods, by the address in their status.
  const containers = [{ name: "stats", image: "example.com/stats:1" }];
  await apiServer.admin.create(`${path}/pods`, { metadata: { name: "stats-0" }, spec: { containers } });
  const status = { podIP: address, podIPs: [{ ip: address }] };
  const { status: code } = await apiServer.admin.send("PATCH", `${path}/pods/stats-0/status`, { status });
  expect(code).toBe(200);
  const targetRef = { kind: "Pod", namespace, name: "stats-0" };
  await apiServer.admin.create(`/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`, {
    metadata: { name: "stats-0", labels: { "kubernetes.io/service-name": "stats" } },
    addressType: "IPv4",
    endpoints: [{ addresses: [address], conditions: { ready: true }, targetRef }],
    ports: [{ name: "web", port, protocol: "TCP" }],
  });
}, 120_000);

afterAll(async () => {
  service.closeAllConnections();
  service.close();
  await apiServer.stop();
});

const parameters = {
  url: "/queues/${queue}",
  path: "$.depth",
  "var.queue": "a b;?",
  headers: { "X-Scope-OrgID": "team-a" },
  via: { namespace, service: "stats", port: "web" },
};

async function read(token: string, more: Readonly<Record<string, unknown>> = {}): Promise<SourceReading> {
  return readThrough({ apiServer, token }, openHttpSource(networkWith()), { ...parameters, ...more });
}

/** The API server learns of services and rights a moment after they are written. */
async function readUntil(expected: object, token: string, more: Readonly<Record<string, unknown>> = {}): Promise<void> {
  await eventually("the reading", async () => expect(await read(token, more)).toMatchObject(expected), 15_000);
}

test("a document of a service is read, and the cluster's credential stays with the API server", async () => {
  await readUntil({ items: [{ value: "7" }] }, apiServer.adminToken);
  expect(asked).toEqual(["/queues/a%20b;%3F team-a no credential"]);
  // The API server would forward it as another path.
  const left = await read(apiServer.adminToken, { "var.queue": "a/b" });
  expect(left).toMatchObject({ error: expect.stringContaining("without %2F") as string });
});

test("without the right, the API server's own words name it; the rule that ebb rbac prints grants it", async () => {
  const refused = await read(apiServer.restrictedToken);
  expect(refused).toMatchObject({
    error: expect.stringMatching(
      /services "stats:web" is forbidden: User "restricted" cannot get resource "services\/proxy"/,
    ) as string,
  });

  const metric = { name: "jobs", selector: { matchLabels: {} } };
  const external = { metric, target: { type: "AverageValue", averageValue: "5" } } as const;
  const hpa = hpaWith({ metrics: [{ type: "External", external }] });
  const locate = () => ({ kind: "source", source: "http", parameters }) as const;
  const rights = requiredPermissionsOf([hpa], { locate, mirrorsEvents: false }).rights.filter(
    ({ resource }) => resource === "services",
  );
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
  await apiServer.admin.create(`${rbac}/roles`, { metadata: { name: "ebb" }, rules: rulesOf(rights) });
  await apiServer.admin.create(`${rbac}/rolebindings`, {
    metadata: { name: "ebb" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "ebb" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "restricted" }],
  });
  await readUntil({ items: [{ value: "7" }] }, apiServer.restrictedToken);
  // And no other service.
  expect(await read(apiServer.restrictedToken, { via: { namespace, service: "other", port: "web" } })).toMatchObject({
    error: expect.stringContaining('services "other:web" is forbidden') as string,
  });
});

test("a service without endpoints, and one that is not there, are errors in the API server's words", async () => {
  const error = (text: RegExp) => ({ error: expect.stringMatching(text) as string });
  const via = (service: string) => ({ via: { namespace, service, port: "web" } });
  await readUntil(error(/no endpoints available for service "empty/), apiServer.adminToken, via("empty"));
  await readUntil(error(/no endpoints available for service "nope/), apiServer.adminToken, via("nope"));
});
