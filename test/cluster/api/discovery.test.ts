import { aggregated, core, json, scale, startServer, status, type Reply, type TestServer } from "../api-server";
import { clustersWith, entry, soon, web } from "../connect";

describe("discovery", () => {
  let server: TestServer;
  let now: number;
  let documents: Record<string, unknown>;
  const clusters = () => clustersWith({ now: () => now });
  const opened: { close(): void }[] = [];

  const serve: Reply = ({ url }, response) => {
    const document = documents[url];
    if (document !== undefined) return json(response, 200, document);
    if (url.endsWith("/scale")) return json(response, 200, scale(3));
    response.writeHead(404, { "content-type": "text/plain" });
    response.end("404 page not found\n");
  };
  const connect = async () => {
    const all = clusters();
    opened.push(all);
    return all.connect(entry(server.url), soon());
  };
  const asked = () => server.received.map(({ url }) => url).filter((url) => !url.endsWith("/scale"));

  beforeEach(async () => {
    now = Date.UTC(2026, 2, 1, 12);
    documents = { "/apis": aggregated, "/api/v1": core };
    server = await startServer(serve);
  });
  afterEach(async () => {
    opened.splice(0).forEach((each) => each.close());
    await server.stop();
  });

  test("one document serves all groups, asked for in the aggregated form", async () => {
    const cluster = await connect();
    await cluster.getScale(web, soon());
    await cluster.getScale({ ...web, apiVersion: "example.com/v1", kind: "Worker" }, soon());
    expect(asked()).toEqual(["/apis"]);
    expect(server.received[0]?.headers.accept).toBe(
      "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json",
    );
  });

  test("concurrent requests share one read", async () => {
    const cluster = await connect();
    await Promise.all(Array.from({ length: 20 }, () => cluster.getScale(web, soon())));
    expect(asked()).toEqual(["/apis"]);
  });

  test("is kept for ten minutes", async () => {
    const cluster = await connect();
    await cluster.getScale(web, soon());
    now += 600_000;
    await cluster.getScale(web, soon());
    expect(asked()).toHaveLength(1);
    now += 1;
    await cluster.getScale(web, soon());
    expect(asked()).toHaveLength(2);
  });

  test("is read again when the clock was set back, since its age is unknown then", async () => {
    const cluster = await connect();
    await cluster.getScale(web, soon());
    now -= 3_600_000;
    await cluster.getScale(web, soon());
    expect(asked()).toHaveLength(2);
  });

  test("a kind that has just come is found at once, an absent one asks every 30 s at most", async () => {
    const cluster = await connect();
    const queue = { ...web, apiVersion: "new.example/v1", kind: "Queue" };
    const worker = { ...web, apiVersion: "example.com/v1", kind: "Worker" };
    await cluster.getScale(worker, soon());
    now += 31_000;
    await expect(cluster.getScale(queue, soon())).rejects.toMatchObject({ kind: "notFound" });
    expect(asked()).toHaveLength(2);
    await expect(cluster.getScale(queue, soon())).rejects.toMatchObject({ kind: "notFound" });
    now += 30_000;
    await expect(cluster.getScale(queue, soon())).rejects.toMatchObject({ kind: "notFound" });
    expect(asked()).toHaveLength(2);
    const workers = aggregated.items.find(({ metadata }) => metadata.name === "example.com");
    documents["/apis"] = { ...aggregated, items: [{ ...workers, metadata: { name: "new.example" } }] };
    now += 1;
    await expect(cluster.getScale(queue, soon())).rejects.toThrow('no matches for kind "Queue" in group "new.example"');
    expect((await cluster.getScale({ ...queue, kind: "Worker" }, soon())).spec.replicas).toBe(3);
    expect(asked()).toHaveLength(3);
  });

  describe("of a server that does not aggregate", () => {
    const groupList = {
      kind: "APIGroupList",
      groups: [
        {
          name: "apps",
          versions: [{ version: "v1beta1" }, { version: "v1" }],
          preferredVersion: { groupVersion: "apps/v1", version: "v1" },
        },
        { name: "broken.example", versions: [{ version: "v1" }], preferredVersion: { version: "v1" } },
      ],
    };
    const resources = (names: readonly string[]) => ({
      kind: "APIResourceList",
      resources: names.map((name) => ({ name, kind: name.startsWith("deployments") ? "Deployment" : "Other" })),
    });

    beforeEach(() => {
      documents = {
        "/apis": groupList,
        "/apis/apps/v1": resources(["deployments", "deployments/scale", "deployments/status"]),
        "/apis/apps/v1beta1": resources(["deployments"]),
      };
    });

    test("the groups that are needed are asked for one by one, and kept", async () => {
      const cluster = await connect();
      await cluster.getScale(web, soon());
      await cluster.getScale(web, soon());
      expect([...asked()].sort()).toEqual(["/apis", "/apis/apps/v1", "/apis/apps/v1beta1"]);
      expect(server.received.at(-1)?.url).toBe("/apis/apps/v1/namespaces/shop/deployments/web/scale");
    });

    test("a group whose server is down has no kinds", async () => {
      const kind = { ...web, apiVersion: "broken.example/v1", kind: "Thing" };
      await expect((await connect()).getScale(kind, soon())).rejects.toThrow(
        'no matches for kind "Thing" in group "broken.example"',
      );
    });
  });

  test("that is forbidden rejects with the server's words", async () => {
    server.reply = (_request, response) =>
      json(response, 403, status(403, "Forbidden", 'forbidden: User "u" cannot get path "/apis"'));
    await expect((await connect()).getScale(web, soon())).rejects.toMatchObject({
      kind: "forbidden",
      message: 'forbidden: User "u" cannot get path "/apis"',
    });
  });

  test("a run that ends while it is read has run out of time, and the next one reads it", async () => {
    const cluster = await connect();
    const run = new AbortController();
    server.reply = () => run.abort(new Error("the slot's time is up"));
    await expect(cluster.getScale(web, run.signal)).rejects.toMatchObject({
      kind: "timeout",
      message: "expected what the API server serves, got no answer: the slot's time is up",
    });
    server.reply = serve;
    expect((await cluster.getScale(web, soon())).spec.replicas).toBe(3);
  });

  test("of one name in several versions, the preferred with /scale counts; names with /scale go first", async () => {
    const resource = (name: string, scaled: boolean) => ({
      ...{ resource: name, responseKind: { kind: "Thing" } },
      subresources: scaled ? [{ subresource: "scale", responseKind: { kind: "Scale" } }] : [],
    });
    const versions = [
      { version: "v3", resources: [resource("a", false), resource("b", false)] },
      { version: "v2", resources: [resource("b", true)] },
      { version: "v1", resources: [resource("a", false), resource("b", true)] },
    ];
    documents["/apis"] = { ...aggregated, items: [{ metadata: { name: "things" }, versions }] };
    const found = await (await connect()).discovery.resources("things", "Thing", soon());
    expect(found.map(({ resource, version, hasScale }) => [resource, version, hasScale])).toEqual([
      ["b", "v2", true],
      ["a", "v3", false],
    ]);
  });

  test("the versions of a group are asked for again at most every 30 s while it is not served", async () => {
    const { discovery } = await connect();
    expect(await discovery.versions("example.com", soon())).toEqual(["v2", "v1"]);
    expect(await discovery.versions("none", soon())).toEqual([]);
    expect(asked()).toHaveLength(1);
    now += 30_001;
    expect(await discovery.versions("none", soon())).toEqual([]);
    expect(await discovery.versions("example.com", soon())).toEqual(["v2", "v1"]);
    expect(asked()).toHaveLength(2);
  });

  test("that failed is retried by the next call", async () => {
    const cluster = await connect();
    server.reply = (_request, response) => json(response, 500, status(500, "x", "no"));
    await expect(cluster.getScale(web, soon())).rejects.toMatchObject({ kind: "badAnswer" });
    server.reply = serve;
    expect((await cluster.getScale(web, soon())).spec.replicas).toBe(3);
  });

  test.each([
    ["without items", { kind: "APIGroupDiscoveryList" }],
    ["with malformed items", { kind: "APIGroupDiscoveryList", items: [null, 1, "x", {}, { versions: [{}] }] }],
  ])("an answer %s holds no kinds", async (_name, document) => {
    documents["/apis"] = document;
    await expect((await connect()).getScale(web, soon())).rejects.toThrow(
      'no matches for kind "Deployment" in group "apps"',
    );
  });
});
