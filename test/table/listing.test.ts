import { PutItemCommand } from "../../lib/aws/json/dynamodb-commands";
import { openEntries } from "../../lib/table/entries";
import { toItem } from "../../lib/table/items/attributes";
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
