import { version as release } from "../../../package.json";
import type { Shard } from "../../../lib/model/stored/shard";
import { fromItem, toItem } from "../../../lib/table/items/attributes";
import { decodeShard, encodeShard, shardWriter } from "../../../lib/table/items/shard-item";

const shard: Shard = {
  ...{
    cluster: "prod",
    from: "shop/",
    to: null,
    version: 7,
    slot: 1,
    heartbeat: 2,
    behind: { "shop/a": 1 },
    entries: 3,
  },
};
const item = (changed: object = {}) => toItem({ ...fromItem(encodeShard(shard)), ...changed });

test("a shard comes back, and the item says who wrote it", () => {
  expect(fromItem(encodeShard(shard))).toEqual({
    ...{ pk: "SHARD", sk: "prod#shop/", format: 1 },
    ...shard,
    writtenBy: { release, version: 7 },
  });
  expect(decodeShard(item({ writeToken: "x" }))).toEqual({ value: shard });
});

test.each<[string, object, object]>([
  ["another key", { sk: "prod#" }, { broken: 'sk: expected "prod#shop/", got "prod#"' }],
  ["no key", { sk: undefined }, { broken: 'sk: expected "prod#shop/", got nothing' }],
  ["a slot as text", { slot: "1" }, { broken: 'slot: expected a whole number, got "1"' }],
])("an item with %s is broken", (_name, changed, expected) => {
  expect(decodeShard(item(changed))).toMatchObject(expected);
});

test("an item of a newer format is not broken, but newer", () => {
  expect(decodeShard(item({ format: 2 }))).toMatchObject({ isNewer: true });
});

test.each<[string, object, object | undefined]>([
  ["this version", {}, { cluster: "prod", heartbeat: 2, release }],
  ["a version that records nothing", { writtenBy: undefined }, { cluster: "prod", heartbeat: 2 }],
  ["one that keeps the record of the write before", { version: 8 }, { cluster: "prod", heartbeat: 2 }],
  ["one whose record is no map", { writtenBy: "0.1.0" }, { cluster: "prod", heartbeat: 2 }],
  ["one whose release is no text", { writtenBy: { version: 7, release: 1 } }, { cluster: "prod", heartbeat: 2 }],
  ["nobody: no cluster", { cluster: 1 }, undefined],
  ["nobody: no heartbeat", { heartbeat: "2" }, undefined],
])("who wrote it last: %s", (_name, changed, expected) => {
  expect(shardWriter(item(changed))).toEqual(expected && { release: undefined, ...expected });
});
