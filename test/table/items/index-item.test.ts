import { brotliCompressSync, brotliDecompressSync } from "node:zlib";
import { asHpaKey } from "../../../lib/model/hpa-key";
import type { QueueIndex } from "../../../lib/model/stored/queue-index";
import type { Item } from "../../../lib/table/items/attributes";
import { decodeIndex, decodeIndexedKeys, decodeIndexedQueues, encodeIndex } from "../../../lib/table/items/index-item";
import { packWhole } from "../../../lib/table/items/packed";

/** The INDEX item: which queues the HPAs of a shard read, in clear and packed. */
const shard = { cluster: "prod", from: "shop/m" };
const now = 1_700_000_000_500;
const [a, b] = [asHpaKey("shop/a"), asHpaKey("shop/b")];
const index: QueueIndex = {
  hash: "h",
  hpas: { [a]: { queues: [2 ** 32 - 1, 7, 258] }, [b]: { more: true }, [asHpaKey("shop/c")]: { queues: [7] } },
};
const encoded = (given = index): Item => {
  const item = encodeIndex(shard, given, now);
  if (item === undefined) throw new Error("expected an item");
  return item;
};
const packed = (text: string): Item => ({ hash: { S: "h" }, packed: { B: brotliCompressSync(text) } });

test("names each queue once, in ascending order, and counts the HPAs with too many", () => {
  const item = encoded();
  expect(item).toMatchObject({
    ...{ pk: { S: "INDEX#prod" }, sk: { S: "SHARD#shop/m" }, hash: { S: "h" }, more: { N: "1" } },
    expiresAt: { N: String(1_700_000_001 + 48 * 3_600) },
  });
  expect([...(item["queues"]?.B ?? [])]).toEqual([7, 0, 0, 0, 2, 1, 0, 0, 255, 255, 255, 255]);
  expect(JSON.parse(brotliDecompressSync(item["packed"]?.B ?? "").toString())).toEqual(index.hpas);
  const { queues, ...rest } = decodeIndexedQueues(item) ?? {};
  expect([...(queues ?? [])]).toEqual([7, 258, 2 ** 32 - 1]);
  expect(rest).toEqual({ hash: "h", more: 1 });
  expect(decodeIndex(item)).toEqual(index);
});

test("queues are read from any place in memory: the client's bytes need not be aligned", () => {
  const bytes = encoded()["queues"]?.B ?? new Uint8Array();
  const shifted = Uint8Array.from([9, ...bytes]).subarray(1);
  const found = decodeIndexedQueues({ ...encoded(), queues: { B: shifted } });
  expect([...(found?.queues ?? [])]).toEqual([7, 258, 2 ** 32 - 1]);
});

test("an index that does not fit is not written", () => {
  const large = Object.fromEntries(
    Array.from({ length: 8_000 }, (_, at) => [
      asHpaKey(`n/${at}`),
      { queues: Array.from({ length: 12 }, (_, index) => Math.imul(at * 12 + index, 0x9e3779b1) >>> 0) },
    ]),
  );
  expect(encodeIndex(shard, { hash: "h", hpas: large }, now)).toBeUndefined();
  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`n/${at}`, 1]));
  expect([packWhole(keys(20_000)) !== undefined, packWhole(keys(20_001))]).toEqual([true, undefined]);
});

describe("an item that somebody else wrote cannot be read", () => {
  test.each<[string, Item]>([
    ["without a hash", { hash: { N: "1" } }],
    ["without queues", { queues: { S: "no" } }],
    ["with part of a queue", { queues: { B: Uint8Array.from([1, 2, 3, 4, 5]) } }],
    ["without a count", { more: { S: "1" } }],
    ["with a count that is none", { more: { N: "x" } }],
    ["with a count below zero", { more: { N: "-1" } }],
  ])("in clear: %s", (_what, broken) => {
    expect(decodeIndexedQueues({ ...encoded(), ...broken })).toBeUndefined();
  });

  test.each(["hash", "queues", "more"])("in clear: without %s at all", (name) => {
    const { [name]: _, ...rest } = encoded();
    expect(decodeIndexedQueues(rest)).toBeUndefined();
  });

  test.each<[string, Item]>([
    ["without a hash", { packed: packed("{}")["packed"]! }],
    ["without a packed list", { hash: { S: "h" } }],
    ["packed as something else", { hash: { S: "h" }, packed: { B: Uint8Array.from([1, 2, 3]) } }],
    ["with a list", packed("[]")],
    ["with what is no JSON", packed('{"shop/a":{"queues":[1]}')],
    ["with an HPA that is no map", packed('{"shop/a":{"queues":[1]},"shop/b":7}')],
    ["with an HPA that says nothing", packed('{"shop/a":{"queues":[1]},"shop/b":{"more":false}}')],
  ])("packed: %s", (_what, item) => {
    expect(decodeIndex(item)).toBeUndefined();
  });

  test.each<[string, Item]>([
    ["without a hash", { packed: packed('{"shop/a":{"queues":[7]}}')["packed"]! }],
    ["without a packed list", { hash: { S: "h" } }],
    ["with a key that is cut", packed('"shop/a":{"queues":[7]}'.slice(1))],
  ])("by hashes: %s", (_what, item) => {
    expect(decodeIndexedKeys(item, [7])).toBeUndefined();
  });
});

test("by hashes, the HPAs that have one, and those with too many", () => {
  expect(decodeIndexedKeys(encoded(), [7])).toEqual({ hash: "h", named: [a, "shop/c"], more: [b] });
  expect(decodeIndexedKeys(encoded(), [8])).toEqual({ hash: "h", named: [], more: [b] });
});

test("what unpacks to more than 24 MB of memory is not parsed", () => {
  const list = (bytes: number) => packed(`{"shop/a":{"queues":[${"1".repeat(bytes)}]}}`);
  expect(decodeIndex(list(100))?.hash).toBe("h");
  expect(decodeIndex(packed(`{"shop/a":{"queues":[${Array(1_000_000).fill("[]").join()}]}}`))).toBeUndefined();
});
