import { randomBytes } from "node:crypto";
import { brotliCompressSync } from "node:zlib";
import { hpaKey, type HpaKey } from "../../../lib/model/hpa-key";
import type { Latest, LatestValues } from "../../../lib/model/stored/latest";
import { decodeLatest, encodeLatest } from "../../../lib/table/items/packed-items";
import { itemBytes, maxItemBytes } from "../../../lib/table/items/attributes";
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

const noise = (bytes: number) => randomBytes(bytes).toString("base64");
const messageOf = (found: Latest, of: HpaKey) => found[of]?.status.conditions?.[0]?.message ?? "";

test("if not all fits, every HPA stays, and the long texts are cut", () => {
  const latest = { ...many(300, () => noise(1_500)), [key(7)]: values("short"), [key(9)]: values("short") };
  const item = encodeLatest(shard, latest, 0);
  expect(itemBytes(item)).toBeLessThanOrEqual(maxItemBytes);
  expect(itemBytes(item)).toBeGreaterThan(maxItemBytes / 2);
  const found = whole(decodeLatest, item) ?? {};
  expect(Object.keys(found)).toHaveLength(300);
  expect(found).toMatchObject({ [key(7)]: values("short"), [key(9)]: values("short") });
  const lengths = Object.keys(found).map((one) => messageOf(found, one as HpaKey).length);
  expect(lengths.filter((length) => length > 500)).toHaveLength(298);
});

test("a shard where a few HPAs are large: the others show all of theirs, and so does a neighbour of many", () => {
  const large = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [hpaKey("crowd", `n${index}`), values(noise(30_000))]),
  );
  const usual = many(200, (index) => `${noise(300)} ${index}`);
  const found = whole(decodeLatest, encodeLatest(shard, { ...large, ...usual }, 0)) ?? {};
  expect(Object.keys(found)).toHaveLength(220);
  expect(found).toMatchObject(usual);
  expect(messageOf(found, hpaKey("crowd", "n3")).length).toBeGreaterThan(5_000);
});

test("the same values are cut in the same way, whatever order they come in", () => {
  const latest = many(300, () => noise(1_500));
  const other = Object.fromEntries(Object.entries(latest).reverse());
  const [first = {}, second = {}] = [latest, other].map((one) => whole(decodeLatest, encodeLatest(shard, one, 0)));
  const lengths = Object.keys(latest).map((of) => messageOf(first, of as HpaKey).length);
  expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThan(5);
  expect(Object.keys(second).sort()).toEqual(Object.keys(first).sort());
});

test("of an HPA with hundreds of metrics, steps go first, then metrics, and the conditions stay", () => {
  const step = (index: number) => ({ stage: "metric", replicas: 1, because: `${index} ${noise(60)}` }) as const;
  const explained = (steps: number): LatestValues => ({
    ...values("cannot read the metric"),
    decision: { at: 1, from: 1, desiredReplicas: 1, steps: Array.from({ length: steps }, (_, index) => step(index)) },
  });
  const few = explained(2);
  const latest = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [key(index), explained(200)]));
  const found = whole(decodeLatest, encodeLatest(shard, { ...latest, [key(0)]: few }, 0)) ?? {};
  expect(Object.keys(found)).toHaveLength(50);
  expect(found[key(0)]).toEqual(few);
  expect(found[key(1)]).toMatchObject(values("cannot read the metric"));
});

test("more JSON than a reader takes is cut, however well it packs, and so are texts full of escapes", () => {
  const latest = { ...many(12, () => "\u0001".repeat(256 * 1024)), [key(77)]: values("short") };
  const found = whole(decodeLatest, encodeLatest(shard, latest, 0)) ?? {};
  expect(Object.keys(found)).toHaveLength(13);
  expect(found).toMatchObject({ [key(77)]: values("short") });
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
