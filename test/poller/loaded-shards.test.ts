import { asHpaKey } from "../../lib/model/hpa-key";
import { measure } from "../../lib/model/size";
import { openLoadedShards } from "../../lib/poller/loaded-shards";
import { idleHpa } from "./world";

const idleOf = (hpas: number, namespace: string) =>
  Object.fromEntries(
    Array.from({ length: hpas }, (_, index) => [asHpaKey(`${namespace}/n${index}`), idleHpa("orders", "", {})]),
  );
const one = measure(idleHpa("orders", "", {})).memory;

/** Room for 16 HPAs, and for 14 after a cut. */
function setUp() {
  const leftOut: string[] = [];
  let rotation = 0;
  const loaded = openLoadedShards(16.5 * one, {
    round: () => rotation,
    leftOut: ({ cluster, from }, hpas) => leftOut.push(`${cluster}#${from} ${hpas}`),
  });
  const add = (cluster: string, from: string, hpas: number, { mark = String(hpas), namespace = "shop" } = {}) => {
    const shard = { cluster, from, to: null, version: 1, slot: 0, heartbeat: 0, behind: {}, entries: 1 };
    loaded.add(`${cluster}#${from}`, { mark, shard, idle: idleOf(hpas, `${namespace}${from}`) });
  };
  const kept = () =>
    Object.fromEntries(
      [...loaded.values()].map(({ shard, idle }) => [shard.cluster + shard.from, Object.keys(idle).length]),
    );
  const keys = () =>
    [...loaded.values()].flatMap(({ shard, idle }) => Object.keys(idle).map((key) => shard.cluster + key));
  return { loaded, add, kept, keys, leftOut, next: () => void (rotation += 1) };
}

test("what fits is kept, and a shard that is read again takes the place of what it was", () => {
  const { add, kept, leftOut } = setUp();
  add("a", "", 12);
  add("b", "", 4);
  add("a", "", 11);
  add("c", "", 1);
  expect(kept()).toEqual({ a: 11, b: 4, c: 1 });
  expect(leftOut).toEqual([]);
});

test("a cluster that fills everything costs the others nothing, whether it comes first or last", () => {
  const shards = ["", "b", "c", "d", "e", "f"];
  const [first, last] = [setUp(), setUp()];
  for (const from of shards) first.add("greedy", from, 4);
  first.add("small", "", 3);
  last.add("small", "", 3);
  for (const from of shards) last.add("greedy", from, 4);
  for (const { kept, keys } of [first, last]) {
    expect(kept()["small"]).toBe(3);
    expect(keys().length).toBeGreaterThanOrEqual(12);
    expect(keys().length).toBeLessThanOrEqual(16);
  }
});

test("so does a namespace of the same cluster", () => {
  const { add, kept } = setUp();
  add("prod", "", 3, { namespace: "zzz" });
  add("prod", "b", 30, { namespace: "crowd" });
  expect(kept()).toEqual({ prod: 3, prodb: 11 });
});

test("HPAs of a namespace that do not fit take turns", () => {
  const all = new Set<string>();
  for (let rotation = 0; rotation < 3; rotation++) {
    const { add, keys, next } = setUp();
    for (let passed = 0; passed < rotation; passed++) next();
    add("a", "", 28);
    expect(keys()).toHaveLength(14);
    for (const key of keys()) all.add(key);
  }
  expect(all.size).toBeGreaterThan(21);
});

test("what was left out is reported once for each item, and not read again before it is another", () => {
  const { loaded, add, leftOut } = setUp();
  add("a", "", 20, { mark: "first" });
  expect(loaded.markOf("a#")).toBe("first");
  add("b", "", 9);
  expect(leftOut).toEqual(["a# 6", "b# 2"]);
  add("a", "", 20, { mark: "second" });
  expect(leftOut.slice(2)).toEqual(["a# 13"]);
  loaded.delete("a#");
  expect([loaded.markOf("a#"), loaded.ids()]).toEqual([undefined, ["b#"]]);
});
