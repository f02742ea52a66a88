import {
  allKeys,
  decisionKey,
  decisionKeys,
  eventsKey,
  leaseKey,
  shardKey,
  shardKeys,
  shardsOf,
  tableDefinition,
} from "../../../lib/table/items/keys";

const at = Date.parse("2026-03-01T12:00:00.250Z");
const isIn = ({ low, high }: { readonly low: string; readonly high: string }, sk: string) => sk >= low && sk < high;

test("the keys of what ebb writes", () => {
  expect(decisionKey("prod", "shop/orders", at)).toEqual({
    pk: "CLUSTER#prod",
    sk: "DECISION#shop/orders#2026-03-01T12:00:00.250Z",
  });
  expect(eventsKey("prod", "shop/orders")).toEqual({ pk: "CLUSTER#prod", sk: "EVENTS#shop/orders" });
  expect(leaseKey).toEqual({ pk: "WATCH", sk: "LEASE" });
  expect(shardKey({ cluster: "prod", from: "shop/" })).toEqual({ pk: "SHARD", sk: "prod#shop/" });
});

test.each<[string, ReturnType<typeof allKeys>, readonly [sk: string, isIn: boolean][]]>([
  [
    "an HPA's decisions",
    decisionKeys("prod", "shop/a"),
    [
      [decisionKey("prod", "shop/a", at).sk, true],
      [decisionKey("prod", "shop/ab", at).sk, false],
      [decisionKey("prod", "shop/Z", at).sk, false],
    ],
  ],
  [
    "an HPA's decisions up to a moment",
    decisionKeys("prod", "shop/a", at),
    [
      [decisionKey("prod", "shop/a", at - 1).sk, true],
      [decisionKey("prod", "shop/a", at).sk, true],
      [decisionKey("prod", "shop/a", at + 1).sk, false],
    ],
  ],
  [
    "a cluster's shards",
    shardsOf("prod"),
    [
      [shardKey({ cluster: "prod", from: "" }).sk, true],
      [shardKey({ cluster: "prod", from: "z" }).sk, true],
      [shardKey({ cluster: "production", from: "" }).sk, false],
      [shardKey({ cluster: "pro", from: "" }).sk, false],
    ],
  ],
  [
    "a shard's HPAs",
    shardKeys("HPA#", { cluster: "prod", from: "b/", to: "m/" }),
    [
      ["HPA#b/x", true],
      ["HPA#a/x", false],
      ["HPA#m/", false],
      ["STATE#b/x", false],
    ],
  ],
  [
    "the last shard's HPAs",
    shardKeys("HPA#", { cluster: "prod", from: "b/", to: null }),
    [
      ["HPA#~", true],
      ["HPA$", false],
    ],
  ],
])("%s", (_name, range, keys) => {
  expect(keys.map(([sk]) => [sk, isIn(range, sk)])).toEqual(keys);
});

test("each range is one of its own partition", () => {
  expect([allKeys("HPA#", "prod").pk, decisionKeys("prod", "a/b").pk, shardsOf("prod").pk]).toEqual([
    "CLUSTER#prod",
    "CLUSTER#prod",
    "SHARD",
  ]);
});

test("the table that local runs create", () => {
  expect(tableDefinition("ebb")).toEqual({
    TableName: "ebb",
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [
      { AttributeName: "pk", AttributeType: "S" },
      { AttributeName: "sk", AttributeType: "S" },
    ],
    KeySchema: [
      { AttributeName: "pk", KeyType: "HASH" },
      { AttributeName: "sk", KeyType: "RANGE" },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: "by-kind",
        KeySchema: [
          { AttributeName: "sk", KeyType: "HASH" },
          { AttributeName: "pk", KeyType: "RANGE" },
        ],
        Projection: { ProjectionType: "KEYS_ONLY" },
      },
    ],
  });
});
