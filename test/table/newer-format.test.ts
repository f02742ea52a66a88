import { DeleteItemCommand, GetItemCommand, PutItemCommand } from "../../lib/aws/http/dynamodb-commands";
import { UpdateItemCommand } from "../aws/commands";
import { type Item, toItem, itemFormat } from "../../lib/table/items/attributes";
import { openStore, type TableStore } from "../../lib/table/store";
import { signal, servedTableForTests } from "../cli/table";
import { document, fixture, queueSpec, start } from "../sync/sync-fixture";
import { versionBefore } from "../../lib/model/stored/version";

/** An older version of ebb beside a newer one, or in its place after a rollback. */
const { table, run } = servedTableForTests();
const range = { cluster: "prod", from: "", to: null };
const stateKey = { pk: { S: "CLUSTER#prod" }, sk: { S: "STATE#shop/orders" } };
const shardKey = { pk: { S: "SHARD" }, sk: { S: "prod#" } };

const put = (item: Item) => table().client.send(new PutItemCommand({ TableName: table().name, Item: item }));

async function itemAt(Key: Item): Promise<Item | undefined> {
  const { Item: found } = await table().client.send(new GetItemCommand({ TableName: table().name, Key }));
  return found;
}

/** As a newer version would: another format, and the next version of the item. */
async function setFormat(Key: Item, format: number): Promise<void> {
  const update = {
    UpdateExpression: "SET #format = :format, #version = #version + :one",
    ExpressionAttributeNames: { "#format": "format", "#version": "version" },
    ExpressionAttributeValues: toItem({ ":format": format, ":one": 1 }),
  };
  await table().client.send(new UpdateItemCommand({ TableName: table().name, Key, ...update }));
}

let world: ReturnType<typeof fixture>;
let store: TableStore;

beforeEach(async () => {
  world = fixture();
  store = openStore({ client: table().client, table: table().name, now: () => start });
  for (const Key of [stateKey, { ...stateKey, sk: { S: "STATE#shop/mails" } }, shardKey]) {
    await table().client.send(new DeleteItemCommand({ TableName: table().name, Key }));
  }
  await put({ pk: stateKey.pk, sk: { S: "CLUSTER" }, ...toItem({ spec: clusterSpec }) });
  for (const name of ["orders", "mails"]) {
    const spec = { ...queueSpec, scaleTargetRef: { ...queueSpec.scaleTargetRef, name } };
    await put({
      pk: stateKey.pk,
      sk: { S: `HPA#shop/${name}` },
      ...toItem(document(spec, `shop/${name}`) as object),
    });
  }
  world.cluster.add("shop/mails", 1);
  const empty = { ...range, version: 1, slot: 0, heartbeat: 0, behind: {}, entries: 0 };
  await store.createShard(empty, signal);
  world.depth(5);
  await world.sync(1, { store });
});

const clusterSpec = { endpoint: "https://prod.example", auth: { type: "token", secret: "ebb/prod" } };
const tooNew = `format: expected at most ${itemFormat}, got ${itemFormat + 1}: a newer version of ebb wrote the item; deploy that version again`;

test("every state and shard carries its format", async () => {
  expect((await itemAt(stateKey))?.format).toEqual({ N: String(itemFormat) });
  expect((await itemAt(shardKey))?.format).toEqual({ N: String(itemFormat) });
});

test("an item without a format is of the first one", async () => {
  const { format: _format, ...item } = (await itemAt(stateKey)) ?? {};
  await put(item);
  const { states } = await store.load(range, signal);
  expect(versionBefore(states["shop/orders"]?.version ?? 0)).toBe("nothing");
  expect(states["shop/orders"]).not.toHaveProperty("format");
});

test("a state of a newer format halts its HPA, stays as it is, and says so; other HPAs keep working", async () => {
  await setFormat(stateKey, itemFormat + 1);
  const before = await itemAt(stateKey);
  world.depth(20);
  await world.sync(2, { store });
  await world.sync(3, { store });
  await world.wake(world.clock.now, { store });
  expect(world.cluster.writes).toEqual([{ target: "shop/mails", from: 1, to: 4 }]);
  expect(await itemAt(stateKey)).toEqual(before);
  const reported = world.failures.filter(({ reason }) => reason === "BrokenState");
  expect(reported.map(({ message }) => message)).toEqual([`STATE#shop/orders: ${tooNew}`]);
  const { stdout } = await run(["explain", "hpa", "orders", "-n", "shop", "--cluster", "prod"]);
  expect(stdout).toContain(tooNew);
});

test("a run that loaded the state before a newer version wrote it decides nothing more", async () => {
  world.depth(20);
  const stale: TableStore = {
    ...store,
    async load(loaded, within) {
      const contents = await store.load(loaded, within);
      await setFormat(stateKey, itemFormat + 1);
      return contents;
    },
  };
  await world.sync(2, { store: stale });
  expect(world.cluster.writes.filter(({ target }) => target === "shop/orders")).toEqual([]);
  expect(world.lines).toContain("shop/orders: FailedSync");
});

test("a shard of a newer format is not synced, and nothing suggests to delete it", async () => {
  await setFormat(shardKey, itemFormat + 1);
  world.depth(20);
  const message = `SHARD prod#: ${tooNew}`;
  await expect(world.sync(2, { store })).rejects.toMatchObject({ kind: "badEntry", message });
  expect(world.cluster.writes).toEqual([]);
});

test.each(["2", 0, 1.5, null])("a format that is no whole number: %j", async (format) => {
  await put({ ...(await itemAt(stateKey)), ...toItem({ format }) });
  const { brokenStates } = await store.load(range, signal);
  const got = JSON.stringify(format);
  expect(brokenStates).toEqual({ "shop/orders": `format: expected a whole number, 1 or more, got ${got}` });
});
