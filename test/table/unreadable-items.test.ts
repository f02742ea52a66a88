import { GetItemCommand, PutItemCommand } from "../../lib/aws/http/dynamodb-commands";
import { version as release } from "../../package.json";
import { RefusedDocument } from "../../lib/model/entry/limits";
import { firstVersion } from "../../lib/model/stored/version";
import type { Shard } from "../../lib/model/stored/shard";
import { freshState } from "../../lib/sync/hpa/next-state";
import { toItem } from "../../lib/table/items/attributes";
import { openStore } from "../../lib/table/store";
import { memoryDynamodb, memoryTableName } from "../fakes/memory-dynamodb";

const { signal } = new AbortController();
const range = { cluster: "prod", from: "", to: null };
const at = Date.parse("2026-03-01T12:00:00Z");
const shard = (cluster: string, from = ""): Shard => ({
  ...{ cluster, from, to: null, version: firstVersion(at), slot: 0, heartbeat: 5, behind: {}, entries: 0 },
});

function setUp({ reports = false } = {}) {
  const client = memoryDynamodb();
  const said: string[] = [];
  const store = openStore({
    ...{ client, table: memoryTableName, now: () => at },
    ...(reports && { onBrokenShard: (message: string) => void said.push(message) }),
  });
  const put = (item: object) => client.send(new PutItemCommand({ TableName: memoryTableName, Item: toItem(item) }));
  const itemAt = async (pk: string, sk: string) =>
    (await client.send(new GetItemCommand({ TableName: memoryTableName, Key: toItem({ pk, sk }) }))).Item;
  return { store, said, put, itemAt };
}

describe("a shard that cannot be read", () => {
  const broken = { pk: "SHARD", sk: "prod#", cluster: "prod" };
  const reason = /^SHARD prod#: .*: delete the item, and the tick creates it again$/;

  test("is reported, and the others come", async () => {
    const { store, said, put } = setUp({ reports: true });
    await put(broken);
    await store.createShard(shard("test"), signal);
    expect(await store.shards(signal)).toEqual([shard("test")]);
    expect(await store.shardsOf("prod", signal)).toEqual([]);
    expect(said).toEqual([expect.stringMatching(reason), expect.stringMatching(reason)]);
  });

  test("stops the others if nobody hears of it", async () => {
    const { store, put } = setUp();
    await put(broken);
    const fault = { kind: "badEntry", message: expect.stringMatching(reason) as string };
    await expect(store.shards(signal)).rejects.toMatchObject(fault);
    await expect(store.shard(range, signal)).rejects.toMatchObject(fault);
  });

  test("of a newer version is not to be deleted", async () => {
    const { store, said, put } = setUp({ reports: true });
    await put({ ...broken, format: 2 });
    await store.shards(signal);
    expect(said).toEqual([
      expect.stringMatching(/: a newer version of ebb wrote the item; deploy that version again$/),
    ]);
  });

  test("has no writer", async () => {
    const { store, put } = setUp();
    await put(broken);
    await store.createShard(shard("test"), signal);
    expect(await store.shardWriters(signal)).toEqual([{ cluster: "test", heartbeat: 5, release }]);
  });
});

test("a shard of a cluster whose name goes on with # is not the other one's", async () => {
  const { store } = setUp();
  await store.createShard(shard("prod"), signal);
  await store.createShard(shard("prod#2"), signal);
  expect((await store.shardsOf("prod", signal)).map(({ cluster }) => cluster)).toEqual(["prod"]);
});

describe("a state that cannot be read", () => {
  const key = "shop/orders";
  const stored = { pk: "CLUSTER#prod", sk: `STATE#${key}`, version: firstVersion(at), open: "yes" };
  const next = { ...freshState({}, at), version: firstVersion(at) };

  test.each<[string, object, RegExp]>([
    ["broken", stored, /^CLUSTER#prod STATE#shop\/orders: .*: ebb does not overwrite the item; fix or delete it$/],
    ["newer", { ...stored, format: 2 }, /a newer version of ebb wrote the item; deploy that version again$/],
  ])("%s: it is not overwritten", async (_name, item, message) => {
    const { store, put, itemAt } = setUp();
    await put(item);
    await expect(store.putState("prod", key, next, signal)).rejects.toMatchObject({
      kind: "badEntry",
      message: expect.stringMatching(message) as string,
    });
    expect(await itemAt("CLUSTER#prod", `STATE#${key}`)).toEqual(toItem(item));
  });
});

test("a decision that cannot be read says which item to delete", async () => {
  const { store, put } = setUp();
  await put({ pk: "CLUSTER#prod", sk: "DECISION#shop/orders#2026-03-01T12:00:00.000Z", at: "noon" });
  await expect(store.decisions("prod", "shop/orders", { limit: 1 }, signal)).rejects.toMatchObject({
    kind: "badEntry",
    message: expect.stringMatching(
      /^CLUSTER#prod DECISION#shop\/orders#2026-03-01T12:00:00\.000Z: .*: delete the item$/,
    ) as string,
  });
});

describe("what takes more memory than a load may keep", () => {
  const text = "x".repeat(5_000);
  const state = { ...freshState({}, at), version: firstVersion(at) };
  const items = {
    HPA: { spec: { text } },
    STATE: { ...state, text },
    SOURCE: { spec: { kind: "sqs", parameters: { text } } },
  };

  async function load(loadMemory: number, keys: readonly (readonly [sk: string, item: object])[]) {
    const client = memoryDynamodb();
    for (const [sk, item] of keys) {
      const Item = toItem({ pk: "CLUSTER#prod", sk, ...item });
      await client.send(new PutItemCommand({ TableName: memoryTableName, Item }));
    }
    return openStore({ client, table: memoryTableName, now: () => at, loadMemory }).load(range, signal);
  }

  test("is refused by name, and the small ones beside it stay", async () => {
    const small = { HPA: { spec: {} }, STATE: state, SOURCE: { spec: { kind: "sqs", parameters: {} } } };
    const keys = [
      ["HPA#shop/large", items.HPA],
      ["HPA#shop/small", small.HPA],
      ["STATE#shop/large", items.STATE],
      ["STATE#shop/small", small.STATE],
      ["SOURCE#large", items.SOURCE],
      ["SOURCE#small", small.SOURCE],
    ] as const;
    const all = await load(2 ** 20, keys);
    expect(all.hpas.map(({ key }) => key)).toEqual(["shop/large", "shop/small"]);
    expect(Object.keys(all.states)).toEqual(["shop/large", "shop/small"]);
    expect(all.brokenStates).toEqual({});

    const few = await load(5_000, keys);
    const why = expect.stringMatching(
      /^expected the HPAs, states and sources of a shard to take at most 0 MB/,
    ) as string;
    expect(few.brokenStates).toEqual({ "shop/large": why });
    expect(Object.keys(few.states)).toEqual(["shop/small"]);
    expect(few.sources).toEqual([
      { key: "large", invalid: why },
      { key: "small", value: { name: "small", spec: { kind: "sqs", parameters: {} } } },
    ]);
    expect(few.hpas).toEqual([
      { key: "shop/large", document: { errors: [{ path: "", text: why }] } },
      { key: "shop/small", document: expect.objectContaining({ spec: {} }) as object },
    ]);
  });

  test.each(["HPA", "STATE", "SOURCE"] as const)(
    "of equally large ones, the last by key is refused: %s",
    async (kind) => {
      const keys = ["a", "b", "c"].map((name) => [`${kind}#${name}`, items[kind]] as const);
      const { hpas, sources, states } = await load(14_000, keys);
      const kept = {
        HPA: hpas.filter(({ document }) => !(document instanceof RefusedDocument)).map(({ key }) => key),
        STATE: Object.keys(states),
        SOURCE: sources.filter((source) => "value" in source).map(({ key }) => key),
      };
      expect(kept[kind]).toEqual(["a", "b"]);
    },
  );
});
