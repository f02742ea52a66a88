import { setTimeout as sleep } from "node:timers/promises";
import type { ClusterSpec } from "../../lib/model/entries";
import { openClusters } from "../../lib/cluster/clusters";
import type { TargetCluster } from "../../lib/cluster/cluster";
import {
  definition,
  deployment,
  GROUP,
  pod,
  readyStatus,
  scalableKinds,
  worker,
  type ScalableKind,
} from "../cluster/contract-objects";

/** A Kubernetes API server, and a way to arrange its objects. No controller and no kubelet needs to run. */
export interface ContractFixture {
  readonly endpoint: string;
  readonly certificateAuthorityData: string;
  /** Bearer token of one who may do everything. */
  readonly adminToken: string;
  /** Bearer token of a user of this name who may see discovery and nothing else. */
  readonly restricted: { readonly user: string; readonly token: string };
  /** As the admin; a PATCH is a JSON merge patch. Any status, without throwing. */
  api(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly body: unknown }>;
  /** What the metrics APIs serve; "none": this server has none. */
  readonly metrics: MetricsFixture | "none";
  close(): Promise<void>;
}

export interface MetricsFixture {
  setPodUsage(usage: {
    namespace: string;
    name: string;
    labels: Record<string, string>;
    containers: Record<string, Record<string, string>>;
    timestamp: string;
    windowSeconds: number;
  }): void;
  setObject(reading: {
    namespace: string;
    resource: string;
    name: string;
    kind: string;
    apiVersion: string;
    labels?: Record<string, string>;
    metric: string;
    metricLabels?: Record<string, string>;
    value: string;
  }): void;
  setExternal(reading: { namespace: string; metric: string; labels: Record<string, string>; value: string }): void;
}

const signal = () => AbortSignal.timeout(30_000);
const SET_UP_MS = 120_000;

/** What the sync relies on from a target cluster, whichever server is behind it. */
export function clusterContract(name: string, setUp: () => Promise<ContractFixture>): void {
  describe(`a cluster on ${name}`, () => {
    let fixture: ContractFixture;
    let cluster: TargetCluster;
    let namespace: string;
    let objects = 0;
    const opened: { close(): void }[] = [];

    const connect = async (token: string, spec: Partial<ClusterSpec> = {}): Promise<TargetCluster> => {
      const clusters = openClusters({
        secrets: () => Promise.resolve(token),
        awsCredentials: () => Promise.reject(new Error("no AWS in this contract")),
        now: Date.now,
      });
      opened.push(clusters);
      const { endpoint, certificateAuthorityData } = fixture;
      const auth = { type: "token", secret: "token" } as const;
      return clusters.connect({ name, spec: { endpoint, certificateAuthorityData, auth, ...spec } }, signal());
    };

    const arrange = async (method: string, path: string, body?: unknown): Promise<unknown> => {
      const answer = await fixture.api(method, path, body);
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body;
    };

    const create = async (kind: ScalableKind, replicas: number) => {
      const target = { apiVersion: kind.apiVersion, kind: kind.kind, name: `web-${++objects}`, namespace };
      const path = `${kind.collection(namespace)}/${target.name}`;
      const made = (await arrange("POST", kind.collection(namespace), kind.object(target.name, replicas))) as {
        metadata: { uid: string };
      };
      const read = async () =>
        (await arrange("GET", path)) as { spec: { replicas: number }; metadata: { generation: number } };
      return { target, path, uid: made.metadata.uid, read };
    };

    const define = async (kind: "Worker" | "Plain"): Promise<void> => {
      const answer = await fixture.api(
        "POST",
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        definition(kind),
      );
      // 409: an earlier run on the same server.
      if (answer.status >= 300 && answer.status !== 409) throw new Error(JSON.stringify(answer.body));
      const path = `/apis/${GROUP}/v1/namespaces/default/${kind.toLowerCase()}s`;
      for (let tries = 0; (await fixture.api("GET", path)).status !== 200; tries += 1) {
        if (tries === 100) throw new Error(`${path} is not served after ${tries} tries`);
        await sleep(100);
      }
      // Discovery follows a little later than the resource itself.
      for (let tries = 0; !(await isDiscovered(kind)); tries += 1) {
        if (tries === 100) throw new Error(`${kind} is not in discovery after ${tries} tries`);
        await sleep(100);
      }
    };

    const isDiscovered = async (kind: string): Promise<boolean> =>
      JSON.stringify((await fixture.api("GET", `/apis/${GROUP}/v1`)).body).includes(`"kind":"${kind}"`);

    beforeAll(async () => {
      fixture = await setUp();
      namespace = `contract-${process.pid}-${Date.now().toString(36)}`;
      await arrange("POST", "/api/v1/namespaces", {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: namespace },
      });
      await define("Worker");
      await define("Plain");
      cluster = await connect(fixture.adminToken);
    }, SET_UP_MS);

    afterAll(async () => {
      opened.forEach((clusters) => clusters.close());
      await fixture.close();
    });

    describe.each(scalableKinds.map((kind) => [kind.kind, kind] as const))("the scale of a %s", (_kind, kind) => {
      test("is found by group and kind, and read", async () => {
        const { target, uid } = await create(kind, 3);
        const scale = await cluster.getScale(target, signal());
        expect(scale).toMatchObject({
          metadata: { name: target.name, namespace, uid, resourceVersion: expect.stringMatching(/./) as string },
          spec: { replicas: 3 },
          status: { replicas: 0, selector: kind.selector(target.name) },
        });
      });

      test("is written, to zero and back", async () => {
        const { target, read } = await create(kind, 3);
        const before = await cluster.getScale(target, signal());
        const zero = await cluster.putScale(target, { ...before, spec: { replicas: 0 } }, signal());
        expect(zero.spec.replicas).toBe(0);
        expect((await read()).spec.replicas).toBe(0);
        expect((await cluster.getScale(target, signal())).spec.replicas).toBe(0);
        const back = await cluster.putScale(target, { ...zero, spec: { replicas: 5 } }, signal());
        expect(back.metadata.resourceVersion).not.toBe(before.metadata.resourceVersion);
        expect((await read()).spec.replicas).toBe(5);
      });

      test("is not written over a newer version", async () => {
        const { target, read } = await create(kind, 3);
        const stale = await cluster.getScale(target, signal());
        await cluster.putScale(target, { ...stale, spec: { replicas: 4 } }, signal());
        await expect(cluster.putScale(target, { ...stale, spec: { replicas: 9 } }, signal())).rejects.toMatchObject({
          kind: "conflict",
          status: 409,
          message: `Operation cannot be fulfilled on ${kind.resource} "${target.name}": the object has been modified; please apply your changes to the latest version and try again`,
        });
        expect((await read()).spec.replicas).toBe(4);
      });

      test("is not written to a recreated namesake", async () => {
        const { target, path, read } = await create(kind, 3);
        const former = await cluster.getScale(target, signal());
        await arrange("DELETE", `${path}?propagationPolicy=Background`);
        await arrange("POST", kind.collection(namespace), kind.object(target.name, 3));
        await expect(cluster.putScale(target, { ...former, spec: { replicas: 9 } }, signal())).rejects.toMatchObject({
          kind: "conflict",
          status: 409,
        });
        expect((await read()).spec.replicas).toBe(3);
      });

      test("may be written as it is", async () => {
        const { target, read } = await create(kind, 3);
        const before = await cluster.getScale(target, signal());
        const { generation } = (await read()).metadata;
        expect((await cluster.putScale(target, before, signal())).spec.replicas).toBe(3);
        expect((await read()).metadata.generation).toBe(generation);
      });

      test("of one that is not there is not found", async () => {
        const target = { apiVersion: kind.apiVersion, kind: kind.kind, name: "none", namespace };
        const missing = { kind: "notFound", status: 404, message: `${kind.resource} "none" not found` };
        await expect(cluster.getScale(target, signal())).rejects.toMatchObject(missing);
        const scale = {
          metadata: { name: "none", resourceVersion: "1" },
          spec: { replicas: 1 },
          status: { replicas: 0 },
        };
        await expect(cluster.putScale(target, scale, signal())).rejects.toMatchObject({
          kind: "notFound",
          status: 404,
        });
      });
    });

    describe("a target reference", () => {
      test.each([
        ["another version of the group", { apiVersion: "apps/v1beta9" }],
        ["the kind in lower case", { kind: "deployment" }],
      ])("may name %s", async (_name, change) => {
        const { target } = await create(deployment, 2);
        expect((await cluster.getScale({ ...target, ...change }, signal())).spec.replicas).toBe(2);
      });

      test.each([
        ["an unknown kind", "apps/v1", "Nothing", 'no matches for kind "Nothing" in group "apps"'],
        [
          "an unknown group",
          "none.example/v1",
          "Deployment",
          'no matches for kind "Deployment" in group "none.example"',
        ],
        ["a core kind of another group", "v1", "Deployment", 'no matches for kind "Deployment" in group ""'],
      ])("to %s matches nothing", async (_name, apiVersion, kind, message) => {
        const target = { apiVersion, kind, name: "web", namespace };
        await expect(cluster.getScale(target, signal())).rejects.toMatchObject({ kind: "notFound", message });
      });

      test("to a custom kind without /scale is not found, though the object is there", async () => {
        const collection = `/apis/${GROUP}/v1/namespaces/${namespace}/plains`;
        await arrange("POST", collection, { apiVersion: `${GROUP}/v1`, kind: "Plain", metadata: { name: "plain" } });
        const target = { apiVersion: `${GROUP}/v1`, kind: "Plain", name: "plain", namespace };
        await expect(cluster.getScale(target, signal())).rejects.toMatchObject({ kind: "notFound", status: 404 });
      });

      test("to a core kind without /scale is not found, in upstream's words", async () => {
        const name = `alone-${namespace}`;
        await arrange("POST", "/api/v1/namespaces/default/pods", pod(name, {}));
        const target = { apiVersion: "v1", kind: "Pod", name, namespace: "default" };
        await expect(cluster.getScale(target, signal())).rejects.toMatchObject({
          kind: "notFound",
          status: 404,
          message: "the server could not find the requested resource",
        });
      });
    });

    test("what a custom resource's status says of its pods is in its scale", async () => {
      const { target, path } = await create(worker, 3);
      await arrange("PATCH", `${path}/status`, { status: { replicas: 2, selector: "app=x,tier in (a,b)" } });
      expect((await cluster.getScale(target, signal())).status).toEqual({
        replicas: 2,
        selector: "app=x,tier in (a,b)",
      });
    });

    describe("without the right", () => {
      const refusal = (verb: string, resource: string, object: string) =>
        `${object} is forbidden: User "${fixture.restricted.user}" cannot ${verb} resource "${resource}" in API group "${resource.startsWith("pods") ? "" : "apps"}" in the namespace "${namespace}"`;

      test("a scale is neither read nor written, and the refusal names verb and resource", async () => {
        const { target, read } = await create(deployment, 3);
        const scale = await cluster.getScale(target, signal());
        const restricted = await connect(fixture.restricted.token);
        const object = `deployments.apps "${target.name}"`;
        await expect(restricted.getScale(target, signal())).rejects.toMatchObject({
          kind: "forbidden",
          status: 403,
          message: refusal("get", "deployments/scale", object),
        });
        const write = restricted.putScale(target, { ...scale, spec: { replicas: 9 } }, signal());
        await expect(write).rejects.toMatchObject({
          kind: "forbidden",
          status: 403,
          message: refusal("update", "deployments/scale", object),
        });
        expect((await read()).spec.replicas).toBe(3);
      });

      test("pods are not listed", async () => {
        const restricted = await connect(fixture.restricted.token);
        await expect(restricted.listPods(namespace, "", signal())).rejects.toMatchObject({
          kind: "forbidden",
          status: 403,
          message: refusal("list", "pods", "pods"),
        });
      });

      test("the server tells beforehand what it would refuse, and its time", async () => {
        const restricted = await connect(fixture.restricted.token);
        const scale = { verb: "update", group: "apps", resource: "deployments", subresource: "scale", namespace };
        const pods = { verb: "list", group: "", resource: "pods", namespace };
        const askedAt = Date.now();
        for (const asked of [scale, pods]) {
          expect(await restricted.reviewAccess(asked, signal())).toMatchObject({ allowed: false });
          const { allowed, serverTime = NaN } = await cluster.reviewAccess(asked, signal());
          expect(allowed).toBe(true);
          // Both servers run on this machine, and the header knows whole seconds.
          expect(serverTime).toBeGreaterThanOrEqual(Math.floor(askedAt / 1000) * 1000);
          expect(serverTime).toBeLessThanOrEqual(Date.now());
        }
      });

      test("a token that nobody has is unauthorized", async () => {
        const stranger = await connect("nobody-has-this-token");
        await expect(stranger.listPods(namespace, "", signal())).rejects.toMatchObject({
          kind: "unauthorized",
          status: 401,
          message: "Unauthorized",
        });
      });
    });

    test("a server whose CA is not named is not talked to", async () => {
      const clusters = openClusters({
        secrets: () => Promise.reject(new Error("no token may be asked for before the server is known")),
        awsCredentials: () => Promise.reject(new Error("no AWS in this contract")),
        now: Date.now,
      });
      opened.push(clusters);
      const spec = { endpoint: fixture.endpoint, auth: { type: "token", secret: "t" } } as const;
      const untrusting = await clusters.connect({ name, spec }, signal());
      await expect(untrusting.listPods(namespace, "", signal())).rejects.toThrow();
      const trusted = await connect(fixture.adminToken, { tlsServerName: "another.name.example" });
      await expect(trusted.listPods(namespace, "", signal())).rejects.toMatchObject({ kind: "unreachable" });
    });

    describe("events", () => {
      const at = Date.parse("2026-03-01T12:00:00Z");
      const event = (count: number, message: string, seconds: number) => ({
        ...({ type: "Normal", reason: "SuccessfulRescale", name: "worker.18e2f", firstTimestamp: at } as const),
        ...{ count, message, lastTimestamp: at + seconds * 1000 },
      });
      const shown = async (name: string) =>
        (await arrange("GET", `/api/v1/namespaces/${namespace}/events/${name}.18e2f`)) as Record<string, unknown>;
      const seen = async () => {
        const { target, uid } = await create(deployment, 1);
        const { resourceVersion = "" } = (await cluster.getScale(target, signal())).metadata;
        // As an HPA may write it: any version of the group, the kind in lower case.
        return { ...target, apiVersion: "apps/v1beta2", kind: "deployment", uid, resourceVersion };
      };

      test("are created on their target, and patched as they occur again", async () => {
        const target = await seen();
        await cluster.recordEvent(target, event(1, "New size: 4", 0), signal());
        expect(await shown(target.name)).toMatchObject({
          ...{ type: "Normal", reason: "SuccessfulRescale", message: "New size: 4", count: 1 },
          ...{ firstTimestamp: "2026-03-01T12:00:00Z", lastTimestamp: "2026-03-01T12:00:00Z" },
          involvedObject: {
            ...{ apiVersion: "apps/v1", kind: "Deployment", namespace, name: target.name },
            ...{ uid: target.uid, resourceVersion: target.resourceVersion },
          },
          source: { component: "horizontal-pod-autoscaler" },
          reportingComponent: "ebb",
        });
        await cluster.recordEvent(target, event(3, "New size: 5", 30), signal());
        expect(await shown(target.name)).toMatchObject({
          ...{ message: "New size: 5", count: 3 },
          ...{ firstTimestamp: "2026-03-01T12:00:00Z", lastTimestamp: "2026-03-01T12:00:30Z" },
        });
      });

      test("that have expired are created anew, and one that stands already is left", async () => {
        const target = await seen();
        await cluster.recordEvent(target, event(7, "New size: 4", 60), signal());
        await cluster.recordEvent(target, event(1, "another", 0), signal());
        expect(await shown(target.name)).toMatchObject({ message: "New size: 4", count: 7 });
      });

      test("without the right are forbidden, in the server's words", async () => {
        const restricted = await connect(fixture.restricted.token);
        const forbidden = (verb: string) => ({
          kind: "forbidden",
          message: expect.stringContaining(`cannot ${verb} resource "events"`) as string,
        });
        const target = await seen();
        const create = restricted.recordEvent(target, event(1, "m", 0), signal());
        await expect(create).rejects.toMatchObject(forbidden("create"));
        const patch = restricted.recordEvent(target, event(2, "m", 0), signal());
        await expect(patch).rejects.toMatchObject(forbidden("patch"));
      });
    });

    describe("pods", () => {
      const names = async (selector: string) =>
        (await cluster.listPods(namespace, selector, signal())).map(({ metadata }) => metadata.name).sort();

      beforeAll(async () => {
        const collection = `/api/v1/namespaces/${namespace}/pods`;
        await arrange("POST", collection, pod("a", { app: "shop", tier: "front" }));
        await arrange("POST", collection, pod("b", { app: "shop", tier: "back" }));
        await arrange("POST", collection, pod("c", { app: "other" }));
        await arrange("PATCH", `${collection}/a/status`, { status: readyStatus });
      }, SET_UP_MS);

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
        const [one] = await cluster.listPods(namespace, "app=shop,tier=front", signal());
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
      });

      test("of a namespace that is not there are none", async () => {
        expect(await cluster.listPods("no-such-namespace", "", signal())).toEqual([]);
      });

      test("by a selector that cannot be parsed are refused", async () => {
        await expect(cluster.listPods(namespace, "app in (", signal())).rejects.toMatchObject({
          kind: "badAnswer",
          status: 400,
        });
      });
    });

    describe("metrics", () => {
      /** Arranges metrics by `set`; on a server without metrics APIs checks instead that they are missed in upstream's words. */
      const withMetrics = async (set: (metrics: MetricsFixture) => void, check: () => Promise<void>): Promise<void> => {
        if (fixture.metrics !== "none") {
          set(fixture.metrics);
          return check();
        }
        await expect(cluster.podMetrics(namespace, "", signal())).rejects.toMatchObject({
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
            const read = await cluster.podMetrics(namespace, "app=shop", signal());
            expect(read).toMatchObject([
              {
                metadata: { name: "a", namespace },
                timestamp: "2026-03-01T12:00:00Z",
                window: "15s",
                containers: [{ name: "main", usage: { cpu: "250m", memory: "64Mi" } }],
              },
            ]);
            expect(await cluster.podMetrics(namespace, "", signal())).toHaveLength(2);
            expect(await cluster.podMetrics(namespace, "app=nothing", signal())).toEqual([]);
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
            expect(await cluster.podsMetric({ namespace, metric, selector: "app=shop" }, signal())).toMatchObject([
              { describedObject: { kind: "Pod", name: "a", namespace }, value: "5" },
            ]);
            const unknown = cluster.podsMetric({ namespace, metric: { name: "none" }, selector: "app=shop" }, signal());
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
              cluster.objectMetric({ namespace, metric, describedObject }, signal());
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
              cluster.externalMetric(
                { namespace, metric: { name: "depth", selector: { matchLabels: { queue } } } },
                signal(),
              );
            expect(await read("b")).toMatchObject([
              { metricName: "depth", metricLabels: { queue: "b" }, value: "6500m" },
            ]);
            expect(await read("none")).toEqual([]);
            expect(await cluster.externalMetric({ namespace, metric: { name: "depth" } }, signal())).toHaveLength(2);
            const unknown = cluster.externalMetric({ namespace, metric: { name: "unknown" } }, signal());
            await expect(unknown).rejects.toMatchObject({ kind: "notFound", status: 404 });
          },
        ));
    });
  });
}
