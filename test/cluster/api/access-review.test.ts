import { json, startServer, status, type TestServer } from "../api-server";
import { clustersWith, entry, soon } from "../connect";

const attributes = { verb: "get", group: "apps", resource: "deployments", subresource: "scale", namespace: "shop" };
const review = (answer: unknown) => ({
  apiVersion: "authorization.k8s.io/v1",
  kind: "SelfSubjectAccessReview",
  status: answer,
});

describe("an access review", () => {
  let server: TestServer;
  const clusters = clustersWith();
  const ask = async () => (await clusters.connect(entry(server.url), soon())).reviewAccess(attributes, soon());

  beforeEach(async () => {
    server = await startServer((_request, response) => json(response, 201, review({ allowed: true })));
  });
  afterEach(async () => {
    clusters.close();
    await server.stop();
  });

  test("asks for exactly this right, and returns the server's time", async () => {
    server.reply = (_request, response) =>
      json(response, 201, review({ allowed: false }), { date: "Sun, 01 Mar 2026 12:00:05 GMT" });
    expect(await ask()).toEqual({ allowed: false, serverTime: Date.UTC(2026, 2, 1, 12, 0, 5) });
    const [{ method, url, body } = { body: "{}" }] = server.received;
    expect([method, url]).toEqual(["POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"]);
    const { apiVersion, kind } = review({});
    expect(JSON.parse(body)).toEqual({ apiVersion, kind, spec: { resourceAttributes: attributes } });
  });

  test("an answer without the server's time does not fail", async () => {
    server.reply = (_request, response) => {
      response.sendDate = false;
      json(response, 201, review({ allowed: true }));
    };
    expect(await ask()).toEqual({ allowed: true });
  });

  test.each([
    ["who is not known", 401, status(401, "Unauthorized", "Unauthorized"), "unauthorized", "Unauthorized"],
    ["who may not even ask", 403, status(403, "Forbidden", "not you"), "forbidden", "not you"],
    [
      "an answer without an answer",
      201,
      review({}),
      "badAnswer",
      "access review: expected status.allowed, true or false, got undefined",
    ],
    ["another kind of answer", 200, { kind: "Status" }, "badAnswer", /SelfSubjectAccessReview/],
  ])("%s is passed on as it is", async (...[, code, body, kind, message]) => {
    server.reply = (_request, response) => json(response, code, body);
    await expect(ask()).rejects.toMatchObject({ kind, message: expect.stringMatching(message) as string });
  });

  test("is a write to the transport: it is not sent again when the connection breaks", async () => {
    server.reply = (_request, response) => void response.socket?.destroy();
    await expect(ask()).rejects.toMatchObject({ kind: "lost" });
    expect(server.received).toHaveLength(1);
  });
});
