import { toItem } from "../../../lib/table/items/attributes";
import { decodeCluster, decodeSource, missingCluster } from "../../../lib/table/items/resource-items";

test.each([
  ["a\nb", '"SOURCE#a\\nb"'],
  [" ", '"SOURCE# "'],
])("a source whose name is %j names its key", (name, got) => {
  const expected = `"SOURCE#<name>", a name without control characters`;
  expect(decodeSource(toItem({ sk: `SOURCE#${name}`, spec: { kind: "sqs" } }))).toEqual({
    key: name,
    invalid: `sk: expected ${expected}, got ${got}`,
  });
});

test.each(["TENANT-CLUSTER#prod", "prod"])("%s is the key of no cluster", (pk) => {
  const spec = { endpoint: "https://prod.example", auth: { type: "token", secret: "ebb/prod" } };
  expect(decodeCluster(toItem({ pk, spec }))).toEqual({
    key: pk,
    invalid: `pk: expected "CLUSTER#<cluster>", a name without "#" and control characters, got "${pk}"`,
  });
});

test("a cluster without an item says which item is expected", () => {
  expect(missingCluster('a"b', "ebb")).toEqual({
    key: 'a"b',
    invalid: 'cluster "a\\"b": expected an item with pk "CLUSTER#a"b" and sk "CLUSTER" in table "ebb", got none',
    missing: true,
  });
});

test.each<[unknown, number | undefined]>([
  [{ creationTimestamp: "2026-11-10T12:00:00Z" }, Date.parse("2026-11-10T12:00:00Z")],
  [{ creationTimestamp: "yesterday" }, undefined],
  [{ creationTimestamp: 5 }, undefined],
  [{}, undefined],
  ["2026-11-10T12:00:00Z", undefined],
])("a cluster whose metadata is %j was registered at %j", (metadata, registeredAt) => {
  const spec = { endpoint: "https://prod.example", auth: { type: "token", secret: "ebb/prod" } };
  expect(decodeCluster(toItem({ pk: "CLUSTER#prod", spec, metadata }))).toStrictEqual({
    ...{ key: "prod", value: { name: "prod", spec, ...(registeredAt !== undefined && { registeredAt }) } },
  });
});
