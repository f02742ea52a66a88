import { createServer, type RequestListener, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { dynamoClient } from "../../../lib/table/client";
import { openStore } from "../../../lib/table/store";
import { noLimit } from "../../time/no-limit";

const credentials = { accessKeyId: "a", secretAccessKey: "b" };

describe("a server that does not behave", () => {
  const signal = noLimit();
  const range = { cluster: "prod", from: "", to: null };
  let server: Server;

  async function storeOn(listener: RequestListener) {
    server = createServer(listener).listen(0, "127.0.0.1");
    await once(server, "listening");
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = dynamoClient({ endpoint, region: "xx-1", credentials });
    return openStore({ client, table: "ebb", now: () => 0 });
  }

  const json =
    (status: number, body: object): RequestListener =>
    (_request, response) =>
      response.writeHead(status, { "content-type": "application/x-amz-json-1.0" }).end(JSON.stringify(body));

  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });

  test("answers HTML", async () => {
    const store = await storeOn((_request, response) => response.writeHead(200).end("<html>"));
    await expect(store.load(range, signal)).rejects.toMatchObject({ name: "Fault", kind: "badAnswer" });
  });

  test("answers 500 to every attempt", async () => {
    let asked = 0;
    const store = await storeOn((request, response) => {
      asked++;
      json(500, { __type: "InternalServerError" })(request, response);
    });
    await expect(store.shard(range, signal)).rejects.toMatchObject({ kind: "badAnswer", status: 500 });
    expect(asked).toBe(3);
  });

  test("hangs up", async () => {
    const store = await storeOn((request) => request.socket.destroy());
    await expect(store.shard(range, signal)).rejects.toMatchObject({ kind: "unreachable" });
  });

  test("is not there", async () => {
    const store = await storeOn(() => undefined);
    server.close();
    await expect(store.shard(range, signal)).rejects.toMatchObject({
      kind: "unreachable",
      message: expect.stringContaining('table "ebb" in region xx-1') as string,
    });
  });

  test("never answers: the caller's signal ends it", async () => {
    const aborting = new AbortController();
    const store = await storeOn(() => aborting.abort());
    await expect(store.shard(range, aborting.signal)).rejects.toMatchObject({ kind: "timeout" });
  });

  test("never answers a write: whether it was applied is not known", async () => {
    const aborting = new AbortController();
    const store = await storeOn(() => aborting.abort());
    const shard = { ...range, version: 1, slot: 0, heartbeat: 0, behind: {}, entries: 0 };
    await expect(store.createShard(shard, aborting.signal)).rejects.toMatchObject({ kind: "lost" });
  });

  test("throttles: the item is read after a write, since an earlier attempt may have been applied", async () => {
    const actions: string[] = [];
    const store = await storeOn((request, response) => {
      const action = String(request.headers["x-amz-target"]).split(".")[1] ?? "";
      actions.push(action);
      const throttled = { __type: "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException" };
      if (action === "PutItem") json(400, throttled)(request, response);
      else json(200, {})(request, response);
    });
    const shard = { ...range, version: 1, slot: 0, heartbeat: 0, behind: {}, entries: 0 };
    await expect(store.createShard(shard, signal)).rejects.toMatchObject({ kind: "throttled" });
    expect(actions).toEqual(["PutItem", "PutItem", "PutItem", "GetItem"]);
  });

  test("keeps leaving keys out of a batch: throttled, after a bounded number of rounds", async () => {
    const key = { pk: { S: "CLUSTER#prod" }, sk: { S: "CLUSTER" } };
    let rounds = 0;
    const store = await storeOn((request, response) => {
      const batch = String(request.headers["x-amz-target"]).endsWith("BatchGetItem");
      if (batch) rounds++;
      json(200, batch ? { Responses: {}, UnprocessedKeys: { ebb: { Keys: [key] } } } : { Items: [key] })(
        request,
        response,
      );
    });
    await expect(store.clusters(signal)).rejects.toMatchObject({ kind: "throttled" });
    expect(rounds).toBe(6);
  }, 20_000);
});
