import { brotliCompressSync, constants } from "node:zlib";
import { decodeLatest, encodeIdle, decodeIdle } from "../../../lib/table/items/packed-items";
import { decodeIndex } from "../../../lib/table/items/index-item";
import { asHpaKey, type HpaKey } from "../../../lib/model/hpa-key";
import { parsedMemory } from "../../../lib/model/size";
import { type Item, itemBytes } from "../../../lib/table/items/attributes";
import { unpackText, unpackWhole } from "../../../lib/table/items/unpack";
import { whole } from "./whole";

const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const packed = (text: string): Item => ({ packed: { B: brotliCompressSync(text, fast) } });
const values = '{"version":1,"status":{}}';
const map = (names: readonly string[], value = values) =>
  `{${names.map((name) => `${JSON.stringify(name)}:${value}`).join()}}`;
const names = (count: number) => Array.from({ length: count }, (_, index) => `shop/a${index}`);
const read = (item: Item, holds: (key: HpaKey) => boolean, left = Infinity) => {
  const room = { left };
  const found = decodeLatest(item, { holds, room });
  return { keys: found?.map(([key]) => key), left: room.left };
};
const all = () => true;

test("more keys than a shard can have are refused, however small the item is", () => {
  expect(Object.keys(whole(decodeLatest, packed(map(names(20_000)))) ?? {})).toHaveLength(20_000);
  expect(whole(decodeLatest, packed(map(names(20_001))))).toBeUndefined();
  expect(whole(decodeLatest, packed(map(names(300_199))))).toBeUndefined();
});

test("as many as are read are also written", () => {
  const idle = Object.fromEntries(names(20_001).map((name) => [asHpaKey(name), { hpa: 1 } as never]));
  const found = decodeIdle(encodeIdle({ cluster: "prod", from: "" }, idle, 0).item, {
    holds: () => false,
    room: { left: Infinity },
  });
  expect(found).toEqual([]);
});

test("the range is checked before the content: what nobody asks for is neither parsed nor checked", () => {
  const item = packed(`{"a/1":{"no": json},"b/1":${values},"c/1":{"version":"no"}}`);
  expect(read(item, (key) => key.startsWith("b/")).keys).toEqual(["b/1"]);
  expect(read(item, all).keys).toBeUndefined();
});

describe("the room of a read", () => {
  const large = `{"version":1,"status":{},"warnings":[{"type":"x","reason":"y","message":"${"z".repeat(100_000)}"}]}`;

  test("leaves out the HPAs that do not fit, and keeps the small ones beside them", () => {
    const item = packed(`{"a/large":${large},"a/small":${values},"b/large":${large},"b/small":${values}}`);
    expect(read(item, all, 350_000).keys).toEqual(["a/small", "b/small"]);
    expect(read(item, all, 650_000).keys).toEqual(["a/large", "a/small", "b/small"]);
    expect(read(item, all).keys).toHaveLength(4);
  });

  test("counts each HPA beside its values", () => {
    const { keys = [] } = read(packed(map(names(20_000))), all, 2 ** 21);
    expect(keys.length).toBeLessThan(2_048);
    expect(keys.length).toBeGreaterThan(500);
  });

  test("is also spent on an item that holds nothing, and then the read ends", () => {
    const item: Item = { pk: { S: "CLUSTER#prod" }, sk: { S: "LATEST#" }, spec: { S: "x".repeat(350_000) } };
    expect(read(item, all, 10_000_000)).toEqual({ keys: undefined, left: 10_000_000 - 8 * 350_027 });
    expect(read(item, all, 2_000_000).left).toBe(0);
  });

  test("bounds what an item unpacks to", () => {
    const bomb: Item = { packed: { B: brotliCompressSync(map(["a/1"], `${values}${" ".repeat(8_000_000)}`), fast) } };
    expect(read(bomb, all, 4_000_000)).toEqual({ keys: undefined, left: 0 });
    expect(read(bomb, () => false, 9_000_000)).toMatchObject({ keys: [], left: expect.any(Number) as number });
    expect(read(bomb, all).keys).toEqual(["a/1"]);
  });
});

describe("a small room", () => {
  const bomb = brotliCompressSync(map(["a/1"], `${values}${" ".repeat(200_000)}`), fast);
  const cost = 8 * itemBytes({ packed: { B: bomb } });

  test("is all spent on an item that unpacks to more, and not on one that cannot be unpacked", () => {
    expect(read({ packed: { B: bomb } }, all, 100_000)).toEqual({ keys: undefined, left: 0 });
    const broken = { packed: { B: bomb.subarray(0, -9) } };
    expect(read(broken, all, 900_000)).toEqual({ keys: undefined, left: 900_000 - 8 * itemBytes(broken) });
    expect(read({ packed: { B: bomb } }, () => false, cost + 300_000).left).toBeGreaterThan(90_000);
  });

  test("may be spent to the last byte", () => {
    const text = map(["a/1"]);
    const exact = { left: text.length };
    expect([unpackText(packed(text), exact)?.toString(), exact.left]).toEqual([text, 0]);
    expect(unpackText(packed(text), { left: text.length - 1 })).toBeUndefined();
    expect(unpackText({}, exact)).toBeUndefined();
  });

  test("pays for what a whole map takes when it is parsed", () => {
    const text = map(names(100));
    const isOne = (value: unknown): value is object => typeof value === "object";
    const room = { left: 1_000_000 };
    expect(Object.keys(unpackWhole(packed(text), isOne, room) ?? {})).toHaveLength(100);
    const memory = parsedMemory(Buffer.from(text), Infinity);
    expect(memory).toBeGreaterThan(3 * text.length);
    expect(room.left).toBe(1_000_000 - memory);
    expect(unpackWhole(packed(text), isOne, { left: memory })).toBeDefined();
    expect(unpackWhole(packed(text), isOne, { left: memory - 1 })).toBeUndefined();
  });
});

test("an index of more HPAs or queues than a shard can have is refused, however small the item is", () => {
  const index = (text: string) => decodeIndex({ ...packed(text), hash: { S: "h" } })?.hash;
  const queues = (count: number) => `{"queues":[${Array(count).fill("1").join()}]}`;
  expect(index(map(names(20_000), '{"more":true}'))).toBe("h");
  expect(index(map(names(20_001), '{"more":true}'))).toBeUndefined();
  expect(index(map(["shop/a", "shop/b"], queues(16_000)))).toBe("h");
  expect(index(map(["shop/a", "shop/b"], queues(16_001)))).toBeUndefined();
});
