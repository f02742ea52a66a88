import type { SimulatedCluster } from "../../../../local/backends/kubernetes/cluster";
import { startSimulatedCluster } from "../../../../local/backends/kubernetes/cluster";
import { clientOf, deployment } from "./client";

const path = "/apis/apps/v1/namespaces/default/deployments";

let cluster: SimulatedCluster;
let call: ReturnType<typeof clientOf>;

beforeEach(async () => {
  cluster = await startSimulatedCluster({ controllers: false });
  call = clientOf(cluster);
});
afterEach(() => cluster.close());

test("a Scale carries the object's uid and resourceVersion, its replicas and its selector as text", async () => {
  const { body: web } = await call("POST", path, {
    body: {
      ...deployment("web", 3),
      spec: {
        ...deployment("web", 3).spec,
        selector: {
          matchLabels: { app: "web" },
          matchExpressions: [{ key: "a", operator: "NotIn", values: ["y", "x"] }],
        },
      },
    },
  });
  const { body: scale } = await call("GET", `${path}/web/scale`);
  expect(scale).toEqual({
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: {
      name: "web",
      namespace: "default",
      uid: web.metadata.uid,
      resourceVersion: web.metadata.resourceVersion,
      creationTimestamp: web.metadata.creationTimestamp,
    },
    spec: { replicas: 3 },
    status: { replicas: 0, selector: "a notin (x,y),app=web" },
  });
});

test("a written Scale moves the object's replicas, generation and resourceVersion", async () => {
  await call("POST", path, { body: deployment("web", 3) });
  const { body: scale } = await call("GET", `${path}/web/scale`);
  const { status, body: written } = await call("PUT", `${path}/web/scale`, {
    body: { ...scale, spec: { replicas: 0 } },
  });
  expect(status).toBe(200);
  expect(written.spec).toEqual({});
  const { body: web } = await call("GET", `${path}/web`);
  expect(web.spec.replicas).toBe(0);
  expect(web.metadata.generation).toBe(2);
  expect(web.metadata.resourceVersion).toBe(written.metadata.resourceVersion);
});

test("an old Scale conflicts, one without a resourceVersion does not", async () => {
  await call("POST", path, { body: deployment("web", 3) });
  const { body: old } = await call("GET", `${path}/web/scale`);
  await call("PUT", `${path}/web/scale`, { body: { ...old, spec: { replicas: 4 } } });
  const refused = await call("PUT", `${path}/web/scale`, { body: { ...old, spec: { replicas: 5 } } });
  expect(refused.status).toBe(409);
  expect(refused.body.message).toContain('Operation cannot be fulfilled on deployments.apps "web"');
  const { resourceVersion: _version, ...metadata } = old.metadata;
  const blind = await call("PUT", `${path}/web/scale`, { body: { ...old, metadata, spec: { replicas: 5 } } });
  expect(blind.body.spec.replicas).toBe(5);
});

test("a Scale of a namesake's uid conflicts", async () => {
  await call("POST", path, { body: deployment("web", 3) });
  const { body: scale } = await call("GET", `${path}/web/scale`);
  await call("DELETE", `${path}/web`);
  await call("POST", path, { body: deployment("web", 3) });
  const metadata = { ...scale.metadata, resourceVersion: "" };
  const { status, body } = await call("PUT", `${path}/web/scale`, { body: { ...scale, metadata } });
  expect([status, body.message]).toEqual([409, expect.stringContaining("Precondition failed: UID in precondition")]);
});

test("negative replicas are invalid, text is a bad request", async () => {
  await call("POST", path, { body: deployment("web", 3) });
  const put = (replicas: unknown) =>
    call("PUT", `${path}/web/scale`, { body: { metadata: { name: "web" }, spec: { replicas } } });
  const negative = await put(-1);
  expect([negative.status, negative.body.message]).toEqual([
    422,
    'Scale.autoscaling "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
  ]);
  expect((await put("4")).status).toBe(400);
});

test("kubectl scale's patch of the subresource works", async () => {
  await call("POST", path, { body: deployment("web", 3) });
  const { body } = await call("PATCH", `${path}/web/scale`, {
    headers: { "content-type": "application/merge-patch+json" },
    body: { spec: { replicas: 7 } },
  });
  expect(body.spec.replicas).toBe(7);
});

test.each([
  ["replicationcontrollers", "/api/v1", "ReplicationController", { app: "x" }],
  ["replicasets", "/apis/apps/v1", "ReplicaSet", { matchLabels: { app: "x" } }],
  ["statefulsets", "/apis/apps/v1", "StatefulSet", { matchLabels: { app: "x" } }],
])("%s scale too", async (plural, root, kind, selector) => {
  const resource = `${root}/namespaces/default/${plural}`;
  const { template } = deployment("x", 2).spec;
  const created = await call("POST", resource, {
    body: { kind, metadata: { name: "x" }, spec: { replicas: 2, selector, template } },
  });
  expect(created.status).toBe(201);
  const { body: scale } = await call("GET", `${resource}/x/scale`);
  expect([scale.spec, scale.status]).toEqual([{ replicas: 2 }, { replicas: 0, selector: "app=x" }]);
});

describe("custom resources", () => {
  const definition = {
    metadata: { name: "crawlers.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { kind: "Crawler", plural: "crawlers" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: {
            status: {},
            scale: {
              specReplicasPath: ".spec.size",
              statusReplicasPath: ".status.size",
              labelSelectorPath: ".status.labels",
            },
          },
        },
      ],
    },
  };
  const crawlers = "/apis/example.com/v1/namespaces/default/crawlers";
  const create = (spec: unknown) =>
    call("POST", crawlers, {
      body: { apiVersion: "example.com/v1", kind: "Crawler", metadata: { name: "deep" }, spec },
    });

  beforeEach(async () => {
    const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    expect((await call("POST", path, { body: definition })).status).toBe(201);
  });

  test("are served once they are defined, by the paths of their scale", async () => {
    await create({ size: 2 });
    await call("PATCH", `${crawlers}/deep/status`, {
      headers: { "content-type": "application/merge-patch+json" },
      body: { status: { size: 1, labels: "crawler=deep" } },
    });
    const { body: scale } = await call("GET", `${crawlers}/deep/scale`);
    expect([scale.spec, scale.status]).toEqual([{ replicas: 2 }, { replicas: 1, selector: "crawler=deep" }]);
    await call("PUT", `${crawlers}/deep/scale`, { body: { ...scale, spec: { replicas: 5 } } });
    const { body } = await call("GET", `${crawlers}/deep`);
    expect([body.spec.size, body.metadata.generation]).toEqual([5, 2]);
  });

  test("are in discovery, in both forms", async () => {
    const { body: legacy } = await call("GET", "/apis/example.com/v1");
    expect(legacy.resources.map(({ name }) => name)).toEqual([...["crawlers", "crawlers/status", "crawlers/scale"]]);
    const { body, headers } = await call("GET", "/apis", {
      headers: { accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList" },
    });
    expect(headers["content-type"]).toBe("application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
    const group = body.items.find((item) => item.metadata.name === "example.com");
    expect(group?.versions[0]?.resources).toMatchObject([
      {
        resource: "crawlers",
        scope: "Namespaced",
        responseKind: { group: "example.com", version: "v1", kind: "Crawler" },
        subresources: [
          { subresource: "status" },
          { subresource: "scale", responseKind: { group: "autoscaling", version: "v1", kind: "Scale" } },
        ],
      },
    ]);
  });

  test("without their replicas have no scale", async () => {
    await create({});
    const { status, body } = await call("GET", `${crawlers}/deep/scale`);
    expect([status, body.message]).toEqual([
      500,
      'Internal error occurred: the spec replicas field ".spec.size" does not exist',
    ]);
  });

  test("are gone with their definition", async () => {
    await call("DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/crawlers.example.com");
    expect((await call("GET", `${crawlers}/deep`)).status).toBe(404);
    expect((await call("GET", "/apis/example.com/v1")).status).toBe(404);
  });
});
