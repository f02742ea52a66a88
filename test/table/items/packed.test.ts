import { randomBytes } from "node:crypto";
import { brotliDecompressSync } from "node:zlib";
import { hpaKey } from "../../../lib/model/hpa-key";
import { pack, packWhole } from "../../../lib/table/items/packed";

/** Packs to a little more than so many bytes. */
const noise = (bytes: number) => randomBytes(bytes).toString("base64");
const named = (namespace: string, values: readonly unknown[]) =>
  values.map((value, index) => [hpaKey(namespace, `n${index}`), value] as const);
const contents = (all: readonly (readonly (readonly [string, unknown])[])[]) => Object.fromEntries(all.flat());

function read({ packed: { packed }, leftOut }: ReturnType<typeof pack>) {
  return { keys: Object.keys(JSON.parse(String(brotliDecompressSync(packed.B!))) as object), leftOut };
}

test("an item has room for its key and the rest of its attributes beside what is packed", () => {
  const all = { "shop/fits": noise(400_000) };
  expect(read(pack(all))).toEqual({ keys: ["shop/fits"], leftOut: [] });
  expect(packWhole(all)).toBeDefined();
  const none = { "shop/too-large": noise(407_500) };
  expect(read(pack(none))).toEqual({ keys: [], leftOut: ["shop/too-large"] });
  expect(packWhole(none)).toBeUndefined();
});

test("a namespace of many is left out before one of few", () => {
  const many = Array.from({ length: 8 }, () => noise(60_000));
  const all = contents([named("crowd", many), named("few", [noise(150_000)])]);
  const { keys, leftOut } = read(pack(all));
  expect(keys).toContain("few/n0");
  expect(keys.length).toBeGreaterThan(2);
  expect([...keys, ...leftOut].sort()).toEqual(Object.keys(all).sort());
});

test("20,000 keys are the most, with fair shares of the namespaces", () => {
  const all = contents([named("crowd", Array<number>(20_010).fill(1)), named("few", [1, 2])]);
  const { keys, leftOut } = read(pack(all));
  expect(keys).toHaveLength(20_000);
  expect(keys.slice(-2)).toEqual(["few/n0", "few/n1"]);
  expect(leftOut).toHaveLength(12);
  expect(packWhole(Object.fromEntries(Object.entries(all).slice(0, 20_000)))).toBeDefined();
  expect(packWhole(all)).toBeUndefined();
});
