import type { ServerResponse } from "node:http";
import { clustersWith, entry, soon, web } from "../../connect";
import { discovering, json, scale, startServer, status, type TestServer } from "../../api-server";

describe("the scale of a kind that two resources serve", () => {
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

  const first = "/apis/apps/v1/namespaces/shop/deployments/web/scale";
  const second = "/apis/apps/v1/namespaces/shop/olddeployments/web/scale";
  const no = (code: number, reason: string) => (response: ServerResponse) =>
    json(response, code, status(code, reason, reason));

  /** `answer` is what the first resource says; the second one has the scale. */
  function serving(answer: (response: ServerResponse) => void): void {
    const resources = ["deployments", "olddeployments"].map((resource) => ({
      ...{ resource, scope: "Namespaced", responseKind: { kind: "Deployment" } },
      subresources: [{ subresource: "scale" }],
    }));
    const items = [{ metadata: { name: "apps" }, versions: [{ version: "v1", resources }] }];
    server.reply = ({ url }, response) => {
      if (url === "/apis") return json(response, 200, { kind: "APIGroupDiscoveryList", items });
      if (url === first) return answer(response);
      json(response, 200, scale(5, "8"));
    };
  }
  const asked = () => server.received.map(({ url }) => url).filter((url) => url.endsWith("/scale"));
  const put = async () => (await connect()).putScale(web, scale(5), soon());

  test.each<[string, (response: ServerResponse) => void]>([
    ["not found", no(404, "NotFound")],
    ["forbidden", no(403, "Forbidden")],
  ])("the second one is written if the first one is %s", async (_name, answer) => {
    serving(answer);
    expect((await put()).metadata.resourceVersion).toBe("8");
    expect(asked()).toEqual([first, second]);
  });

  // Each of these may have been done: a second PUT would be a second effect.
  test.each<[string, (response: ServerResponse) => void]>([
    ["has no answer", (response) => response.destroy()],
    ["is given up by a gateway", no(504, "Timeout")],
    ["is a bad gateway's", no(502, "BadGateway")],
    ["is cut off in its answer", (response) => void response.writeHead(200).write("{", () => response.destroy())],
    ["is answered by HTML", (response) => void response.writeHead(200, { "content-type": "text/html" }).end("<html>")],
    ["meets a conflict", no(409, "Conflict")],
    ["is throttled", no(429, "TooManyRequests")],
    ["meets an internal error", no(500, "InternalError")],
  ])("a write that %s is not sent to the second one", async (_name, answer) => {
    serving(answer);
    await expect(put()).rejects.toMatchObject({ name: "Fault" });
    expect(asked()).toEqual([first]);
  });

  test("a read that fails is not the second one's answer", async () => {
    serving(no(500, "InternalError"));
    await expect((await connect()).getScale(web, soon())).rejects.toThrow("InternalError");
    expect(asked()).toEqual([first]);
  });

  test("if none works, the first one's error counts", async () => {
    serving(no(403, "the first one is forbidden"));
    const { reply } = server;
    server.reply = (request, response) =>
      request.url === second ? no(404, "the second one is not there")(response) : reply(request, response);
    await expect(put()).rejects.toMatchObject({ kind: "forbidden", message: "the first one is forbidden" });
  });
});
