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

  test("half-made ones have what they have", async () => {
    server.reply = (_request, response) =>
      json(response, 200, { kind: "PodList", items: [{ metadata: { name: "p" } }] });
    expect(await (await connect()).listPods("shop", "", soon())).toEqual([
      { metadata: { name: "p" }, spec: {}, status: { conditions: [] } },
    ]);
  });

  test.each([
    ["items that are no list", {}, "pods: expected items as a list, got {}"],
    ["an item that is null", [served, null], "pods: expected items[1] as an object, got null"],
    ["an item without metadata", [{ spec: {} }], "pods: expected items[0].metadata.name, got undefined"],
  ])("%s are no answer", async (_name, items, message) => {
    server.reply = (_request, response) => json(response, 200, { kind: "PodList", items });
    await expect((await connect()).listPods("shop", "", soon())).rejects.toMatchObject({ kind: "badAnswer", message });
  });

  test("a list of something else is no answer", async () => {
    server.reply = (_request, response) => json(response, 200, { kind: "ServiceList", items: [] });
    await expect((await connect()).listPods("shop", "", soon())).rejects.toMatchObject({ kind: "badAnswer" });
  });
});
