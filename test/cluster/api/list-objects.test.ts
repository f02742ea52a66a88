import { discovering, json, startServer, type TestServer } from "../api-server";
import { clustersWith, entry, soon } from "../connect";

describe("objects of a resource", () => {
  let server: TestServer;
  const clusters = clustersWith();
  const hpas = {
    group: "autoscaling",
    version: "v2",
    resource: "horizontalpodautoscalers",
    kind: "HorizontalPodAutoscaler",
  };
  const list = async (namespace?: string) =>
    (await clusters.connect(entry(server.url), soon())).listObjects(
      { ...hpas, ...(namespace && { namespace }) },
      soon(),
    );
  const page = (names: readonly string[], next?: string) => ({
    kind: "HorizontalPodAutoscalerList",
    apiVersion: "autoscaling/v2",
    metadata: { ...(next && { continue: next }) },
    items: names.map((name) => ({ metadata: { name } })),
  });
  const gone = { kind: "Status", code: 410, reason: "Expired", message: "The provided continue parameter is too old" };

  beforeEach(async () => {
    server = await startServer(() => undefined);
  });
  afterEach(async () => {
    clusters.close();
    await server.stop();
  });

  test("come page by page, each with its kind", async () => {
    server.reply = discovering(({ url }, response) =>
      json(response, 200, url.includes("continue=x%2F1") ? page(["b"]) : page(["a"], "x/1")),
    );
    const kind = { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler" };
    expect(await list()).toEqual([
      { ...kind, metadata: { name: "a" } },
      { ...kind, metadata: { name: "b" } },
    ]);
    expect(server.received.map(({ url }) => url)).toEqual([
      "/apis/autoscaling/v2/horizontalpodautoscalers?limit=500",
      "/apis/autoscaling/v2/horizontalpodautoscalers?limit=500&continue=x%2F1",
    ]);
    await list("a b");
    expect(server.received.at(-2)?.url).toBe(
      "/apis/autoscaling/v2/namespaces/a%20b/horizontalpodautoscalers?limit=500",
    );
  });

  test("are read once more from the first page when a page has expired, but only once", async () => {
    let expired = 1;
    server.reply = discovering(({ url }, response) => {
      if (!url.includes("continue")) json(response, 200, page(["a"], "1"));
      else if (expired-- > 0) json(response, 410, gone);
      else json(response, 200, page(["b"]));
    });
    expect((await list()).map(({ metadata }) => metadata.name)).toEqual(["a", "b"]);
    expired = 2;
    await expect(list()).rejects.toMatchObject({ status: 410, message: gone.message });
  });

  test("of another kind are no answer", async () => {
    server.reply = discovering((_, response) => json(response, 200, { kind: "PodList", items: [] }));
    await expect(list()).rejects.toMatchObject({ kind: "badAnswer" });
  });
});
