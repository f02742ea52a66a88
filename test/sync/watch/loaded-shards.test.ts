import { asHpaKey } from "../../../lib/model/hpa-key";
import { measure } from "../../../lib/model/size";
import { openLoadedShards } from "../../../lib/sync/watch/loaded-shards";
import { idleHpa } from "./world";

const idleOf = (hpas: number) =>
  Object.fromEntries(
    Array.from({ length: hpas }, (_, index) => [asHpaKey(`shop/n${index}`), idleHpa("orders", "", {})]),
  );
const one = measure(idleOf(1)).memory;

/** Room for about ten HPAs. */
function setUp() {
  const givenWay: string[] = [];
  const loaded = openLoadedShards(10.5 * one, ({ cluster, from }) => givenWay.push(`${cluster}#${from}`));
  const add = (cluster: string, from: string, hpas: number) => {
    const shard = { cluster, from, to: null, version: 1, slot: 0, heartbeat: 0, behind: {}, entries: 1 };
    loaded.add(`${cluster}#${from}`, { mark: String(hpas), shard, idle: idleOf(hpas) });
  };
  const kept = () =>
    [...loaded.values()].map(({ shard, idle }) => [shard.cluster + shard.from, Object.keys(idle).length]);
  return { loaded, add, kept, givenWay };
}

test("what fits is kept, and a shard that is read again takes the place of what it was", () => {
  const { add, kept, givenWay } = setUp();
  add("a", "", 8);
  add("b", "", 2);
  add("a", "", 7);
  expect(kept()).toEqual([
    ["a", 7],
    ["b", 2],
  ]);
  expect(givenWay).toEqual([]);
});

test("the cluster that takes most gives way with its largest shard, and what remains of it is kept", () => {
  const { add, kept, givenWay } = setUp();
  add("a", "", 2);
  add("b", "", 4);
  add("a", "m", 3);
  add("a", "x", 2);
  expect(kept()).toEqual([
    ["a", 2],
    ["b", 4],
    ["am", 0],
    ["ax", 2],
  ]);
  expect(givenWay).toEqual(["a#m"]);
});

test("one cluster that fills everything costs the others nothing, whoever comes first", () => {
  const shards = ["", "b", "c", "d", "e", "f"];
  const greedyFirst = setUp();
  for (const from of shards) greedyFirst.add("greedy", from, 4);
  greedyFirst.add("small", "", 3);
  const greedyLast = setUp();
  greedyLast.add("small", "", 3);
  for (const from of shards) greedyLast.add("greedy", from, 4);
  for (const { kept } of [greedyFirst, greedyLast]) {
    expect(kept()).toContainEqual(["small", 3]);
    expect(kept().filter(([name, hpas]) => String(name).startsWith("greedy") && hpas === 4)).toHaveLength(1);
  }
});

test("a shard that gave way keeps its mark, so it is not read again before it is another", () => {
  const { loaded, add } = setUp();
  add("a", "", 12);
  expect(loaded.markOf("a#")).toBe("12");
  loaded.delete("a#");
  expect([loaded.markOf("a#"), loaded.ids()]).toEqual([undefined, []]);
});
