import { discovering, json, startServer, type TestServer } from "../api-server";
import { clustersWith, entry, soon } from "../connect";

const served = {
  metadata: {
    name: "web-1",
    namespace: "shop",
    uid: "u1",
    resourceVersion: "5",
    labels: { app: "web" },
    annotations: { long: "x" },
    managedFields: [{ manager: "kubelet" }],
    deletionTimestamp: "2026-03-01T12:00:00Z",
  },
  spec: {
    nodeName: "n1",
    volumes: [{ name: "v" }],
    resources: { requests: { cpu: "1" }, limits: { cpu: "2" } },
    containers: [{ name: "app", image: "i", env: [], resources: { requests: { cpu: "100m" }, limits: { cpu: "1" } } }],
    initContainers: [
      { name: "side", restartPolicy: "Always", resources: { requests: { cpu: "10m" } } },
      { name: "once" },
    ],
  },
  status: {
    phase: "Running",
    startTime: "2026-03-01T11:00:00Z",
    podIP: "10.0.0.1",
    containerStatuses: [{ name: "app" }],
    conditions: [
      { type: "PodScheduled", status: "True" },
      { type: "Ready", status: "True", reason: "r", message: "m", lastTransitionTime: "2026-03-01T11:00:05Z" },
    ],
  },
};

describe("pods", () => {
  let server: TestServer;
  const clusters = clustersWith();
  const connect = () => clusters.connect(entry(server.url), soon());

  beforeEach(async () => {
    server = await startServer(
      discovering((_request, response) => json(response, 200, { kind: "PodList", metadata: {}, items: [served] })),
    );
  });
  afterEach(async () => {
    clusters.close();
    await server.stop();
  });

  test("are cut to what a decision reads", async () => {
    expect(await (await connect()).listPods("shop", "app=web", soon())).toEqual([
      {
        metadata: {
          name: "web-1",
          namespace: "shop",
          uid: "u1",
          labels: { app: "web" },
          deletionTimestamp: "2026-03-01T12:00:00Z",
        },
        spec: {
          resources: { requests: { cpu: "1" } },
          containers: [{ name: "app", resources: { requests: { cpu: "100m" } } }],
          initContainers: [
            { name: "side", restartPolicy: "Always", resources: { requests: { cpu: "10m" } } },
            { name: "once" },
          ],
        },
        status: {
          phase: "Running",
          startTime: "2026-03-01T11:00:00Z",
          conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2026-03-01T11:00:05Z" }],
        },
      },
    ]);
  });

  test.each([
    ["", "/api/v1/namespaces/shop/pods?resourceVersion=0"],
    [
      "app=web,tier in (a,b)",
      "/api/v1/namespaces/shop/pods?labelSelector=app%3Dweb%2Ctier+in+%28a%2Cb%29&resourceVersion=0",
    ],
  ])("by selector %j are asked for from the server's cache", async (selector, url) => {
    await (await connect()).listPods("shop", selector, soon());
    expect(server.received.at(-1)?.url).toBe(url);
    expect(server.received.at(-1)?.headers["accept-encoding"]).toBe("gzip");
  });

  test("are read page by page, later pages without a resourceVersion", async () => {
    const pages = ["next page", ""];
    server.reply = (_request, response) =>
      json(response, 200, { kind: "PodList", metadata: { continue: pages.shift() }, items: [served] });
    expect(await (await connect()).listPods("shop", "app=web", soon())).toHaveLength(2);
    expect(server.received.at(-1)?.url).toBe("/api/v1/namespaces/shop/pods?labelSelector=app%3Dweb&continue=next+page");
  });

  test("no pods are an empty list, and so is null", async () => {
    server.reply = (_request, response) => json(response, 200, { kind: "PodList", items: null });
    expect(await (await connect()).listPods("shop", "", soon())).toEqual([]);
  });

  test("labels and containers may have the names of what nobody reads", async () => {
    const labels = { env: "prod", annotations: "none", ports: "443", args: "" };
    const containers = ["env", "volumes"].map((name) => ({ name, resources: { requests: { cpu: "1" }, limits: {} } }));
    const pod = { metadata: { name: "volumes", labels, annotations: labels }, spec: { containers, volumes: [{}] } };
    server.reply = (_request, response) => json(response, 200, { kind: "PodList", items: [pod] });
    expect(await (await connect()).listPods("shop", "", soon())).toEqual([
      {
        metadata: { name: "volumes", labels },
        spec: { containers: ["env", "volumes"].map((name) => ({ name, resources: { requests: { cpu: "1" } } })) },
        status: { conditions: [] },
      },
    ]);
  });

  test("incomplete pods keep the fields that they have", async () => {
    server.reply = (_request, response) =>
      json(response, 200, { kind: "PodList", items: [{ metadata: { name: "p" } }] });
    expect(await (await connect()).listPods("shop", "", soon())).toEqual([
      { metadata: { name: "p" }, spec: {}, status: { conditions: [] } },
    ]);
  });

  test.each([
    ["items that are no list", {}, "pods: expected items as a list, got {}"],
    ["items that are text", "x".repeat(300), `pods: expected items as a list, got "${"x".repeat(199)}`],
  ])("%s are no answer", async (_name, items, message) => {
    server.reply = (_request, response) => json(response, 200, { kind: "PodList", items });
    await expect((await connect()).listPods("shop", "", soon())).rejects.toMatchObject({ kind: "badAnswer", message });
  });

  const anybodys = { metadata: { name: "<unreadable>" }, unreadable: true };
  const webs = { metadata: { name: "<unreadable>", labels: { app: "web" } }, unreadable: true };
  const good = { metadata: { name: "p", labels: { app: "web" } } };
  test.each<[string, unknown, unknown]>([
    ["null", null, anybodys],
    ["text", "pod", anybodys],
    ["a list", [good], anybodys],
    ["an empty object", {}, anybodys],
    ["null metadata", { metadata: null }, anybodys],
    ["no name", { metadata: { labels: { app: "web" } } }, anybodys],
    ["a name that no pod has", { metadata: { name: "x".repeat(254) } }, anybodys],
    ["labels that are a list", { metadata: { name: "p", labels: ["app"] } }, anybodys],
    ["a label that is a number", { metadata: { name: "p", labels: { app: 1 } } }, anybodys],
    ["a spec that is text", { ...good, spec: "x" }, webs],
    ["containers that are an object", { ...good, spec: { containers: {} } }, webs],
    ["a container that is null", { ...good, spec: { containers: [null] } }, webs],
    ["a request that is no quantity", { ...good, spec: { resources: { requests: { cpu: "much" } } } }, webs],
    ["a request of a million digits", { ...good, spec: { overhead: { cpu: "9".repeat(1_000_000) } } }, webs],
    ["a status that is a list", { ...good, status: [] }, webs],
    ["a start that is no time", { ...good, status: { startTime: "yesterday" } }, webs],
    [
      "a condition since no time",
      { ...good, status: { conditions: [{ type: "Ready", status: "True", lastTransitionTime: 5 }] } },
      webs,
    ],
    ["a condition without a status", { ...good, status: { conditions: [{ type: "Ready" }] } }, webs],
  ])("one that is %s costs only itself: it is a pod without metrics, not absent", async (_name, item, expected) => {
    server.reply = (_request, response) => json(response, 200, { kind: "PodList", items: [served, item, served] });
    const pods = await (await connect()).listPods("shop", "app=web", soon());
    expect(pods.map(({ metadata }) => metadata.name)).toEqual(["web-1", "<unreadable>", "web-1"]);
    expect(pods[1]).toEqual(expected);
  });

  test.each([
    [
      "null instead of absent",
      { metadata: { name: "p", labels: null, deletionTimestamp: null }, spec: null, status: null },
    ],
    ["nothing but a name", { metadata: { name: "p" } }],
  ])("one with %s is a pod", async (_name, item) => {
    server.reply = (_request, response) => json(response, 200, { kind: "PodList", items: [item] });
    const pods = await (await connect()).listPods("shop", "app=web", soon());
    expect(pods).toEqual([{ metadata: { name: "p" }, spec: {}, status: { conditions: [] } }]);
  });

  test("the overhead of running a pod is part of its request", async () => {
    const spec = { resources: { requests: { cpu: "1" } }, overhead: { cpu: "250m" } };
    server.reply = (_request, response) =>
      json(response, 200, { kind: "PodList", items: [{ metadata: { name: "p" }, spec }] });
    expect((await (await connect()).listPods("shop", "", soon()))[0]?.spec).toEqual(spec);
  });

  const page = (token: unknown) => ({ kind: "PodList", metadata: { continue: token }, items: [served] });
  const incomplete = async (message: string) => {
    await expect((await connect()).listPods("shop", "", soon())).rejects.toMatchObject({ kind: "badAnswer", message });
  };

  test("pages without an end are no answer, never a complete list", async () => {
    let pages = 0;
    server.reply = discovering((_request, response) => json(response, 200, page(`page ${++pages}`)));
    await incomplete("pods: expected at most 200 pages, got more");
    expect(pages).toBe(200);
  });

  test.each([
    ["the same token again", ["a", "a"]],
    ["a token of an earlier page", ["a", "b", "c", "b"]],
  ])("a page with %s is no answer", async (_name, tokens) => {
    const left = [...tokens];
    server.reply = discovering((_request, response) => json(response, 200, page(left.shift())));
    await incomplete("pods: expected each page to have its own continue token, got the same one again");
    expect(left).toEqual([]);
  });

  test("a token that is not text is no answer", async () => {
    server.reply = discovering((_request, response) => json(response, 200, page({ a: 1 })));
    await incomplete('pods: expected metadata.continue as text, got {"a":1}');
  });

  test("a page that has expired starts the list once more, but only once", async () => {
    const gone = {
      kind: "Status",
      code: 410,
      reason: "Expired",
      message: "The provided continue parameter is too old",
    };
    let expired = 1;
    server.reply = discovering(({ url }, response) => {
      if (!url.includes("continue")) json(response, 200, page("x"));
      else if (expired-- > 0) json(response, 410, gone);
      else json(response, 200, page(""));
    });
    expect(await (await connect()).listPods("shop", "", soon())).toHaveLength(2);
    expired = 2;
    await expect((await connect()).listPods("shop", "", soon())).rejects.toMatchObject({ status: 410 });
  });

  test("a list of something else is no answer", async () => {
    server.reply = (_request, response) => json(response, 200, { kind: "ServiceList", items: [] });
    await expect((await connect()).listPods("shop", "", soon())).rejects.toMatchObject({ kind: "badAnswer" });
  });
});
