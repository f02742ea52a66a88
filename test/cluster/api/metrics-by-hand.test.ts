import type { ApiClient, ApiRequest } from "../../../lib/cluster/api/api-client";
import type { Discovery } from "../../../lib/cluster/api/discovery";
import { metricsApis } from "../../../lib/cluster/api/metrics-apis";
import { Fault } from "../../../lib/model/fault";
import { noLimit } from "../../time/no-limit";

/** The metrics APIs over a client that answers by hand, and cuts each item as the real one does. */
function answering(items: readonly unknown[], kind = "MetricValueList", found: Partial<Discovery> = {}) {
  const asked: ApiRequest[] = [];
  const api: ApiClient = (request) => {
    asked.push(request);
    return Promise.resolve({ kind, items: items.map((item) => request.trim?.keep(item) ?? null) });
  };
  const discovery: Discovery = {
    versions: () => Promise.resolve(["v1beta2"]),
    resources: () => Promise.resolve([]),
    ...found,
  };
  return { apis: metricsApis({ api, discovery }), asked };
}

describe("the usage of a pod", () => {
  const pod = {
    metadata: { name: "web-1", namespace: "shop", labels: { app: "web" }, uid: "u" },
    ...{ timestamp: "2026-11-10T12:00:00Z", window: "30s" },
    containers: [{ name: "app", usage: { cpu: "100m" }, other: 1 }],
  };
  const read = async (item: unknown) => {
    const [first] = await answering([item], "PodMetricsList").apis.podMetrics("shop", "app=web", noLimit());
    return first;
  };
  const known = { ...pod, metadata: { name: "web-1", namespace: "shop", labels: { app: "web" } } };
  const containers = [{ name: "app", usage: { cpu: "100m" } }];

  test("is what a decision reads of it", async () => {
    expect(await read(pod)).toStrictEqual({ ...known, containers });
    const bare = { ...pod, metadata: { name: "web-1", namespace: 5, labels: null } };
    expect(await read(bare)).toStrictEqual({ ...known, metadata: { name: "web-1" }, containers });
  });

  test.each<[string, unknown]>([
    ["no map", "pod"],
    ["without metadata", { ...pod, metadata: undefined }],
    ["without a name", { ...pod, metadata: { labels: {} } }],
    ["with hostile labels", { ...pod, metadata: { name: "web-1", labels: { app: 1 } } }],
    ["without a timestamp", { ...pod, timestamp: "yesterday" }],
    ["without a window", { ...pod, window: 30 }],
    ["without containers", { ...pod, containers: {} }],
    ["with a container that is no map", { ...pod, containers: [...pod.containers, null] }],
    ["with a container without a name", { ...pod, containers: [{ usage: {} }] }],
    ["with a container whose usage is no quantity", { ...pod, containers: [{ name: "app", usage: { cpu: "fast" } }] }],
  ])("that is %s is not known", async (_what, item) => {
    expect(await read(item)).toBeUndefined();
  });
});

describe("a metric's value", () => {
  const metric = { name: "depth" };
  const item = {
    describedObject: { name: "web-1" },
    value: "5",
    windowSeconds: 30,
    metricLabels: { a: "b" },
    extra: 1,
  };
  const { extra: _, ...kept } = item;
  const whole = { ...kept, metric, metricName: "depth", timestamp: "t" };

  test("keeps what a decision reads", async () => {
    const pods = (items: readonly unknown[]) =>
      answering(items).apis.podsMetric({ namespace: "shop", metric, selector: "a=b" }, noLimit());
    expect(await pods([item, { ...whole, extra: 1 }])).toStrictEqual([kept, whole]);
    const unreadable = [null, 1, { value: "5" }, { ...item, describedObject: {} }, { ...item, value: "many" }];
    expect(await pods(unreadable)).toEqual([]);
  });

  test.each<[unknown, string]>([
    [null, "as an object, got null"],
    ["x", 'as an object, got "x"'],
    [{ value: "many" }, '.value as a quantity, got "many"'],
    [{ value: "x".repeat(300) }, `.value as a quantity, got "${"x".repeat(199)}`],
    [{}, ".value as a quantity, got undefined"],
  ])("%j among those of a sum makes it unknown", async (bad, message) => {
    const { apis } = answering([item, bad], "ExternalMetricValueList");
    const expected = `metric depth: expected items[1]${message.startsWith(".") ? "" : " "}${message}`;
    await expect(apis.externalMetric({ namespace: "shop", metric }, noLimit())).rejects.toMatchObject({
      ...{ kind: "badAnswer", message: expected },
    });
  });

  test("is asked for with its selector, or not at all", async () => {
    const { apis, asked } = answering([], "ExternalMetricValueList");
    const selector = (operator: string) => ({ matchExpressions: [{ key: "a", operator, values: ["b"] }] });
    await apis.externalMetric({ namespace: "shop", metric: { name: "d", selector: selector("In") } }, noLimit());
    expect(asked[0]?.query).toEqual({ labelSelector: "a in (b)" });
    const hostile = { namespace: "shop", metric: { name: "d", selector: selector("Near") as never } };
    await expect(apis.externalMetric(hostile, noLimit())).rejects.toMatchObject({ kind: "badEntry" });
    expect(asked).toHaveLength(1);
  });
});

describe("a metric of an object", () => {
  const value = { describedObject: { name: "web" }, value: "5" };
  const read = (
    describedObject: { apiVersion: string; kind: string; name: string },
    resources?: Discovery["resources"],
  ) => {
    const { apis, asked } = answering([value], "MetricValueList", resources && { resources });
    const metric = { name: "depth" };
    return { asked, reading: apis.objectMetric({ namespace: "shop", metric, describedObject }, noLimit()) };
  };
  const base = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/shop";

  test("of its namespace is that of the HPA's own, whatever its name; another group's is an object", async () => {
    const { asked, reading } = read({ apiVersion: "v1", kind: "Namespace", name: "other" });
    expect(await reading).toEqual([value]);
    expect(asked[0]?.subject).toMatchObject({ resource: "metrics", name: "depth", path: `${base}/metrics/depth` });
    const resource = { group: "a.io", version: "v1", resource: "namespaces", kind: "Namespace", hasScale: false };
    const custom = read({ apiVersion: "a.io/v1", kind: "Namespace", name: "x" }, () => Promise.resolve([resource]));
    await custom.reading;
    expect(custom.asked[0]?.subject.path).toBe(`${base}/namespaces.a.io/x/depth`);
  });

  test.each<[string, Discovery["resources"], object]>([
    [
      "is not served",
      () => Promise.reject(new Fault("notFound", "no matches")),
      { kind: "notFound", message: "unable to map kind Ingress.a.io to resource: no matches" },
    ],
    [
      "has no resource",
      () => Promise.resolve([]),
      { kind: "notFound", message: "unable to map kind Ingress.a.io to resource: unrecognized resource" },
    ],
    ["is not known", () => Promise.reject(new Fault("timeout", "late")), { kind: "timeout", message: "late" }],
  ])("whose kind %s", async (_what, resources, expected) => {
    const { reading } = read({ apiVersion: "a.io/v1", kind: "Ingress", name: "x" }, resources);
    await expect(reading).rejects.toMatchObject(expected);
  });
});

describe("a metric is asked for in RBAC's words", () => {
  const custom = { group: "custom.metrics.k8s.io", namespace: "shop" };
  const base = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/shop";
  const metric = { name: "depth/s", selector: { matchLabels: { a: "b" } } };

  test("of pods", async () => {
    const { apis, asked } = answering([]);
    await apis.podsMetric({ namespace: "shop", metric, selector: "app=web", priority: 2 }, noLimit());
    await apis.podsMetric({ namespace: "shop", metric: { name: "depth/s" }, selector: "" }, noLimit());
    const path = `${base}/pods/*/depth%2Fs`;
    const subject = { verb: "list", ...custom, resource: "pods", subresource: "depth/s", name: "*", path };
    const query = { labelSelector: "app=web", metricLabelSelector: "a=b" };
    const all = { kinds: ["MetricValueList"], large: true, method: "GET", subject };
    const rest = { trim: expect.anything() as object, failureKey: expect.any(String) as string };
    expect(asked).toEqual([
      { ...all, ...rest, priority: 2, query },
      { ...all, ...rest, priority: 0, query: {} },
    ]);
    expect(new Set(asked.map(({ failureKey }) => failureKey)).size).toBe(2);
  });

  test("of an object, also of one whose name is a star", async () => {
    const resource = { group: "", version: "v1", resource: "services", kind: "Service", hasScale: false };
    const { apis, asked } = answering([{ value: "1" }], "MetricValueList", {
      resources: () => Promise.resolve([resource]),
    });
    for (const name of ["web", "*"])
      await apis.objectMetric(
        { namespace: "shop", metric, describedObject: { apiVersion: "v1", kind: "Service", name } },
        noLimit(),
      );
    expect(asked.map(({ subject }) => subject)).toEqual(
      ["web", "*"].map((name) => ({
        ...{ verb: "get", ...custom, resource: "services", subresource: "depth/s", name },
        path: `${base}/services/${name}/depth%2Fs`,
      })),
    );
  });

  test("of its namespace, outside the cluster, and of the usage of pods", async () => {
    const { apis, asked } = answering([{ value: "1" }]);
    const describedObject = { apiVersion: "v1", kind: "Namespace", name: "x" };
    await apis.objectMetric({ namespace: "shop", metric: { name: "depth" }, describedObject }, noLimit());
    await apis.externalMetric({ namespace: "shop", metric: { name: "*" } }, noLimit());
    await apis.podMetrics("shop", "", noLimit());
    const [own, external, usage] = asked.map(({ subject }) => subject);
    expect(own).toEqual({ verb: "get", ...custom, resource: "metrics", name: "depth", path: `${base}/metrics/depth` });
    expect(external).toEqual({
      ...{ verb: "list", group: "external.metrics.k8s.io", namespace: "shop", resource: "*" },
      path: "/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/*",
    });
    expect(usage).toEqual({
      ...{ verb: "list", group: "metrics.k8s.io", namespace: "shop", resource: "pods" },
      path: "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods",
    });
    expect(asked[2]).toMatchObject({ large: true, query: {} });
  });
});
