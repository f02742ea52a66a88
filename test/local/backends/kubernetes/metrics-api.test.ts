import { manualClock } from "../../../../local/clock";
import type { SimulatedCluster } from "../../../../local/backends/kubernetes/cluster";
import { startSimulatedCluster } from "../../../../local/backends/kubernetes/cluster";
import type { Answer } from "./client";
import { clientOf } from "./client";

let cluster: SimulatedCluster;
let get: (path: string) => Promise<Answer>;

beforeAll(async () => {
  const clock = manualClock(Date.parse("2026-01-01T00:00:00Z"));
  cluster = await startSimulatedCluster({ clock, controllers: false });
  const call = clientOf(cluster);
  get = (path) => call("GET", path, { token: cluster.readerToken });

  const { metrics } = cluster;
  const usage = { namespace: "default", containers: { main: { cpu: "250m", memory: "64Mi" } }, windowSeconds: 30 };
  metrics.setPodUsage({ ...usage, name: "web-1", labels: { app: "web" } });
  metrics.setPodUsage({ ...usage, name: "db-1", labels: { app: "db" } });
  for (const [pod, value] of [
    ["web-1", "1500m"],
    ["web-2", "3"],
  ] as const) {
    metrics.setPod({ namespace: "default", name: pod, labels: { app: "web" }, metric: "requests", value });
  }
  const service = {
    resource: "services",
    kind: "Service",
    apiVersion: "/v1",
    name: "web",
    metric: "hits",
    value: "40",
  };
  metrics.setObject({ ...service, namespace: "default" });
  metrics.setObject({
    ...{ resource: "namespaces", kind: "Namespace", apiVersion: "/v1", namespace: "", name: "default" },
    ...{ metric: "quota", value: "9" },
  });
  metrics.setExternal({ namespace: "default", metric: "depth", labels: { queue: "a" }, value: "7" });
  metrics.setExternal({ namespace: "default", metric: "depth", labels: { queue: "b" }, value: "8" });
});
afterAll(() => cluster.close());

const custom = (version: string, path: string) => `/apis/custom.metrics.k8s.io/${version}/namespaces/default/${path}`;

test("pod metrics, chosen by label", async () => {
  const { body } = await get("/apis/metrics.k8s.io/v1beta1/namespaces/default/pods?labelSelector=app%3Dweb");
  expect(body.kind).toBe("PodMetricsList");
  expect(body.items).toEqual([
    {
      metadata: {
        ...{ name: "web-1", namespace: "default", labels: { app: "web" }, creationTimestamp: "2026-01-01T00:00:00Z" },
      },
      timestamp: "2026-01-01T00:00:00Z",
      window: "30s",
      containers: [{ name: "main", usage: { cpu: "250m", memory: "64Mi" } }],
    },
  ]);
});

test("a metric of pods, in v1beta2's form", async () => {
  const { body } = await get(custom("v1beta2", "pods/*/requests?labelSelector=app%3Dweb"));
  expect(body).toMatchObject({ kind: "MetricValueList", apiVersion: "custom.metrics.k8s.io/v1beta2" });
  expect(body.items).toEqual(
    ["web-1", "web-2"].map((name) => ({
      describedObject: { kind: "Pod", namespace: "default", name, apiVersion: "/v1" },
      metric: { name: "requests", selector: null },
      timestamp: "2026-01-01T00:00:00Z",
      value: name === "web-1" ? "1500m" : "3",
    })),
  );
});

test("a metric of an object, in v1beta1's form", async () => {
  const { body } = await get(custom("v1beta1", "services/web/hits"));
  expect(body.items).toMatchObject([{ metricName: "hits", value: "40", describedObject: { kind: "Service" } }]);
  expect(body.items[0]?.metric).toBeUndefined();
});

test("a metric of a namespace", async () => {
  const { body } = await get(custom("v1beta2", "metrics/quota"));
  expect(body.items).toMatchObject([{ describedObject: { kind: "Namespace", name: "default" }, value: "9" }]);
});

test("an external metric, chosen by its labels", async () => {
  const path = "/apis/external.metrics.k8s.io/v1beta1/namespaces/default/depth";
  expect((await get(path)).body.items).toHaveLength(2);
  const { body } = await get(`${path}?labelSelector=queue%3Db`);
  expect(body.items).toEqual([
    { metricName: "depth", metricLabels: { queue: "b" }, timestamp: "2026-01-01T00:00:00Z", value: "8" },
  ]);
});

test.each([
  [custom("v1beta2", "pods/*/nothing"), "the server could not find the metric nothing for pods"],
  [custom("v1beta2", "services/web/nothing"), "the server could not find the metric nothing for services web"],
  [
    "/apis/external.metrics.k8s.io/v1beta1/namespaces/default/nothing",
    "the server could not find the metric nothing for namespaces",
  ],
])("%s is unknown, not zero", async (path, message) => {
  const { status, body } = await get(path);
  expect([status, body.reason, body.message]).toEqual([404, "NotFound", message]);
});

test("the groups are in discovery, with both versions of custom metrics", async () => {
  const { body } = await get("/apis/custom.metrics.k8s.io");
  expect(body.versions.map(({ version }) => version)).toEqual(["v1beta2", "v1beta1"]);
  const { body: list } = await get("/apis/external.metrics.k8s.io/v1beta1");
  expect(list.resources.map(({ name }) => name)).toEqual(["depth"]);
});
