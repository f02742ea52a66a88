import { asHpaKey } from "../../../lib/model/hpa-key";
import type { DecisionRecord } from "../../../lib/model/stored/state";
import { openStore } from "../../../lib/table/store";
import { scriptedTable, sdkError, withoutWaiting } from "./scripted-table";

const { signal } = new AbortController();
withoutWaiting();

const keys = ["shop/a", "shop/b"].map(asHpaKey);
const entryKey = (key: string) => ({ pk: { S: "CLUSTER#prod" }, sk: { S: `HPA#${key}` } });
const entry = (key: string) => ({ ...entryKey(key), spec: { M: { minReplicas: { N: "2" } } } });
const shardKey = { pk: { S: "SHARD" }, sk: { S: "prod#" } };

function storeOver(...answers: readonly object[]) {
  const { table, sent } = scriptedTable(...answers);
  return { store: openStore({ client: table.client, table: table.name, now: () => 0 }), sent };
}

const decision: DecisionRecord = {
  ...{ at: 1_000, from: 1, desiredReplicas: 3, scaleTo: 3 },
  ...{ events: [], steps: [] },
};

test("entries and the shard that are asked for at once are one read, each item once", async () => {
  const { store, sent } = storeOver({ Responses: { ebb: [entry("shop/b"), entry("shop/a")] } });
  const asked = keys.map((key) =>
    Promise.all([store.shard({ cluster: "prod", from: "" }, signal), store.document("prod", key, signal)]),
  );
  expect(await Promise.all(asked)).toMatchObject([
    [undefined, { spec: { minReplicas: 2 } }],
    [undefined, { spec: { minReplicas: 2 } }],
  ]);
  const wanted = { ebb: { Keys: [shardKey, entryKey("shop/a"), entryKey("shop/b")], ConsistentRead: true } };
  expect(sent).toEqual([{ action: "BatchGetItem", input: { RequestItems: wanted }, signal }]);
});

test("one alone is a read of its own", async () => {
  const { store, sent } = storeOver({ Item: entry("shop/a") });
  expect(await store.document("prod", keys[0]!, signal)).toMatchObject({ spec: { minReplicas: 2 } });
  expect(sent.map(({ action }) => action)).toEqual(["GetItem"]);
});

test("decisions that are recorded at once are one write", async () => {
  const { store, sent } = storeOver();
  await Promise.all(keys.map((key) => store.putDecision("prod", key, decision, signal)));
  expect(sent).toMatchObject([{ action: "BatchWriteItem", input: { RequestItems: { ebb: [{}, {}] } } }]);
});

test("of two decisions of one moment, the last one counts: a batch may name an item only once", async () => {
  const { store, sent } = storeOver();
  const [key] = keys as [(typeof keys)[0]];
  const later = { ...decision, desiredReplicas: 5 };
  await Promise.all([decision, later].map((one) => store.putDecision("prod", key, one, signal)));
  expect(sent).toMatchObject([{ action: "PutItem", input: { Item: { desiredReplicas: { N: "5" } } } }]);
});

test("a decision that is too large fails alone, before anything is sent", async () => {
  const { store, sent } = storeOver();
  const steps = [{ stage: "gate", replicas: null, because: "x".repeat(410_000) }] as const;
  const outcomes = await Promise.allSettled([
    store.putDecision("prod", keys[0]!, { ...decision, steps }, signal),
    store.putDecision("prod", keys[1]!, decision, signal),
  ]);
  expect(outcomes).toMatchObject([{ reason: { kind: "badEntry" } }, { status: "fulfilled" }]);
  expect(sent.map(({ action }) => action)).toEqual(["PutItem"]);
});

test("a decision that the service refuses fails alone", async () => {
  const { store, sent } = storeOver(sdkError("ValidationException"), {}, sdkError("ValidationException"));
  const outcomes = await Promise.allSettled(keys.map((key) => store.putDecision("prod", key, decision, signal)));
  expect(outcomes).toMatchObject([{ status: "fulfilled" }, { reason: { kind: "badEntry" } }]);
  expect(sent.map(({ action }) => action)).toEqual(["BatchWriteItem", "PutItem", "PutItem"]);
});

test("what the service leaves out of a batch is written again", async () => {
  const { store, sent } = storeOver({ UnprocessedItems: { ebb: [{ PutRequest: { Item: entry("shop/b") } }] } });
  await Promise.all(keys.map((key) => store.putDecision("prod", key, decision, signal)));
  expect(sent).toHaveLength(2);
  expect(sent[1]).toMatchObject({ input: { RequestItems: { ebb: [{ PutRequest: { Item: entry("shop/b") } }] } } });
});

test("clusters do not share requests", async () => {
  const { store, sent } = storeOver();
  await Promise.all(["prod", "test"].map((cluster) => store.document(cluster, keys[0]!, signal)));
  expect(sent.map(({ action }) => action)).toEqual(["GetItem", "GetItem"]);
});
