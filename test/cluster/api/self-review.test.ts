import { json, startServer, status, type TestServer } from "../api-server";
import { clustersWith, entry, soon } from "../connect";

const review = (userInfo: unknown) => ({
  apiVersion: "authentication.k8s.io/v1",
  kind: "SelfSubjectReview",
  status: { userInfo },
});

describe("a self review", () => {
  let server: TestServer;
  const clusters = clustersWith();
  const ask = async () => (await clusters.connect(entry(server.url), soon())).reviewSelf(soon());

  beforeEach(async () => {
    server = await startServer((_request, response) => json(response, 201, review({ username: "ebb" })));
  });
  afterEach(async () => {
    clusters.close();
    await server.stop();
  });

  test("asks who the caller is, and returns names alone", async () => {
    const userInfo = { username: "system:serviceaccount:ebb:ebb", uid: "1", groups: ["system:authenticated", 7] };
    server.reply = (_request, response) => json(response, 201, review(userInfo));
    expect(await ask()).toEqual({ username: "system:serviceaccount:ebb:ebb", groups: ["system:authenticated"] });
    const [{ method, url, body = "" } = {}] = server.received;
    expect([method, url]).toEqual(["POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews"]);
    expect(JSON.parse(body)).toEqual({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" });
  });

  test("a user in no group", async () => {
    expect(await ask()).toEqual({ username: "ebb", groups: [] });
  });

  test("without a name says what was expected", async () => {
    server.reply = (_request, response) => json(response, 201, review({}));
    await expect(ask()).rejects.toThrow("self review: expected status.userInfo with a username and groups");
  });

  test.each([
    ["before Kubernetes 1.28", 404, status(404, "NotFound", "no such path"), "notFound"],
    ["refused", 403, status(403, "Forbidden", "not you"), "forbidden"],
    ["an answer without a name", 201, review({}), "badAnswer"],
    ["groups that are no list", 201, review({ username: "ebb", groups: "all" }), "badAnswer"],
    ["another kind of answer", 200, { kind: "Status" }, "badAnswer"],
  ])("%s: a fault", async (_, code, body, kind) => {
    server.reply = (_request, response) => json(response, code, body);
    await expect(ask()).rejects.toMatchObject({ kind });
  });
});
