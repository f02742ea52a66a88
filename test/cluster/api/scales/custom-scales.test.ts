import type { ServerResponse } from "node:http";
import type { Scale } from "../../../../lib/k8s/objects";
import type { Cluster, ScaleBatch } from "../../../../lib/model/ports/cluster";
import { clustersWith, entry, soon } from "../../connect";
import { discovering, json, type Received, scale, startServer, status, type TestServer } from "../../api-server";

const definitionPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/workers.example.com";
const listPath = "/apis/example.com/v1/namespaces/shop/workers";
const worker = { apiVersion: "example.com/v1", kind: "Worker", namespace: "shop" };
const targets = Array.from({ length: 25 }, (_, index) => ({ ...worker, name: `web-${index}` }));

const paths = {
  ...{ specReplicasPath: ".spec.pool.size", statusReplicasPath: ".status.pool.ready" },
  labelSelectorPath: ".status.pods",
};
const definitionOf = (scalePaths: unknown, more: object = {}) => ({
  ...{ kind: "CustomResourceDefinition", apiVersion: "apiextensions.k8s.io/v1" },
  metadata: { name: "workers.example.com", uid: "d1", resourceVersion: "40" },
  spec: {
    ...{ group: "example.com", scope: "Namespaced" },
    names: { plural: "workers", kind: "Worker", listKind: "WorkerSet" },
    versions: [
      { name: "v2", served: true, subresources: {} },
      { name: "v1", served: true, subresources: { status: {}, scale: scalePaths } },
    ],
    ...more,
  },
});
const object = (name: string, more: object = {}) => ({
  ...{ apiVersion: "example.com/v1", kind: "Worker" },
  metadata: { name, namespace: "shop", uid: `u-${name}`, resourceVersion: "90" },
  spec: { pool: { size: 3 }, replicas: 99 },
  status: { pool: { ready: 2 }, pods: `app=${name}` },
  ...more,
});

describe("the scales of custom resources in a run", () => {
  let server: TestServer;
  let definition: ReturnType<typeof definitionOf>;
  let objects: unknown[];
  let version: string;
  /** Whatever else the server does with a request of this path. True: it has answered. */
  let instead: (path: string, response: ServerResponse) => boolean;
  const clock = { now: 0 };
  const clusters = clustersWith({ now: () => clock.now });
  const connect = () => clusters.connect(entry(server.url), soon());

  function answer({ url, headers }: Received, response: ServerResponse): void {
    const path = new URL(url, "http://x").pathname;
    if (instead(path, response)) return;
    if (path === listPath)
      return json(response, 200, { kind: "WorkerSet", metadata: { resourceVersion: version }, items: objects });
    if (path !== definitionPath) return json(response, 200, scale(7));
    const isMetadata = headers.accept === "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
    const { metadata } = definition;
    json(response, 200, isMetadata ? { kind: "PartialObjectMetadata", metadata } : definition);
  }

  beforeEach(async () => {
    clock.now = Date.UTC(2026, 2, 1, 12);
    definition = definitionOf(paths);
    objects = targets.map(({ name }) => object(name));
    version = "100";
    instead = () => false;
    server = await startServer(discovering(answer));
  });
  afterEach(async () => {
    clusters.close();
    await server.stop();
  });

  /** A GET says 7 replicas, a list 3. */
  const read = (cluster: Cluster, turn: ScaleBatch = { targets }): Promise<Scale[]> => {
    const limit = soon();
    return Promise.all(targets.map((target) => cluster.getScale(target, limit, turn)));
  };
  const replicasOf = async (cluster: Cluster) => [...new Set((await read(cluster)).map(({ spec }) => spec.replicas))];
  /** Requests since the last call, by what they ask for. */
  const asked = () => {
    const paths = server.received.splice(0).map(({ url }) => new URL(url, "http://x").pathname);
    const count = (isIt: (path: string) => boolean) => paths.filter(isIt).length;
    return {
      definitions: count((path) => path === definitionPath),
      lists: count((path) => path === listPath),
      gets: count((path) => path.endsWith("/scale")),
    };
  };
  /** A cluster whose definition has been the same for long enough. */
  const settled = async (): Promise<Cluster> => {
    const cluster = await connect();
    await read(cluster);
    clock.now += 15_000;
    asked();
    return cluster;
  };

  test("come from one list, by the paths of their definition", async () => {
    const cluster = await settled();
    expect((await read(cluster))[4]).toEqual({
      ...{ apiVersion: "autoscaling/v1", kind: "Scale", spec: { replicas: 3 } },
      metadata: { name: "web-4", namespace: "shop", uid: "u-web-4", resourceVersion: "90" },
      status: { replicas: 2, selector: "app=web-4" },
    });
    expect(asked()).toEqual({ definitions: 1, lists: 1, gets: 0 });
    clock.now += 86_400_000;
    expect(await replicasOf(cluster)).toEqual([3]);
    expect(asked()).toEqual({ definitions: 1, lists: 1, gets: 0 });
  });

  test("are read one by one until the definition has been the same for 10 s", async () => {
    const cluster = await connect();
    expect(await replicasOf(cluster)).toEqual([7]);
    clock.now += 9_999;
    expect(await replicasOf(cluster)).toEqual([7]);
    expect(asked()).toEqual({ definitions: 1, lists: 0, gets: 50 });
    clock.now += 1;
    expect(await replicasOf(cluster)).toEqual([3]);
  });

  test("are read one by one when the clock was set back, until it has been the same for 10 s again", async () => {
    const cluster = await settled();
    clock.now -= 3_600_000;
    expect(await replicasOf(cluster)).toEqual([7]);
    clock.now += 10_000;
    expect(await replicasOf(cluster)).toEqual([3]);
  });

  test("are not taken from a list that was read while the definition changed", async () => {
    const cluster = await settled();
    // At 100 an object has its old form. Then a migration writes it, and the definition names another path.
    instead = (path) => {
      if (path !== listPath) return false;
      definition = definitionOf({ ...paths, specReplicasPath: ".spec.replicas" });
      definition.metadata.resourceVersion = "101";
      return false;
    };
    expect(await replicasOf(cluster)).toEqual([7]);
    expect(asked()).toEqual({ definitions: 1, lists: 1, gets: 25 });
    instead = () => false;
    expect(await replicasOf(cluster)).toEqual([7]);
    clock.now += 15_000;
    expect(await replicasOf(cluster)).toEqual([99]);
  });

  test("of a definition that was made again are read one by one, though its version is the same", async () => {
    const cluster = await settled();
    definition.metadata.uid = "d2";
    expect(await replicasOf(cluster)).toEqual([7]);
  });

  test.each<[string, object]>([
    ["is not the resource's", { names: { plural: "workers", kind: "Other" } }],
    ["is of another group", { group: "example.org" }],
    ["is of objects without a namespace", { scope: "Cluster" }],
    ["has no such version", { versions: [] }],
    ["does not serve the version", { versions: [{ name: "v1", served: false, subresources: { scale: paths } }] }],
    ["has no scale", { versions: [{ name: "v1", served: true, subresources: { status: {} } }] }],
    ["has null for everything", { names: null, versions: null }],
  ])("of a definition that %s are read one by one", async (_name, more) => {
    definition = definitionOf(paths, more);
    expect(await replicasOf(await settled())).toEqual([7]);
    expect(asked()).toEqual({ definitions: 0, lists: 0, gets: 25 });
  });

  test.each<[string, unknown]>([
    ["no paths", {}],
    ["a path outside of spec", { ...paths, specReplicasPath: ".metadata.generation" }],
    ["a path of nothing in spec", { ...paths, specReplicasPath: ".spec" }],
    ["a path without a dot", { ...paths, specReplicasPath: "spec.replicas" }],
    ["a status outside of status", { ...paths, statusReplicasPath: ".spec.replicas" }],
    ["a number for a path", { ...paths, specReplicasPath: 1 }],
    ["a number for the selector's path", { ...paths, labelSelectorPath: 1 }],
    ["a selector in metadata", { ...paths, labelSelectorPath: ".metadata.name" }],
    ["a very long path", { ...paths, specReplicasPath: `.spec${".a".repeat(10_000)}` }],
  ])("of a definition with %s are read one by one", async (_name, scalePaths) => {
    definition = definitionOf(scalePaths);
    expect(await replicasOf(await settled())).toEqual([7]);
    expect(asked().lists).toBe(0);
  });

  test.each<[string, object, object]>([
    ["no status", { status: undefined }, { status: { replicas: 0, selector: "" } }],
    ["null for a part of its status", { status: { pool: null } }, { status: { replicas: 0, selector: "" } }],
    ["zero replicas", { spec: { pool: { size: 0 } } }, { spec: { replicas: 0 } }],
    ["a selector of everything", { status: { pods: "" } }, { status: { replicas: 0, selector: "" } }],
    ["a selector that is no selector", { status: { pods: "a b,,=" } }, { status: { selector: "a b,,=" } }],
  ])("have what the API server makes of %s", async (_name, more, expected) => {
    objects[0] = object("web-0", more);
    expect((await read(await settled()))[0]).toMatchObject(expected);
    expect(asked().gets).toBe(0);
  });

  test.each<[string, object]>([
    ["no replicas", { spec: {} }],
    ["null for its spec", { spec: null }],
    ["null for its replicas", { spec: { pool: { size: null } } }],
    ["a text for its replicas", { spec: { pool: { size: "3" } } }],
    ["half a replica", { spec: { pool: { size: 0.5 } } }],
    ["fewer than no replicas", { spec: { pool: { size: -1 } } }],
    ["too many replicas", { spec: { pool: { size: 2 ** 31 } } }],
    ["a list on the way to its replicas", { spec: { pool: [{ size: 3 }] } }],
    ["null for its status replicas", { status: { pool: { ready: null } } }],
    ["a text for its status replicas", { status: { pool: { ready: "2" } } }],
    ["a text on the way to its status replicas", { status: { pool: "2" } }],
    ["a map for a selector", { status: { pods: { app: "web" } } }],
    ["null for a selector", { status: { pods: null } }],
    ["a huge selector", { status: { pods: "a".repeat(20_000) } }],
    ["the form of another version", { apiVersion: "example.com/v2" }],
  ])("of an object with %s are read alone", async (_name, more) => {
    objects[0] = object("web-0", more);
    const scales = await read(await settled());
    expect(scales.map(({ spec }) => spec.replicas)).toEqual([7, ...targets.slice(1).map(() => 3)]);
    expect(asked().gets).toBe(1);
  });

  test("have no selector if the definition names none", async () => {
    definition = definitionOf({ ...paths, labelSelectorPath: "" });
    expect((await read(await settled()))[0]?.status.selector).toBe("");
  });

  test("follow a path whose parts every object inherits", async () => {
    definition = definitionOf({ ...paths, specReplicasPath: ".spec.constructor.length" });
    expect(await replicasOf(await settled())).toEqual([7]);
  });

  test.each(["annotations", "finalizers", "managedFields", "ownerReferences"])(
    "follow a path through %s, which other objects have for something else",
    async (name) => {
      definition = definitionOf({ ...paths, specReplicasPath: `.spec.${name}.size` });
      objects = targets.map((target) => object(target.name, { spec: { [name]: { size: 5 } } }));
      expect(await replicasOf(await settled())).toEqual([5]);
      expect(asked().gets).toBe(0);
    },
  );

  const refuse = (response: ServerResponse) => json(response, 403, status(403, "Forbidden", "no"));
  test.each<[string, (response: ServerResponse) => void]>([
    ["is refused", refuse],
    ["is not there", (response) => json(response, 404, status(404, "NotFound", "no"))],
    ["is HTML", (response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>")],
    ["is a list", (response) => json(response, 200, { kind: "CustomResourceDefinitionList", items: [] })],
    ["has no metadata", (response) => json(response, 200, { ...definition, metadata: null })],
    ["has another name", (response) => json(response, 200, { ...definition, metadata: { name: "x", uid: "d1" } })],
    ["ends early", (response) => response.destroy()],
  ])(
    "are read one by one if the definition %s, and it is not asked for again for five minutes",
    async (_name, reply) => {
      instead = (path, response) => path === definitionPath && (reply(response), true);
      const cluster = await connect();
      expect(await replicasOf(cluster)).toEqual([7]);
      expect(asked()).toMatchObject({ lists: 0, gets: 25 });
      instead = () => false;
      clock.now += 299_999;
      expect(await replicasOf(cluster)).toEqual([7]);
      expect(asked()).toEqual({ definitions: 0, lists: 0, gets: 25 });
      clock.now += 1;
      await read(cluster);
      clock.now += 15_000;
      expect(await replicasOf(cluster)).toEqual([3]);
    },
  );

  test("are read one by one if the right to read the definition is taken away, in the same run", async () => {
    const cluster = await settled();
    instead = (path, response) => path === definitionPath && (refuse(response), true);
    expect(await replicasOf(cluster)).toEqual([7]);
    expect(asked()).toEqual({ definitions: 1, lists: 1, gets: 25 });
    expect(await replicasOf(cluster)).toEqual([7]);
    expect(asked()).toEqual({ definitions: 0, lists: 0, gets: 25 });
  });

  test("are read one by one without the right to list, and the definition is not read for nothing", async () => {
    const cluster = await settled();
    instead = (path, response) => path === listPath && (refuse(response), true);
    expect(await replicasOf(cluster)).toEqual([7]);
    expect(asked()).toEqual({ definitions: 0, lists: 1, gets: 25 });
  });

  test("are not taken from a list that is older than an answered write of their kind", async () => {
    const cluster = await settled();
    instead = (path, response) => path.endsWith("/web-0/scale") && (json(response, 200, scale(9, "110")), true);
    await cluster.putScale({ ...targets[0]!, kind: "worker" }, scale(9), soon());
    instead = () => false;
    expect(await replicasOf(cluster)).toEqual([7]);
    clock.now += 300_000;
    version = "110";
    expect(await replicasOf(cluster)).toEqual([3]);
  });

  test("do not compare their versions with those of Kubernetes' own kinds", async () => {
    const cluster = await settled();
    instead = (path, response) => path.endsWith("/scale") && (json(response, 200, scale(9, "900")), true);
    const deployment = { apiVersion: "apps/v1", kind: "Deployment", name: "web", namespace: "shop" };
    await cluster.putScale(deployment, scale(9), soon());
    expect(await replicasOf(cluster)).toEqual([3]);
  });
});
