import type { ObjectReference } from "../../../lib/model/ports/cluster";
import { eventually } from "../eventually";
import { type MetricsFixture, setUpMs, type SharedCluster, signal } from "./bench";

/** Pods and metrics, as a decision reads them. */
export function readingsContract(shared: SharedCluster): void {
  let namespace: string;
  beforeAll(() => {
    namespace = shared.namespace;
  });

  describe("pods", () => {
    const names = async (selector: string) =>
      (await shared.cluster.listPods(namespace, selector, signal()))
        .map(({ metadata }) => metadata.name)
        .filter((name) => /^[abc]$/.test(name))
        .sort();

    beforeAll(async () => {
      await shared.bench.createPod("a", { app: "shop", tier: "front" }, true);
      await shared.bench.createPod("b", { app: "shop", tier: "back" });
      await shared.bench.createPod("c", { app: "other" });
    }, setUpMs);

    test.each([
      ["", ["a", "b", "c"]],
      ["app=shop", ["a", "b"]],
      ["app=shop,tier!=back", ["a"]],
      ["app in (shop,other),tier", ["a", "b"]],
      ["!tier", ["c"]],
      ["tier notin (front)", ["b", "c"]],
      ["app=nothing", []],
    ])("by selector %j", async (selector, expected) => {
      expect(await names(selector)).toEqual(expected);
    });

    test("have what a decision reads", async () => {
      const [one] = await shared.cluster.listPods(namespace, "app=shop,tier=front", signal());
      expect(one).toMatchObject({
        metadata: { name: "a", namespace, labels: { app: "shop", tier: "front" } },
        spec: { containers: [{ name: "main", resources: { requests: { cpu: "100m", memory: "64Mi" } } }] },
        status: {
          phase: "Running",
          startTime: "2026-03-01T11:00:00Z",
          conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2026-03-01T11:00:05Z" }],
        },
      });
      expect(one?.metadata).not.toHaveProperty("annotations");
      expect(one?.status?.conditions).toHaveLength(1);
    });

    test("are copies", async () => {
      const read = () => shared.cluster.listPods(namespace, "app=shop,tier=front", signal());
      Reflect.set((await read())[0]?.metadata ?? {}, "name", "changed");
      expect((await read())[0]?.metadata.name).toBe("a");
    });

    test("a namespace that does not exist has none", async () => {
      expect(await shared.cluster.listPods("no-such-namespace", "", signal())).toEqual([]);
    });

    test("by a selector that cannot be parsed are refused", async () => {
      await expect(shared.cluster.listPods(namespace, "app in (", signal())).rejects.toMatchObject({
        kind: "badAnswer",
        status: 400,
      });
    });

    test("all come, however many pages they take", async () => {
      const many = Array.from({ length: 25 }, (_, index) => `many-${String(index).padStart(2, "0")}`);
      for (const name of many) await shared.bench.createPod(name, { app: "many" });
      shared.bench.pageBy(10);
      await eventually(async () => {
        const found = await shared.cluster.listPods(namespace, "app=many", signal());
        expect(found.map(({ metadata }) => metadata.name).sort()).toEqual(many);
      });
    }, 60_000);
  });

  describe("an object", () => {
    const get = (more: Partial<ObjectReference> = {}) =>
      shared.cluster.getObject({ apiVersion: "v1", resource: "pods", namespace, name: "whole", ...more }, signal());

    beforeAll(() => shared.bench.createPod("whole", { app: "whole" }), setUpMs);

    test("comes whole", async () => {
      expect(await get()).toMatchObject({
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "whole", namespace, labels: { app: "whole" } },
        spec: { containers: [{ name: "main" }] },
      });
    });

    test.each<[string, Partial<ObjectReference>, string]>([
      ["that does not exist", { name: "nothing" }, 'pods "nothing" not found'],
      ["in a namespace that does not exist", { namespace: "nowhere" }, 'pods "whole" not found'],
      ["of no resource", { resource: "podz" }, "the server could not find the requested resource"],
      ["of no group", { apiVersion: "no.example.com/v1" }, "the server could not find the requested resource"],
    ])("%s is not found", async (_what, more, message) => {
      await expect(get(more)).rejects.toMatchObject({
        kind: "notFound",
        status: 404,
        message: expect.stringContaining(message) as string,
      });
    });
  });

  describe("metrics", () => {
    /**
     * Sets metrics by `set`. On a server without metrics APIs, checks that the error has upstream's words.
     */
    const withMetrics = async (set: (metrics: MetricsFixture) => void, check: () => Promise<void>): Promise<void> => {
      if (shared.bench.metrics !== "none") {
        set(shared.bench.metrics);
        return check();
      }
      await expect(shared.cluster.podMetrics(namespace, "", signal())).rejects.toMatchObject({
        kind: "notFound",
        message: "the server could not find the requested resource (get pods.metrics.k8s.io)",
      });
    };

    const usage = (name: string, labels: Record<string, string>) => ({
      ...{ namespace, name, labels, timestamp: "2026-03-01T12:00:00Z", windowSeconds: 15 },
      containers: { main: { cpu: "250m", memory: "64Mi" } },
    });

    test("of resources, by the pods' labels", () =>
      withMetrics(
        (metrics) => {
          metrics.setPodUsage(usage("a", { app: "shop" }));
          metrics.setPodUsage(usage("c", { app: "other" }));
        },
        async () => {
          const read = await shared.cluster.podMetrics(namespace, "app=shop", signal());
          expect(read).toMatchObject([
            {
              metadata: { name: "a", namespace },
              timestamp: "2026-03-01T12:00:00Z",
              window: "15s",
              containers: [{ name: "main", usage: { cpu: "250m", memory: "64Mi" } }],
            },
          ]);
          expect(await shared.cluster.podMetrics(namespace, "", signal())).toHaveLength(2);
          expect(await shared.cluster.podMetrics(namespace, "app=nothing", signal())).toEqual([]);
        },
      ));

    test("of pods, by their labels and the metric's", () =>
      withMetrics(
        (metrics) => {
          const reading = { namespace, resource: "pods", kind: "Pod", apiVersion: "/v1", metric: "rate" };
          metrics.setObject({
            ...reading,
            name: "a",
            labels: { app: "shop" },
            metricLabels: { verb: "GET" },
            value: "5",
          });
          metrics.setObject({
            ...reading,
            name: "a",
            labels: { app: "shop" },
            metricLabels: { verb: "PUT" },
            value: "7",
          });
          metrics.setObject({
            ...reading,
            name: "c",
            labels: { app: "other" },
            metricLabels: { verb: "GET" },
            value: "9",
          });
        },
        async () => {
          const metric = { name: "rate", selector: { matchLabels: { verb: "GET" } } };
          expect(await shared.cluster.podsMetric({ namespace, metric, selector: "app=shop" }, signal())).toMatchObject([
            { describedObject: { kind: "Pod", name: "a", namespace }, value: "5" },
          ]);
          const unknown = shared.cluster.podsMetric(
            { namespace, metric: { name: "none" }, selector: "app=shop" },
            signal(),
          );
          await expect(unknown).rejects.toMatchObject({ kind: "notFound", status: 404 });
        },
      ));

    test("of objects of any group, and of the namespace", () =>
      withMetrics(
        (metrics) => {
          const front = { namespace, name: "front", metric: "hits" };
          metrics.setObject({ ...front, resource: "pods", kind: "Pod", apiVersion: "/v1", value: "1" });
          metrics.setObject({
            ...front,
            resource: "deployments.apps",
            kind: "Deployment",
            apiVersion: "apps/v1",
            value: "2",
          });
          const whole = {
            namespace: "",
            resource: "namespaces",
            name: namespace,
            kind: "Namespace",
            apiVersion: "/v1",
          };
          metrics.setObject({ ...whole, metric: "hits", value: "3" });
        },
        async () => {
          const metric = { name: "hits" };
          const read = (describedObject: { kind: string; name: string; apiVersion: string }) =>
            shared.cluster.objectMetric({ namespace, metric, describedObject }, signal());
          expect(await read({ apiVersion: "v1", kind: "Pod", name: "front" })).toMatchObject([{ value: "1" }]);
          expect(await read({ apiVersion: "apps/v1", kind: "Deployment", name: "front" })).toMatchObject([
            { value: "2" },
          ]);
          expect(await read({ apiVersion: "v1", kind: "Namespace", name: "elsewhere" })).toMatchObject([
            { value: "3" },
          ]);
          await expect(read({ apiVersion: "v1", kind: "Pod", name: "none" })).rejects.toMatchObject({
            kind: "notFound",
          });
          await expect(read({ apiVersion: "apps/v1", kind: "Nothing", name: "front" })).rejects.toMatchObject({
            kind: "notFound",
            message: 'unable to map kind Nothing.apps to resource: no matches for kind "Nothing" in group "apps"',
          });
        },
      ));

    test("from outside the cluster, by their labels", () =>
      withMetrics(
        (metrics) => {
          metrics.setExternal({ namespace, metric: "depth", labels: { queue: "a" }, value: "4" });
          metrics.setExternal({ namespace, metric: "depth", labels: { queue: "b" }, value: "6500m" });
        },
        async () => {
          const read = (queue: string) =>
            shared.cluster.externalMetric(
              { namespace, metric: { name: "depth", selector: { matchLabels: { queue } } } },
              signal(),
            );
          expect(await read("b")).toMatchObject([
            { metricName: "depth", metricLabels: { queue: "b" }, value: "6500m" },
          ]);
          expect(await read("none")).toEqual([]);
          expect(await shared.cluster.externalMetric({ namespace, metric: { name: "depth" } }, signal())).toHaveLength(
            2,
          );
          const unknown = shared.cluster.externalMetric({ namespace, metric: { name: "unknown" } }, signal());
          await expect(unknown).rejects.toMatchObject({ kind: "notFound", status: 404 });
        },
      ));
  });
}
