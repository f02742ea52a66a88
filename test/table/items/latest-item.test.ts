import { randomBytes } from "node:crypto";
import { brotliCompressSync } from "node:zlib";
import { hpaKey } from "../../../lib/model/hpa-key";
import { decodeLatest, encodeLatest } from "../../../lib/table/items/latest-item";
import { itemBytes, maxItemBytes } from "../../../lib/table/item-size";
import { whole } from "./whole";

const shard = { cluster: "prod", from: "" };
const key = (index: number) => hpaKey("shop", `n${index}`);
const values = (message: string) =>
  ({ version: 1, status: { conditions: [{ type: "T", status: "True", message }] } }) as const;
const many = (count: number, message: (index: number) => string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [key(index), values(message(index))]));
const packed = (data: unknown) => ({ packed: { B: brotliCompressSync(JSON.stringify(data)) } });

test("expires a day after the last slot that wrote it", () => {
  const { pk, sk, expiresAt } = encodeLatest({ cluster: "prod", from: "shop/k" }, {}, 1_000);
  expect([pk?.S, sk?.S, expiresAt?.N]).toEqual(["CLUSTER#prod", "LATEST#shop/k", "86401"]);
});

test("1,000 HPAs with values of their own take a tenth of their JSON at most", () => {
  const text = (index: number) =>
    `the HPA was able to successfully calculate a replica count from depth (${index * 7})`;
  const latest = many(1_000, text);
  expect(itemBytes(encodeLatest(shard, latest, 0)) * 10).toBeLessThan(JSON.stringify(latest).length);
});

test("what does not fit is left out, the largest first", () => {
  const noise = Array.from({ length: 300 }, () => randomBytes(1_500).toString("base64"));
  const latest = { ...many(300, (index) => noise[index] ?? ""), [key(7)]: values("short"), [key(9)]: values("short") };
  const item = encodeLatest(shard, latest, 0);
  expect(itemBytes(item)).toBeLessThanOrEqual(maxItemBytes);
  const found = whole(decodeLatest, item) ?? {};
  expect(Object.keys(found).length).toBeGreaterThanOrEqual(150);
  expect(found).toMatchObject({ [key(7)]: values("short"), [key(9)]: values("short") });
});

test("more JSON than a reader takes is left out, however well it packs", () => {
  const latest = { ...many(40, () => "x".repeat(1024 * 1024)), [key(7)]: values("short") };
  expect(whole(decodeLatest, encodeLatest(shard, latest, 0))).toMatchObject({ [key(7)]: values("short") });
});

test.each([
  ["nothing", {}],
  ["text", { packed: { S: "{}" } }],
  ["what was never packed", { packed: { B: Buffer.from("{}") } }],
  ["half of it", { packed: { B: brotliCompressSync("x".repeat(9_999)).subarray(0, 9) } }],
  ["a bomb", { packed: { B: brotliCompressSync(Buffer.alloc(64 * 1024 * 1024, "[")) } }],
  ["no JSON", { packed: { B: brotliCompressSync("{") } }],
  ["a list", packed([])],
  ["no version", packed({ "shop/a": { status: {} } })],
  ["a status of another form", packed({ "shop/a": { version: 1, status: { conditions: "none" } } })],
])("an item with %s is as none", (_what, item) => {
  expect(whole(decodeLatest, item)).toBeUndefined();
});
