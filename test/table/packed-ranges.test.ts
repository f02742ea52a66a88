import { brotliCompressSync } from "node:zlib";
import { latestPrefix, shardKeys } from "../../lib/table/items/keys";
import { decodeLatest } from "../../lib/table/items/packed-items";
import type { ShardRange } from "../../lib/model/stored/shard";
import { type PackedKind, readPacked, replacePacked } from "../../lib/table/packed-ranges";
import { toItem, type Item } from "../../lib/table/items/attributes";
import { scriptedTable } from "./requests/scripted-table";

const { signal } = new AbortController();

const kind = { prefix: latestPrefix, decode: decodeLatest };
const range = { cluster: "prod", from: "", to: null };
const read = (table: Parameters<typeof readPacked>[0], left = 2 ** 26) =>
  readPacked(table, kind, range, { room: { left }, signal });

const item = (from: string, keys: readonly string[], more: object = {}): Item => ({
  ...toItem({ pk: "CLUSTER#prod", sk: `LATEST#${from}`, ...more }),
  packed: {
    B: brotliCompressSync(JSON.stringify(Object.fromEntries(keys.map((key) => [key, { version: 1, status: {} }])))),
  },
});
const page = (items: readonly Item[], hasNext = true) => ({
  Items: items,
  ...(hasNext && { LastEvaluatedKey: { pk: items.at(-1)?.["pk"], sk: items.at(-1)?.["sk"] } }),
});

test("items that nobody of ours wrote end a read before they take its memory, however many there are", async () => {
  const note = "x".repeat(300_000);
  const pages = Array.from({ length: 1_000 }, (_, index) => {
    const from = (part: string) => `shop/${String(index).padStart(4, "0")}${part}`;
    return page([item(from("a"), [], { note }), item(from("b"), [], { note }), item(from("c"), [], { note })]);
  });
  const { table, sent } = scriptedTable(page([item("", ["shop/0"])]), ...pages);
  expect(Object.keys(await read(table))).toEqual(["shop/0"]);
  // 64 MB hold 26 items of 300 KB, three to a page.
  expect(sent.length).toBeLessThan(15);
});

test("a name that every object inherits is a key as any other, and none of the result's own members", async () => {
  const { table } = scriptedTable(page([item("", ["__proto__", "constructor"])], false));
  const found = await read(table);
  expect(Object.keys(found)).toEqual(["__proto__", "constructor"]);
  expect(Object.getPrototypeOf(found)).toBe(Object.prototype);
});

test("an HPA at the start of a split-off shard is that shard's, although the older item still has it", async () => {
  const { table } = scriptedTable(page([item("", ["shop/a", "shop/m"]), item("shop/m", [])], false));
  expect(Object.keys(await read(table))).toEqual(["shop/a"]);
});

test.each<[string, ShardRange, string, number]>([
  ["one HPA asks for one item", { ...range, from: "shop/m", to: "shop/m\0" }, "shop/k", 1],
  ["all HPAs does not look before the first", range, "", 1],
  ["those from a shard's start on unpacks its item once", { ...range, from: "shop/m" }, "shop/m", 2],
])("reading %s", async (_name, of, from, requests) => {
  const answer = page([item(from, ["shop/m"])], false);
  const { table, sent } = scriptedTable(...Array.from({ length: requests }, () => answer));
  let decoded = 0;
  const counting: PackedKind<unknown> = {
    ...kind,
    decode: (...args) => {
      decoded += 1;
      return kind.decode(...args);
    },
  };
  expect(Object.keys(await readPacked(table, counting, of, { room: { left: 2 ** 26 }, signal }))).toEqual(["shop/m"]);
  expect({ decoded, requests: sent.length }).toEqual({ decoded: 1, requests });
});

test("a write deletes what was merged by its keys alone, a few at a time", async () => {
  const keys = Array.from({ length: 25 }, (_, index) => toItem({ sk: `LATEST#shop/${index}` }));
  const { table, sent } = scriptedTable({}, page(keys));
  await replacePacked(table, { own: shardKeys(latestPrefix, range), item: item("", []) }, signal);
  const [, query, ...deletions] = sent.map(({ action, input }) => ({ action, input }));
  expect(query).toMatchObject({ action: "Query", input: { ProjectionExpression: "#sk", Limit: 25 } });
  expect(deletions.map(({ action }) => action)).toEqual(["BatchWriteItem"]);
  expect(deletions[0]?.input).toMatchObject({
    RequestItems: {
      ebb: expect.arrayContaining([
        { DeleteRequest: { Key: toItem({ pk: "CLUSTER#prod", sk: "LATEST#shop/24" }) } },
      ]) as object,
    },
  });
});
