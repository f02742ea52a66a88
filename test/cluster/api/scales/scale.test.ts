import type { ServerResponse } from "node:http";
import type { Scale } from "../../../../lib/k8s/objects";
import type { Fault } from "../../../../lib/model/fault";
import type { Cluster, ScaleBatch } from "../../../../lib/model/ports/cluster";
import { clustersWith, entry, soon, web } from "../../connect";
import { discovering, json, type Received, scale, startServer, status, type TestServer } from "../../api-server";

describe("scale", () => {
  let server: TestServer;
  const clusters = clustersWith();
  const connect = () => clusters.connect(entry(server.url), soon());

  beforeEach(async () => {
    server = await startServer(discovering((_request, response) => json(response, 200, scale(3))));
  });
  afterEach(async () => {
    clusters.close();
    await server.stop();
  });

  test("reads /scale of a kind found by group and kind, whatever version the reference names", async () => {
    const read = await (await connect()).getScale({ ...web, apiVersion: "apps/v1beta9" }, soon());
    expect(read).toEqual({
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: { name: "web", namespace: "shop", uid: "u1", resourceVersion: "7" },
      spec: { replicas: 3 },
      status: { replicas: 3, selector: "app=web" },
    });
    expect(server.received.map(({ url }) => url)).toEqual([
      "/apis",
      "/apis/apps/v1/namespaces/shop/deployments/web/scale",
    ]);
  });

  test("zero replicas, which Go leaves out, are 0", async () => {
    server.reply = discovering((_request, response) => json(response, 200, scale(0)));
    expect((await (await connect()).getScale(web, soon())).spec.replicas).toBe(0);
  });

  test.each([
    [
      "a core kind",
      { apiVersion: "v1", kind: "ReplicationController" },
      "/api/v1/namespaces/shop/replicationcontrollers/web/scale",
    ],
    [
      "no apiVersion",
      { apiVersion: "", kind: "ReplicationController" },
      "/api/v1/namespaces/shop/replicationcontrollers/web/scale",
    ],
    [
      "a kind in lower case",
      { apiVersion: "apps/v1", kind: "deployment" },
      "/apis/apps/v1/namespaces/shop/deployments/web/scale",
    ],
    [
      "the version that has /scale, though another is preferred",
      { apiVersion: "example.com/v2", kind: "Worker" },
      "/apis/example.com/v1/namespaces/shop/workers/web/scale",
    ],
    [
      "a kind without /scale is asked nevertheless: the server says no in its own words",
      { apiVersion: "apps/v1", kind: "ControllerRevision" },
      "/apis/apps/v1/namespaces/shop/controllerrevisions/web/scale",
    ],
  ])("path of %s", async (_name, reference, path) => {
    await (await connect()).getScale({ ...web, ...reference }, soon());
    expect(server.received.at(-1)?.url).toBe(path);
  });

  test("names are escaped", async () => {
    await (await connect()).getScale({ ...web, name: "a/../b?c" }, soon());
    expect(server.received.at(-1)?.url).toBe("/apis/apps/v1/namespaces/shop/deployments/a%2F..%2Fb%3Fc/scale");
  });

  test("what discovery names is escaped, too", async () => {
    const plain = discovering((_request, response) => json(response, 200, scale(3)));
    const lying = { resource: "../../secrets\n", responseKind: { kind: "Deployment" }, subresources: [] };
    server.reply = (request, response) => {
      if (request.url !== "/apis") return plain(request, response);
      const items = [{ metadata: { name: "apps" }, versions: [{ version: "v1?a=b", resources: [lying] }] }];
      json(response, 200, { kind: "APIGroupDiscoveryList", items });
    };
    await (await connect()).getScale(web, soon());
    const escaped = "/apis/apps/v1%3Fa%3Db/namespaces/shop/..%2F..%2Fsecrets%0A/web/scale";
    expect(server.received.at(-1)?.url).toBe(escaped);
  });

  test("an unknown kind is looked up once more, then rejected in upstream's words", async () => {
    const cluster = await connect();
    const error = cluster.getScale({ ...web, kind: "Nothing" }, soon());
    await expect(error).rejects.toMatchObject({
      kind: "notFound",
      message: 'no matches for kind "Nothing" in group "apps"',
    });
  });

  test("an apiVersion with two slashes is a bad entry", async () => {
    await expect((await connect()).getScale({ ...web, apiVersion: "a/b/c" }, soon())).rejects.toMatchObject({
      kind: "badEntry",
      message: "unexpected GroupVersion string: a/b/c",
    });
  });

  test("a write carries uid and resourceVersion, and nothing of the status", async () => {
    const cluster = await connect();
    const read = await cluster.getScale(web, soon());
    server.reply = discovering((_request, response) => json(response, 200, scale(5, "8")));
    const written = await cluster.putScale(web, { ...read, spec: { replicas: 5 } }, soon());
    expect(written.metadata.resourceVersion).toBe("8");
    const put = server.received.at(-1);
    expect(put?.method).toBe("PUT");
    expect(JSON.parse(put?.body ?? "")).toEqual({
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: { name: "web", namespace: "shop", uid: "u1", resourceVersion: "7" },
      spec: { replicas: 5 },
    });
  });

  test("a write is done, whatever the answer's resourceVersion is", async () => {
    server.reply = discovering((_request, response) => json(response, 200, scale(5, "v8")));
    const written = await (await connect()).putScale(web, scale(5), soon());
    expect(written.metadata.resourceVersion).toBe("v8");
  });

  test("a write to zero says 0", async () => {
    const cluster = await connect();
    const read = await cluster.getScale(web, soon());
    await cluster.putScale(web, { ...read, spec: { replicas: 0 } }, soon());
    expect(JSON.parse(server.received.at(-1)?.body ?? "")).toMatchObject({ spec: { replicas: 0 } });
  });

  test.each([{}, { resourceVersion: "" }])("a write without a resourceVersion is never sent: %j", async (version) => {
    const cluster = await connect();
    const unconditional = { ...scale(5), metadata: { name: "web", ...version } };
    await expect(cluster.putScale(web, unconditional, soon())).rejects.toThrow(
      "a scale write of Deployment shop/web carries no resourceVersion",
    );
    expect(server.received.filter(({ method }) => method === "PUT")).toEqual([]);
  });

  test.each([
    [
      "no resourceVersion",
      { ...scale(3), metadata: { name: "web" } },
      "deployments/scale shop/web: expected metadata.resourceVersion, got undefined",
    ],
    [
      "half a replica",
      { ...scale(3), spec: { replicas: 1.5 } },
      "deployments/scale shop/web: spec.replicas: expected a whole number from 0 to 2147483647, got 1.5",
    ],
    [
      "replicas as text",
      { ...scale(3), status: { replicas: "3" } },
      'deployments/scale shop/web: status.replicas: expected a whole number from 0 to 2147483647, got "3"',
    ],
    [
      "more replicas than the API can say",
      { ...scale(3), spec: { replicas: 2 ** 31 } },
      "deployments/scale shop/web: spec.replicas: expected a whole number from 0 to 2147483647, got 2147483648",
    ],
    [
      "a selector that is no text",
      { ...scale(3), status: { replicas: 3, selector: {} } },
      "deployments/scale shop/web: expected status.selector as a string, got {}",
    ],
    [
      "a selector that is a large map",
      { ...scale(3), status: { replicas: 3, selector: { a: "x".repeat(500) } } },
      `deployments/scale shop/web: expected status.selector as a string, got {"a":"${"x".repeat(194)}`,
    ],
    [
      "a selector that is too long to remember",
      { ...scale(3), status: { replicas: 3, selector: "x".repeat(16_385) } },
      "deployments/scale shop/web: expected status.selector as a string, got 16385 characters",
    ],
    [
      "a resourceVersion that is too long to remember",
      { ...scale(3), metadata: { name: "web", resourceVersion: "x".repeat(1_025) } },
      `deployments/scale shop/web: expected metadata.resourceVersion, got "${"x".repeat(199)}`,
    ],
  ])("%s is no answer", async (_name, body, message) => {
    server.reply = discovering((_request, response) => json(response, 200, body));
    await expect((await connect()).getScale(web, soon())).rejects.toMatchObject({ kind: "badAnswer", message });
  });

  test("the largest scale that can be remembered is one", async () => {
    const largest = {
      ...{ kind: "Scale", metadata: { name: "web", resourceVersion: "x".repeat(1_024) } },
      ...{ spec: { replicas: 2 ** 31 - 1 }, status: { replicas: 0, selector: "x".repeat(16_384) } },
    };
    server.reply = discovering((_request, response) => json(response, 200, largest));
    expect(await (await connect()).getScale(web, soon())).toMatchObject(largest);
  });

  test.each([
    [404, "NotFound", "notFound", 'deployments.apps "web" not found'],
    [
      403,
      "Forbidden",
      "forbidden",
      'deployments.apps "web" is forbidden: User "u" cannot get resource "deployments/scale" in API group "apps" in the namespace "shop"',
    ],
    [401, "Unauthorized", "unauthorized", "Unauthorized"],
    [
      409,
      "Conflict",
      "conflict",
      'Operation cannot be fulfilled on deployments.apps "web": the object has been modified; please apply your changes to the latest version and try again',
    ],
    [429, "TooManyRequests", "throttled", "too many requests"],
    [500, "InternalError", "badAnswer", "etcd is having a bad day"],
    [503, "ServiceUnavailable", "unreachable", "the server is currently unable to handle the request"],
  ])("a Status of %i has the server's words", async (code, reason, kind, message) => {
    server.reply = discovering((_request, response) => json(response, code, status(code, reason, message)));
    await expect((await connect()).getScale(web, soon())).rejects.toMatchObject({ kind, message, status: code });
  });

  test("a Status with a very long message is cut", async () => {
    server.reply = discovering((_request, response) =>
      json(response, 403, status(403, "Forbidden", "x".repeat(40_000))),
    );
    await expect((await connect()).getScale(web, soon())).rejects.toMatchObject({ message: `${"x".repeat(2_000)}…` });
  });

  test("a server that repeats the token in its Status does not get it into a message", async () => {
    server.reply = discovering(({ headers }, response) =>
      json(response, 403, status(403, "Forbidden", `you sent ${headers.authorization}`)),
    );
    await expect((await connect()).getScale(web, soon())).rejects.toMatchObject({
      kind: "forbidden",
      status: 403,
      message: "you sent [redacted]",
    });
  });

  test("a content type is no place for text", async () => {
    server.reply = discovering(({ headers }, response) => {
      response.writeHead(500, { "content-type": `text/${"x".repeat(500)} ${headers.authorization}` }).end("no");
    });
    await expect((await connect()).getScale(web, soon())).rejects.toThrow(
      `an error on the server (status 500, text/${"x".repeat(75)}, 2 bytes) has prevented`,
    );
  });

  test.each([
    [404, "the server could not find the requested resource (get deployments web)"],
    [401, "the server has asked for the client to provide credentials (get deployments web)"],
    [
      403,
      'deployments.apps "web" is forbidden: cannot get resource "deployments/scale" in API group "apps" in the namespace "shop": status 403, text/html, 15 bytes',
    ],
    [418, "the server responded with the status code 418 but did not return more information (get deployments web)"],
    [
      500,
      "an error on the server (status 500, text/html, 15 bytes) has prevented the request from succeeding (get deployments web)",
    ],
    [302, /expected the API server's answer, got a redirection \(302\) to https:\/\/login\.example/],
  ])("a proxy's %i without a Status names verb and resource", async (code, message) => {
    server.reply = discovering((_request, response) => {
      response.writeHead(code, { "content-type": "text/html", location: "https://login.example" });
      response.end("<html>no</html>");
    });
    await expect((await connect()).getScale(web, soon())).rejects.toThrow(message);
  });

  test.each([
    [
      "HTML",
      "text/html",
      "<html>please log in</html>",
      "expected JSON of kind Scale, got status 200, text/html, 26 bytes (get deployments.apps/scale web in namespace shop)",
    ],
    [
      "nothing",
      "application/json",
      "",
      "expected JSON of kind Scale, got status 200, application/json, empty (get deployments.apps/scale web in namespace shop)",
    ],
    [
      "a list",
      "application/json",
      "[]",
      "expected an object of kind Scale, got status 200, application/json, 2 bytes (get deployments.apps/scale web in namespace shop)",
    ],
    [
      "null",
      "application/json",
      "null",
      "expected an object of kind Scale, got status 200, application/json, 4 bytes (get deployments.apps/scale web in namespace shop)",
    ],
    ["an error in a 200", "application/json", '{"error":"no"}', /expected an object of kind Scale/],
    [
      "a Status in a 200",
      "application/json",
      '{"kind":"Status","status":"Failure"}',
      /expected an object of kind Scale/,
    ],
  ])("a 200 with %s is never data", async (_name, type, body, message) => {
    server.reply = discovering((_request, response) => {
      response.writeHead(200, { "content-type": type });
      response.end(body);
    });
    const read = (await connect()).getScale(web, soon());
    await expect(read).rejects.toMatchObject({ kind: "badAnswer" });
    await read.catch((error: Fault) =>
      expect(error.message).toEqual(typeof message === "string" ? message : expect.stringMatching(message)),
    );
  });
});

describe("the scales of a run", () => {
  let server: TestServer;
  let objects: unknown[];
  let listAnswer: (request: Received, response: ServerResponse) => void;
  const clock = { now: Date.UTC(2026, 2, 1, 12) };
  const clusters = clustersWith({ now: () => clock.now });
  const connect = () => clusters.connect(entry(server.url), soon());
  const collection = (namespace = "shop") => `/apis/apps/v1/namespaces/${namespace}/deployments`;

  const named = (count: number, namespace = "shop") =>
    Array.from({ length: count }, (_, index) => ({ ...web, name: `web-${index}`, namespace }));
  const object = ({ name, namespace }: typeof web, more: object = {}) => ({
    metadata: { name, namespace, uid: `u-${name}`, resourceVersion: "90", managedFields: [{ manager: "x" }] },
    spec: { replicas: 3, selector: { matchLabels: { app: name } }, template: {} },
    status: { replicas: 2 },
    ...more,
  });
  const listOf = (items: unknown, metadata: object = { resourceVersion: "100" }) => ({
    ...{ kind: "DeploymentList", apiVersion: "apps/v1", metadata, items },
  });
  /** A GET says 7 replicas, a list 3. */
  const read = (cluster: Cluster, targets: readonly (typeof web)[], turn: ScaleBatch = { targets }) => {
    const limit = soon();
    return Promise.all(targets.map((target) => cluster.getScale(target, limit, turn)));
  };
  const replicasOf = (scales: readonly Scale[]) => [...new Set(scales.map(({ spec }) => spec.replicas))];
  const asked = () => {
    const paths = server.received.map(({ url }) => new URL(url, "http://x").pathname);
    const lists = paths.filter((path) => path.endsWith("/deployments"));
    return { lists, gets: paths.filter((path) => path.endsWith("/scale")).length };
  };

  beforeEach(async () => {
    objects = [];
    listAnswer = (_request, response) => json(response, 200, listOf(objects));
    server = await startServer(
      discovering((request, response) =>
        new URL(request.url, "http://x").pathname.endsWith("/deployments")
          ? listAnswer(request, response)
          : json(response, 200, scale(7)),
      ),
    );
  });
  afterEach(async () => {
    clusters.close();
    await server.stop();
  });

  test("come from one list of their kind, which is as fresh as a GET and bounded", async () => {
    const targets = named(25);
    objects = targets.map((target) => object(target));
    const scales = await read(await connect(), targets);
    expect(scales[4]).toEqual({
      ...{ apiVersion: "autoscaling/v1", kind: "Scale", spec: { replicas: 3 } },
      metadata: { name: "web-4", namespace: "shop", uid: "u-web-4", resourceVersion: "90" },
      status: { replicas: 2, selector: "app=web-4" },
    });
    expect(asked()).toEqual({ lists: [collection()], gets: 0 });
    // Without resourceVersion: what is stored now. `resourceVersion=0` may be any older version.
    expect(server.received.at(-1)?.url).toBe(`${collection()}?limit=200`);
  });

  test("of several namespaces come from one list of all; 19 are read one by one", async () => {
    const targets = [...named(10, "a"), ...named(10, "b")];
    objects = targets.map((target) => object(target));
    const cluster = await connect();
    expect(replicasOf(await read(cluster, targets))).toEqual([3]);
    expect(asked()).toEqual({ lists: ["/apis/apps/v1/deployments"], gets: 0 });
    expect(replicasOf(await read(cluster, targets.slice(1)))).toEqual([7]);
    expect(asked()).toEqual({ lists: ["/apis/apps/v1/deployments"], gets: 19 });
  });

  test("without the right to list are read one by one, and the lists are not tried again for five minutes", async () => {
    listAnswer = (_request, response) => json(response, 403, status(403, "Forbidden", "deployments.apps is forbidden"));
    const targets = [...named(25, "a"), ...named(5, "b")];
    const cluster = await connect();
    expect(replicasOf(await read(cluster, targets))).toEqual([7]);
    const refused = ["/apis/apps/v1/deployments", collection("a")];
    expect(asked()).toEqual({ lists: refused, gets: 30 });
    clock.now += 299_999;
    expect(replicasOf(await read(cluster, targets))).toEqual([7]);
    expect(asked()).toEqual({ lists: refused, gets: 60 });
    clock.now += 1;
    await read(cluster, targets);
    expect(asked()).toEqual({ lists: [...refused, ...refused], gets: 90 });
  });

  test("without the right to list in one namespace are still listed in another", async () => {
    listAnswer = ({ url }, response) =>
      url.startsWith(collection("a"))
        ? json(response, 403, status(403, "Forbidden", "no"))
        : json(response, 200, listOf(named(20, "b").map((target) => object(target))));
    const cluster = await connect();
    await read(cluster, named(20, "a"));
    expect(replicasOf(await read(cluster, named(20, "b")))).toEqual([3]);
    expect(asked()).toEqual({ lists: [collection("a"), collection("b")], gets: 20 });
  });

  test("are listed again after a clock that was set back", async () => {
    listAnswer = (_request, response) => json(response, 403, status(403, "Forbidden", "no"));
    const cluster = await connect();
    await read(cluster, named(25));
    clock.now -= 3_600_000;
    await read(cluster, named(25));
    expect(asked().lists).toEqual([collection(), collection()]);
  });

  test("that are missing in the list of all come from their namespace's, 20 of them", async () => {
    const targets = [...named(20, "a"), ...named(19, "b")];
    objects = targets.map((target) => object(target));
    listAnswer = ({ url }, response) =>
      json(response, 200, listOf(url.includes("/namespaces/") ? objects.slice(0, 20) : []));
    await read(await connect(), targets);
    expect(asked()).toEqual({ lists: ["/apis/apps/v1/deployments", collection("a")], gets: 19 });
  });

  test("with the right to list in one namespace are read by its list", async () => {
    const targets = [...named(25, "a"), ...named(5, "b")];
    objects = targets.map((target) => object(target));
    listAnswer = ({ url }, response) =>
      url.startsWith(collection("a"))
        ? json(response, 200, listOf(objects.slice(0, 25)))
        : json(response, 403, status(403, "Forbidden", "no"));
    await read(await connect(), targets);
    expect(asked()).toEqual({ lists: ["/apis/apps/v1/deployments", collection("a")], gets: 5 });
  });

  test("among too many others: what the list has is used, the rest is read one by one, and the next run asks no list", async () => {
    const targets = named(25);
    objects = targets.slice(0, 20).map((target) => object(target));
    listAnswer = (_request, response) =>
      json(response, 200, listOf(objects, { resourceVersion: "100", continue: "x" }));
    const cluster = await connect();
    expect((await read(cluster, targets)).filter(({ spec }) => spec.replicas === 7)).toHaveLength(5);
    expect(asked()).toEqual({ lists: [collection()], gets: 5 });
    await read(cluster, targets);
    expect(asked()).toEqual({ lists: [collection()], gets: 30 });
  });

  test.each([
    { others: 56, lists: ["/apis/apps/v1/deployments"], gets: 0 },
    { others: 57, lists: [collection("a"), collection("b")], gets: 5 },
  ])(
    "of several namespaces, among $others others, come from what costs least next time",
    async ({ others, ...next }) => {
      const targets = [...named(25, "a"), ...named(25, "b"), ...named(5, "c")];
      const all = [...targets, ...named(others, "elsewhere"), ...named(40, "c").slice(5)].map((one) => object(one));
      listAnswer = ({ url }, response) => {
        const [, namespace] = /namespaces\/([^/]+)/.exec(url) ?? [];
        const asked = all.filter(({ metadata }) => namespace === undefined || namespace === metadata.namespace);
        json(response, 200, listOf(asked));
      };
      const cluster = await connect();
      const first = { lists: ["/apis/apps/v1/deployments"], gets: 0 };
      expect(replicasOf(await read(cluster, targets))).toEqual([3]);
      expect(asked()).toEqual(first);
      await read(cluster, targets);
      expect(asked()).toEqual({ lists: [...first.lists, ...next.lists], gets: next.gets });
      clock.now += 300_000;
      await read(cluster, targets);
      expect(asked()).toEqual({ lists: [...first.lists, ...next.lists, ...first.lists], gets: next.gets });
    },
  );

  test("of several namespaces come from one list among as many others, even if lists of each would cost less", async () => {
    const targets = [...named(100, "a"), ...named(100, "b")];
    objects = [...targets, ...named(200, "elsewhere")].map((target) => object(target));
    const cluster = await connect();
    await read(cluster, targets);
    await read(cluster, targets);
    expect(asked()).toEqual({ lists: ["/apis/apps/v1/deployments", "/apis/apps/v1/deployments"], gets: 0 });
  });

  test.each<[string, object]>([
    ["is not in the list", { metadata: { name: "other", namespace: "shop" } }],
    ["is there twice", { twice: true }],
    ["is in another namespace", { metadata: { name: "web-0", namespace: "evil", uid: "u", resourceVersion: "1" } }],
    ["has no uid", { metadata: { name: "web-0", namespace: "shop", resourceVersion: "1" } }],
    ["has no resourceVersion", { metadata: { name: "web-0", namespace: "shop", uid: "u" } }],
    ["has no replicas", { spec: { selector: { matchLabels: { a: "b" } } } }],
    ["has half a replica", { spec: { replicas: 0.5, selector: { matchLabels: { a: "b" } } } }],
    ["has a text for its status", { status: { replicas: "3" } }],
    ["has no selector", { spec: { replicas: 3 } }],
    ["has a text for a selector", { spec: { replicas: 3, selector: "app=web" } }],
    ["has an impossible selector", { spec: { replicas: 3, selector: { matchLabels: { "a b": "c" } } } }],
    ["has a strange expression", { spec: { replicas: 3, selector: { matchExpressions: [{ key: {} }] } } }],
    [
      "has an unknown operator",
      { spec: { replicas: 3, selector: { matchExpressions: [{ key: "a", operator: "X" }] } } },
    ],
    ["has null members", { metadata: null, spec: null, status: null }],
  ])("a target that %s is read alone", async (_name, more) => {
    const targets = named(25);
    const [first] = targets;
    objects = targets.map((target, index) => object(target, index === 0 ? more : {}));
    if ("twice" in more) objects.push(object(first!, { spec: { replicas: 9, selector: { matchLabels: { a: "b" } } } }));
    const scales = await read(await connect(), targets);
    expect(scales.map(({ spec }) => spec.replicas)).toEqual([7, ...targets.slice(1).map(() => 3)]);
    expect(asked().gets).toBe(1);
  });

  test.each<[string, (response: ServerResponse) => void]>([
    ["HTML", (response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>")],
    ["another kind", (response) => json(response, 200, { ...listOf(objects), kind: "PodList" })],
    ["no items", (response) => json(response, 200, listOf("none"))],
    ["items that are no objects", (response) => json(response, 200, listOf(["a", 1, null, []]))],
    ["no version", (response) => json(response, 200, listOf(objects, {}))],
    ["a version that is no number", (response) => json(response, 200, listOf(objects, { resourceVersion: "new" }))],
    ["an error", (response) => json(response, 500, status(500, "InternalError", "no"))],
    ["a broken connection", (response) => response.destroy()],
  ])("a list that is %s decides nothing", async (_name, answer) => {
    const targets = named(25);
    objects = targets.map((target) => object(target));
    listAnswer = (_request, response) => answer(response);
    expect(replicasOf(await read(await connect(), targets))).toEqual([7]);
    expect(asked().gets).toBe(25);
  });

  test("a list that is older than the last one, or than an answered write, is not used", async () => {
    const targets = named(25);
    objects = targets.map((target) => object(target));
    const cluster = await connect();
    expect(replicasOf(await read(cluster, targets))).toEqual([3]);
    listAnswer = (_request, response) => json(response, 200, listOf(objects, { resourceVersion: "99" }));
    expect(replicasOf(await read(cluster, targets))).toEqual([7]);
    clock.now += 300_000;
    // An old list changes nothing about what the newest one was.
    expect(replicasOf(await read(cluster, targets))).toEqual([7]);
    clock.now += 300_000;
    listAnswer = (_request, response) => json(response, 200, listOf(objects, { resourceVersion: "109" }));
    expect(replicasOf(await read(cluster, targets))).toEqual([3]);
    server.reply = ((before) => (request: Received, response: ServerResponse) =>
      request.method === "PUT" ? json(response, 200, scale(9, "110")) : before(request, response))(server.reply);
    await cluster.putScale(targets[0]!, scale(9), soon());
    expect(replicasOf(await read(cluster, targets))).toEqual([7]);
  });

  test("each call of a run gets a scale of its own, and outside its turn a target is read again", async () => {
    const targets = named(25);
    objects = targets.map((target) => object(target));
    const cluster = await connect();
    const turn = { targets };
    await read(cluster, targets, turn);
    const [one, other] = await read(cluster, [targets[0]!, targets[0]!], turn);
    expect(one).toEqual(other);
    expect(one).not.toBe(other);
    expect(asked()).toEqual({ lists: [collection()], gets: 0 });
    expect((await cluster.getScale(targets[0]!, soon())).spec.replicas).toBe(7);
  });

  test("a run that is given up ends its list, and the next run asks again", async () => {
    const targets = named(25);
    objects = targets.map((target) => object(target));
    const cluster = await connect();
    const ending = new AbortController();
    listAnswer = () => ending.abort(new Error("the turn is over"));
    const turn = { targets };
    const reads = await Promise.allSettled(targets.map((target) => cluster.getScale(target, ending.signal, turn)));
    expect(reads.every(({ status }) => status === "rejected")).toBe(true);
    listAnswer = (_request, response) => json(response, 200, listOf(objects));
    expect(replicasOf(await read(cluster, targets))).toEqual([3]);
  });

  test("kinds without a list of their own form, and targets that nobody serves, do not disturb the others", async () => {
    const targets = named(25);
    objects = targets.map((target) => object(target));
    const workers = named(25).map((target) => ({ ...target, apiVersion: "example.com/v2", kind: "Worker" }));
    const nothing = { ...web, kind: "Nothing" };
    const turn = { targets: [nothing, ...workers, ...targets, { ...web, apiVersion: "a/b/c" }] };
    const cluster = await connect();
    const limit = soon();
    expect(replicasOf(await read(cluster, workers, turn))).toEqual([7]);
    expect(replicasOf(await read(cluster, targets, turn))).toEqual([3]);
    await expect(cluster.getScale(nothing, limit, turn)).rejects.toMatchObject({ kind: "notFound" });
    await expect(cluster.getScale({ ...web, apiVersion: "a/b/c" }, limit, turn)).rejects.toMatchObject({
      kind: "badEntry",
    });
    expect(asked()).toEqual({ lists: [collection()], gets: 25 });
  });
});
