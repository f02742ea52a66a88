import { METHODS } from "node:http";
import type { SimulatedCluster } from "../../../../local/backends/kubernetes/cluster";
import { startSimulatedCluster } from "../../../../local/backends/kubernetes/cluster";
import { clientOf, deployment } from "./client";

const deployments = "/apis/apps/v1/namespaces/default/deployments";
const workers = "/apis/example.com/v1/namespaces/default/workers";

const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "workers.example.com" },
  spec: {
    ...{ group: "example.com", scope: "Namespaced", names: { kind: "Worker", plural: "workers" } },
    versions: [{ name: "v1", served: true, storage: true, schema, subresources: { scale, status: {} } }],
  },
};

let cluster: SimulatedCluster;
let call: ReturnType<typeof clientOf>;

beforeAll(async () => {
  cluster = await startSimulatedCluster({ controllers: false });
  call = clientOf(cluster);
});
afterAll(() => cluster.close());

/** A test may have deleted any of them. */
beforeEach(async () => {
  await call("POST", "/api/v1/namespaces", { body: { metadata: { name: "other" } } });
  for (const name of ["web", "api"]) await call("POST", deployments, { body: deployment(name, 2) });
  await call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", { body: definition });
  const worker = { apiVersion: "example.com/v1", kind: "Worker", metadata: { name: "one" }, spec: { replicas: 1 } };
  await call("POST", workers, { body: worker });
});

const read = ["GET"];
const collection = ["DELETE", "GET", "POST"];
const object = ["DELETE", "GET", "PATCH", "PUT"];
const part = ["GET", "PATCH", "PUT"];
const custom = (methods: readonly string[]) => ["HEAD", ...methods].sort();

/** Every kind of path, and the methods that it has. "": it names nothing. */
const paths: readonly (readonly [string, string, readonly string[] | ""])[] = [
  ["a collection", deployments, collection],
  ["a collection across namespaces", "/apis/apps/v1/deployments", read],
  ["an object", `${deployments}/web`, object],
  ["an object that is not there", `${deployments}/none`, object],
  ["a scale", `${deployments}/web/scale`, part],
  ["a status", `${deployments}/web/status`, part],
  ["an unknown subresource", `${deployments}/web/nothing`, ""],
  ["more than a subresource", `${deployments}/web/scale/more`, ""],
  ["an object without its namespace", "/apis/apps/v1/deployments/web", ""],
  ["an unknown kind", "/apis/apps/v1/namespaces/default/things", ""],
  ["an unknown version", "/apis/apps/v9/namespaces/default/deployments", ""],
  ["an unknown group", "/apis/unknown.example.com/v1/namespaces/default/deployments", ""],
  ["a kind of another group", "/api/v1/namespaces/default/deployments", ""],
  ["a watch by path", "/apis/apps/v1/watch/namespaces/default/deployments", ""],
  ["a collection of a custom kind", workers, custom(collection)],
  ["an object of a custom kind", `${workers}/one`, custom(object)],
  ["a scale of a custom kind", `${workers}/one/scale`, custom(part)],
  ["namespaces", "/api/v1/namespaces", ["GET", "POST"]],
  ["a namespace", "/api/v1/namespaces/other", object],
  ["a namespace's finalizers", "/api/v1/namespaces/other/finalize", ""],
  ["definitions", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", collection],
  ["discovery", "/apis", custom(read)],
  ["discovery of a group", "/apis/apps", custom(read)],
  ["discovery of a version", "/apis/apps/v1", custom(read)],
  ["the version", "/version", custom(read)],
  ["health", "/healthz", custom(read)],
  ["OpenAPI", "/openapi/v3", custom(read)],
  ["a review", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", ["POST"]],
  ["metrics", "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods", custom(read)],
  ["discovery of metrics", "/apis/metrics.k8s.io/v1beta1", custom(read)],
  ["no API at all", "/nothing/here", ""],
];

const changes = ["POST", "PUT", "PATCH", "DELETE"];
/** A tunnel is not a request. */
const methods = METHODS.filter((method) => method !== "CONNECT");

test.each(paths)("%s: an effect only where Kubernetes has one, and Allow elsewhere", async (_kind, path, has) => {
  for (const method of methods) {
    const before = cluster.store.resourceVersion();
    // Nothing is in the body: what a method would do, it does to what the path names.
    const body = ["POST", "PUT", "PATCH"].includes(method) ? {} : undefined;
    const { status, headers } = await call(method, path, { body });
    const seen = { method, status, allow: headers.allow };
    const changed = cluster.store.resourceVersion() !== before;
    if (has === "") expect([seen, changed]).toEqual([{ method, status: 404, allow: undefined }, false]);
    else if (!has.includes(method))
      expect([seen, changed]).toEqual([{ method, status: 405, allow: has.join(", ") }, false]);
    else {
      expect(seen).not.toMatchObject({ status: 405 });
      expect({ method, changed: changed && !changes.includes(method) }).toEqual({ method, changed: false });
    }
  }
});

test("OPTIONS deletes nothing", async () => {
  const { status, headers, body } = await call("OPTIONS", deployments);
  expect([status, headers.allow, body.reason]).toEqual([405, "DELETE, GET, POST", "MethodNotAllowed"]);
  expect((await call("GET", deployments)).body.items).toHaveLength(2);
});

test.each(["//evil.example.com/apis", "*", "apis/apps/v1", "http://localhost/apis/apps/v1/deployments"])(
  "a target that is no path is refused, or names nothing: %s",
  async (target) => {
    expect((await call("DELETE", target)).status).toBe(target.startsWith("/") ? 404 : 400);
    expect((await call("GET", deployments)).body.items).toHaveLength(2);
  },
);

test("a path that is not percent-encoded is refused", async () => {
  const { status, body } = await call("DELETE", `${deployments}/%zz`);
  expect([status, body.message]).toEqual([400, `expected a percent-encoded path, got "${deployments}/%zz"`]);
});

test("propagationPolicy=Orphan frees what the object owned", async () => {
  const { body: owner } = await call("GET", `${deployments}/web`);
  const { uid, name } = owner.metadata;
  const owned = {
    ...deployment("web-1", 1),
    kind: "ReplicaSet",
    metadata: {
      name: "web-1",
      ownerReferences: [{ apiVersion: "apps/v1", kind: "Deployment", name, uid, controller: true }],
    },
  };
  const sets = "/apis/apps/v1/namespaces/default/replicasets";
  await call("POST", sets, { body: owned });
  await call("DELETE", `${deployments}/web`, { body: { propagationPolicy: "Orphan" } });
  expect((await call("GET", `${deployments}/web`)).status).toBe(404);
  expect((await call("GET", `${sets}/web-1`)).body.metadata).toMatchObject({ name: "web-1", ownerReferences: [] });
});
