import { PutItemCommand } from "../../lib/aws/http/dynamodb-commands";
import { openEntries, unstorable } from "../../lib/table/entries";
import { toItem } from "../../lib/table/items/attributes";
import { clusterIn, sourceIn } from "../../lib/table/items/resource-items";
import { openStore } from "../../lib/table/store";
import { memoryDynamodb, memoryTableName } from "../fakes/memory-dynamodb";
import { scriptedTable } from "./requests/scripted-table";

/** Clusters are found through an index, and the entries of each by its keys. */
const { signal } = new AbortController();

async function tableWith(...keys: readonly (readonly [pk: string, sk: string])[]) {
  const client = memoryDynamodb();
  for (const [pk, sk] of keys)
    await client.send(new PutItemCommand({ TableName: memoryTableName, Item: toItem({ pk, sk, spec: {} }) }));
  return {
    entries: openEntries({ client, name: memoryTableName }),
    store: openStore({ client, table: memoryTableName, now: () => 0 }),
  };
}

test.each<[string, readonly (readonly [string, string])[], boolean]>([
  ["its own entry", [["CLUSTER#prod", "CLUSTER"]], true],
  ["an HPA", [["CLUSTER#prod", "HPA#shop/orders"]], true],
  ["a source", [["CLUSTER#prod", "SOURCE#jobs"]], true],
  ["a state", [["CLUSTER#prod", "STATE#shop/orders"]], false],
  ["nothing", [], false],
  ["those of another", [["CLUSTER#production", "CLUSTER"]], false],
])("whether a table that holds %s of a cluster has the cluster", async (_name, keys, expected) => {
  const { entries } = await tableWith(...keys);
  expect(await entries.hasCluster("prod", signal)).toBe(expected);
});

describe("in whatever order the index and a batch give them", () => {
  const names = ["c", "a", "d", "b"];
  const items = names.map((name) => toItem({ pk: `CLUSTER#${name}`, sk: "CLUSTER", spec: {} }));
  const answers = [{ Items: items.map(({ pk, sk }) => ({ pk, sk })) }, { Responses: { ebb: items } }];

  test("clusters are listed by name", async () => {
    const { table } = scriptedTable(...answers);
    const listed = await openEntries(table).list("Cluster", {}, signal);
    expect(listed.map(({ ref }) => ref.name)).toEqual(["a", "b", "c", "d"]);
  });

  test("and so are those that a tick reads", async () => {
    const { table } = scriptedTable(...answers);
    const store = openStore({ client: table.client, table: "ebb", now: () => 0 });
    expect((await store.clusters(signal)).map(({ key }) => key)).toEqual(["a", "b", "c", "d"]);
  });
});

test("an item that only looks like a cluster is not listed", async () => {
  const keys = [
    ["CLUSTER#prod", "CLUSTER"],
    ["TENANT#x", "CLUSTER"],
  ] as const;
  const { entries } = await tableWith(...keys);
  expect((await entries.list("Cluster", {}, signal)).map(({ ref }) => ref.name)).toEqual(["prod"]);
  const { table, sent } = scriptedTable({ Items: [{}, { pk: { N: "1" } }] }, { Responses: {} });
  expect(await openEntries(table).list("Cluster", {}, signal)).toEqual([]);
  expect(sent.map(({ action }) => action)).toEqual(["Query"]);
});

test("a cluster of that name is read directly, without the index", async () => {
  const { table, sent } = scriptedTable();
  await openEntries(table).list("Cluster", { cluster: "prod" }, signal);
  expect(sent.map(({ action }) => action)).toEqual(["BatchGetItem"]);
});

test("HPAs of one namespace, of one cluster, of all", async () => {
  const { entries } = await tableWith(
    ["CLUSTER#b", "CLUSTER"],
    ["CLUSTER#a", "CLUSTER"],
    ["CLUSTER#a", "HPA#shop/x"],
    ["CLUSTER#a", "HPA#shop2/x"],
    ["CLUSTER#b", "HPA#shop/y"],
    ["CLUSTER#b", "HPA#sho/y"],
    ["CLUSTER#unlisted", "HPA#shop/z"],
  );
  const list = async (scope: object) =>
    (await entries.list("HorizontalPodAutoscaler", scope, signal)).map(
      ({ ref }) => `${ref.cluster} ${ref.namespace}/${ref.name}`,
    );
  expect(await list({})).toEqual(["a shop/x", "a shop2/x", "b sho/y", "b shop/y"]);
  expect(await list({ cluster: "a" })).toEqual(["a shop/x", "a shop2/x"]);
  expect(await list({ namespace: "shop" })).toEqual(["a shop/x", "b shop/y"]);
  expect(await list({ cluster: "unlisted", namespace: "shop" })).toEqual(["unlisted shop/z"]);
});

describe("the places of entries, for completion", () => {
  const keys = ["HPA#mail/a", "HPA#shop/a", "HPA#shop/b/c", "HPA#shop0/a", "HPA#odd", "SOURCE#jobs", "SOURCE#mail"];
  const open = () => tableWith(...keys.map((sk) => ["CLUSTER#prod", sk] as const));

  test("are names, and namespaces of HPAs", async () => {
    const { entries } = await open();
    expect(await entries.places("MetricSource", { cluster: "prod", most: 9 }, signal)).toEqual([
      { name: "jobs" },
      { name: "mail" },
    ]);
    expect(await entries.places("HorizontalPodAutoscaler", { cluster: "prod", most: 9 }, signal)).toEqual([
      { namespace: "mail", name: "a" },
      { namespace: "odd", name: "" },
      { namespace: "shop", name: "a" },
      { namespace: "shop", name: "b/c" },
      { namespace: "shop0", name: "a" },
    ]);
    const inShop = { cluster: "prod", namespace: "shop", most: 9 };
    expect((await entries.places("HorizontalPodAutoscaler", inShop, signal)).map(({ name }) => name)).toEqual([
      "a",
      "b/c",
    ]);
  });

  test("are as many as wanted, and the service reads no more", async () => {
    const { table, sent } = scriptedTable({ Items: [toItem({ sk: "SOURCE#jobs" })] });
    await openEntries(table).places("MetricSource", { cluster: "prod", most: 1 }, signal);
    expect(sent.map(({ input }) => input)).toMatchObject([{ Limit: 1, ProjectionExpression: "#sk" }]);
  });
});

test.each<[string, object, string | undefined]>([
  ["a document", { spec: { maxReplicas: 3 } }, undefined],
  ["NaN", { spec: { maxReplicas: NaN } }, "NaN"],
])("a table that cannot hold %s says why", (_what, document, why) => {
  const ref = { kind: "HorizontalPodAutoscaler", cluster: "prod", namespace: "shop", name: "a" } as const;
  const problem = unstorable({ ref, document: document as never });
  if (why === undefined) expect(problem).toBeUndefined();
  else expect(problem).toContain(why);
});

test("what is no problem of the document is thrown", () => {
  const ref = { kind: "HorizontalPodAutoscaler", cluster: "prod", namespace: "shop", name: "a" } as const;
  const document = {
    get spec() {
      throw new RangeError("a bug");
    },
  };
  expect(() => unstorable({ ref, document: document })).toThrow(RangeError);
});

test("an entry that was read is the cluster or the source that a sync reads", async () => {
  const client = memoryDynamodb();
  const spec = { endpoint: "https://prod.example", auth: { type: "token", secret: "ebb/prod" } };
  const put = (sk: string, more: object) =>
    client.send(new PutItemCommand({ TableName: memoryTableName, Item: toItem({ pk: "CLUSTER#prod", sk, ...more }) }));
  await put("CLUSTER", { spec });
  await put("SOURCE#jobs", { spec: { kind: "sqs" } });
  const entries = openEntries({ client, name: memoryTableName });
  const [cluster] = await entries.list("Cluster", {}, signal);
  const [source] = await entries.list("MetricSource", { cluster: "prod" }, signal);
  expect(cluster && clusterIn(cluster)).toEqual({ key: "prod", value: { name: "prod", spec } });
  expect(source && sourceIn(source)).toEqual({ key: "jobs", value: { name: "jobs", spec: { kind: "sqs" } } });
});
