import { wokenRange } from "../../lib/scheduler/plan-wakes";

const woken = { cluster: "prod", namespace: "shop" };
const namespace = { cluster: "prod", from: "shop/", to: "shop0" };

test.each<[string, { from: string; to: string | null } | undefined, { from: string; to: string | null }]>([
  ["no shard: the whole namespace", undefined, { from: "shop/", to: "shop0" }],
  ["a shard of everything", { from: "", to: null }, { from: "shop/", to: "shop0" }],
  ["a shard of other namespaces too", { from: "a/", to: "z/" }, { from: "shop/", to: "shop0" }],
  ["a shard that begins within it", { from: "shop/h", to: null }, { from: "shop/h", to: "shop0" }],
  ["a shard that ends within it", { from: "", to: "shop/p" }, { from: "shop/", to: "shop/p" }],
  ["a shard of a part of it", { from: "shop/h", to: "shop/p" }, { from: "shop/h", to: "shop/p" }],
  ["a shard of exactly it", { from: "shop/", to: "shop0" }, { from: "shop/", to: "shop0" }],
])("what a wake loads: %s", (_name, shard, expected) => {
  const range = wokenRange(woken, shard && { cluster: "prod", ...shard });
  expect(range).toEqual({ ...namespace, ...expected });
});
