import { aggregated, discovering, json, startServer, status, type TestServer } from "../api-server";
import { clustersWith, entry, soon } from "../connect";

const value = (name: string) => ({
  describedObject: { kind: "Pod", namespace: "shop", name, apiVersion: "/v1" },
  metric: { name: "rate", selector: null },
  timestamp: "2026-03-01T12:00:00Z",
  value: "5",
});
const rate = { name: "rate" };
const selected = {
  name: "rate",
  selector: { matchLabels: { verb: "GET" }, matchExpressions: [{ key: "z", operator: "Exists" }] },
};
const ingress = { apiVersion: "networking.k8s.io/v1", kind: "Ingress", name: "front" };
const custom = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/shop";

describe("metrics APIs", () => {
  let server: TestServer;
  const clusters = clustersWith();
  const connect = () => clusters.connect(entry(server.url), soon());
  const answer = (body: unknown) => {
    server.reply = discovering((_request, response) => json(response, 200, body));
  };
  const path = () => server.received.at(-1)?.url;

  beforeEach(async () => {
    server = await startServer(
      discovering((_request, response) => json(response, 200, { kind: "MetricValueList", items: [value("a")] })),
    );
  });
  afterEach(async () => {
    clusters.close();
    await server.stop();
  });

  describe("metrics.k8s.io", () => {
    const item = {
      metadata: { name: "a", namespace: "shop", creationTimestamp: "x" },
      timestamp: "2026-03-01T12:00:00Z",
      window: "30s",
      containers: [{ name: "app", usage: { cpu: "12m", memory: "3Mi" } }],
    };

    test("gives usage by container", async () => {
      answer({ kind: "PodMetricsList", items: [item] });
      expect(await (await connect()).podMetrics("shop", "app=web", soon())).toEqual([
        { ...item, metadata: { name: "a", namespace: "shop" } },
      ]);
      expect(path()).toBe("/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods?labelSelector=app%3Dweb");
    });

    test("a pod without containers is left out, as a pod without metrics", async () => {
      answer({ kind: "PodMetricsList", items: [item, { metadata: { name: "b" }, timestamp: "x", window: "30s" }] });
      expect(await (await connect()).podMetrics("shop", "", soon())).toHaveLength(1);
      expect(path()).toBe("/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods");
    });

    // Without one of its containers, a pod would seem to use less, and the workload would shrink.
    test.each<[string, unknown]>([
      ["no usage", { name: "proxy" }],
      ["no name", { usage: { cpu: "1" } }],
      ["usage that is no quantity", { name: "proxy", usage: { cpu: "much" } }],
      ["usage that is a list", { name: "proxy", usage: ["1"] }],
      ["nothing in it", null],
    ])("a pod with a container that has %s is left out as a whole", async (_what, container) => {
      const odd = { ...item, metadata: { name: "b" }, containers: [...item.containers, container] };
      answer({ kind: "PodMetricsList", items: [odd, item] });
      const read = await (await connect()).podMetrics("shop", "", soon());
      expect(read.map(({ metadata }) => metadata.name)).toEqual(["a"]);
    });

    test("an empty list is an empty list", async () => {
      answer({ kind: "PodMetricsList", items: [] });
      expect(await (await connect()).podMetrics("shop", "", soon())).toEqual([]);
    });

    test.each([
      [404, "notFound", "the server could not find the requested resource (get pods.metrics.k8s.io)"],
      [503, "unreachable", "the server is currently unable to handle the request (get pods.metrics.k8s.io)"],
    ])("not served (%i) has upstream's text", async (code, kind, message) => {
      server.reply = (_request, response) => {
        response.writeHead(code, { "content-type": "text/plain" });
        response.end("service unavailable");
      };
      await expect((await connect()).podMetrics("shop", "", soon())).rejects.toMatchObject({ kind, message });
    });
  });

  describe("custom.metrics.k8s.io", () => {
    test("a metric of pods", async () => {
      expect(
        await (await connect()).podsMetric({ namespace: "shop", metric: selected, selector: "app=web" }, soon()),
      ).toEqual([value("a")]);
      expect(path()).toBe(`${custom}/pods/*/rate?labelSelector=app%3Dweb&metricLabelSelector=verb%3DGET%2Cz`);
    });

    test.each([undefined, null, "", "many", {}, ["5"], "NaN", true])(
      "a pod whose value is %j is left out, as a pod without metrics",
      async (odd) => {
        answer({ kind: "MetricValueList", items: [{ ...value("b"), value: odd }, value("a")] });
        const read = await (await connect()).podsMetric({ namespace: "shop", metric: rate, selector: "" }, soon());
        expect(read.map(({ value }) => value)).toEqual(["5"]);
      },
    );

    test("the version that the server prefers among those that are known", async () => {
      const groups = aggregated.items.map((group) =>
        group.metadata.name === "custom.metrics.k8s.io"
          ? { ...group, versions: ["v9", "v1beta1", "v1beta2"].map((version) => ({ version, resources: [] })) }
          : group,
      );
      server.reply = ({ url }, response) =>
        json(
          response,
          200,
          url === "/apis" ? { ...aggregated, items: groups } : { kind: "MetricValueList", items: [value("a")] },
        );
      await (await connect()).podsMetric({ namespace: "shop", metric: rate, selector: "" }, soon());
      expect(path()).toBe("/apis/custom.metrics.k8s.io/v1beta1/namespaces/shop/pods/*/rate");
    });

    test.each([
      ["not registered", [], "no custom metrics API (custom.metrics.k8s.io) registered"],
      ["of unknown versions", ["v9"], "no known available metric versions found"],
    ])("an API that is %s", async (_name, versions, message) => {
      const items =
        versions.length === 0
          ? []
          : [{ metadata: { name: "custom.metrics.k8s.io" }, versions: versions.map((version) => ({ version })) }];
      server.reply = (_request, response) => json(response, 200, { ...aggregated, items });
      await expect(
        (await connect()).podsMetric({ namespace: "shop", metric: rate, selector: "" }, soon()),
      ).rejects.toMatchObject({ kind: "notFound", message });
    });

    test.each([
      ["another group's kind", ingress, `${custom}/ingresses.networking.k8s.io/front/rate`],
      ["a core kind", { apiVersion: "v1", kind: "Service", name: "front" }, `${custom}/services/front/rate`],
      ["a core kind without apiVersion", { kind: "Service", name: "front" }, `${custom}/services/front/rate`],
      [
        "the namespace, whatever it is called",
        { apiVersion: "v1", kind: "Namespace", name: "elsewhere" },
        `${custom}/metrics/rate`,
      ],
    ])("a metric of an object: %s", async (_name, describedObject, url) => {
      await (await connect()).objectMetric({ namespace: "shop", metric: rate, describedObject }, soon());
      expect(path()).toBe(url);
    });

    test("a metric of an object, with a selector", async () => {
      await (await connect()).objectMetric({ namespace: "shop", metric: selected, describedObject: ingress }, soon());
      expect(path()).toBe(`${custom}/ingresses.networking.k8s.io/front/rate?metricLabelSelector=verb%3DGET%2Cz`);
    });

    test.each([0, 2])("%i values where one is expected", async (count) => {
      answer({ kind: "MetricValueList", items: Array.from({ length: count }, () => value("a")) });
      await expect(
        (await connect()).objectMetric({ namespace: "shop", metric: rate, describedObject: ingress }, soon()),
      ).rejects.toMatchObject({
        kind: "badAnswer",
        message: `the custom metrics API server returned ${count} results when we asked for exactly one`,
      });
    });

    test.each([
      [
        { ...ingress, kind: "Nothing" },
        'unable to map kind Nothing.networking.k8s.io to resource: no matches for kind "Nothing" in group "networking.k8s.io"',
      ],
      [
        { kind: "Nothing", name: "x" },
        'unable to map kind Nothing to resource: no matches for kind "Nothing" in group ""',
      ],
    ])("an object of an unknown kind", async (describedObject, message) => {
      await expect(
        (await connect()).objectMetric({ namespace: "shop", metric: rate, describedObject }, soon()),
      ).rejects.toMatchObject({ kind: "notFound", message });
    });

    test("a refusal has the adapter's words", async () => {
      const words = "the server could not find the metric rate for pods";
      server.reply = discovering((_request, response) => json(response, 404, status(404, "NotFound", words)));
      await expect(
        (await connect()).podsMetric({ namespace: "shop", metric: rate, selector: "" }, soon()),
      ).rejects.toMatchObject({ kind: "notFound", message: words });
    });
  });

  describe("external.metrics.k8s.io", () => {
    const item = { metricName: "depth", metricLabels: { queue: "q" }, timestamp: "2026-03-01T12:00:00Z", value: "42" };

    test("gives what the selector selects, without asking discovery", async () => {
      answer({ kind: "ExternalMetricValueList", items: [item] });
      const metric = { name: "depth", selector: { matchLabels: { queue: "a b" }, matchExpressions: [] } };
      await expect((await connect()).externalMetric({ namespace: "shop", metric }, soon())).rejects.toMatchObject({
        kind: "badEntry",
      });
      const query = { namespace: "shop", metric: { name: "depth", selector: { matchLabels: { queue: "q", a: "b" } } } };
      expect(await (await connect()).externalMetric(query, soon())).toEqual([item]);
      expect(server.received.map(({ url }) => url)).toEqual([
        "/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/depth?labelSelector=a%3Db%2Cqueue%3Dq",
      ]);
    });

    test("a metric's name is escaped", async () => {
      answer({ kind: "ExternalMetricValueList", items: [item] });
      await (await connect()).externalMetric({ namespace: "shop", metric: { name: "a/b|c?d e" } }, soon());
      expect(path()).toBe("/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/a%2Fb%7Cc%3Fd%20e");
    });

    test("an empty list is an empty list", async () => {
      answer({ kind: "ExternalMetricValueList", items: null });
      expect(await (await connect()).externalMetric({ namespace: "shop", metric: rate }, soon())).toEqual([]);
    });

    test.each([
      [
        "an item without a value",
        { kind: "ExternalMetricValueList", items: [{ ...item, value: undefined }] },
        "metric rate: expected items[0].value as a quantity, got undefined",
      ],
      [
        "an item whose value is null",
        { kind: "ExternalMetricValueList", items: [item, { ...item, value: null }] },
        "metric rate: expected items[1].value as a quantity, got null",
      ],
      [
        "a list of another kind",
        { kind: "MetricValueList", items: [] },
        /expected an object of kind ExternalMetricValueList/,
      ],
      ["an error in a 200", { error: "backend down" }, /expected an object of kind ExternalMetricValueList/],
    ])("%s is no answer", async (_name, body, message) => {
      answer(body);
      const outcome = (await connect()).externalMetric({ namespace: "shop", metric: rate }, soon());
      await expect(outcome).rejects.toMatchObject({ kind: "badAnswer" });
      await expect(outcome).rejects.toThrow(message);
    });

    test("an unavailable server is reported with the metric's name, as upstream does", async () => {
      server.reply = (_request, response) => {
        response.writeHead(503, { "content-type": "text/plain" });
        response.end("service unavailable");
      };
      await expect((await connect()).externalMetric({ namespace: "shop", metric: rate }, soon())).rejects.toThrow(
        "the server is currently unable to handle the request (get rate.external.metrics.k8s.io)",
      );
    });
  });

  test("the core group is asked for only where a core kind is meant", async () => {
    await (await connect()).podsMetric({ namespace: "shop", metric: rate, selector: "" }, soon());
    expect(server.received.map(({ url }) => url)).not.toContain("/api/v1");
  });
});
