import { asHpaKey } from "../../lib/model/hpa-key";
import { toItem } from "../../lib/table/items/attributes";
import { changedHpa, type EntryRecord } from "../../lib/table/changed-hpa";
import { hpaItemKey, stateKey } from "../../lib/table/items/keys";

const keys = hpaItemKey("prod", "shop/orders");
const named = { cluster: "prod", namespace: "shop", name: "orders" };
const spec = {
  scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "orders" },
  minReplicas: 0,
  maxReplicas: 10,
  metrics: [{ type: "External", external: { metric: { name: "sqs" }, target: { averageValue: "5" } } }],
};
const entry = { metadata: { annotations: { team: "orders" }, labels: { app: "orders" }, generation: 1 }, spec };

const record = (before: object | undefined, after: object | undefined, at: object = keys): EntryRecord => ({
  dynamodb: {
    Keys: toItem(at),
    ...(before && { OldImage: toItem({ ...at, ...before }) }),
    ...(after && { NewImage: toItem({ ...at, ...after }) }),
  },
});

describe("wakes", () => {
  test.each<[string, object | undefined, object | undefined]>([
    ["created", undefined, entry],
    ["deleted", entry, undefined],
    ["another maximum", entry, { ...entry, spec: { ...spec, maxReplicas: 20 } }],
    ["a metric less", entry, { ...entry, spec: { ...spec, metrics: [] } }],
    [
      "deep within a metric",
      entry,
      { ...entry, spec: JSON.parse(JSON.stringify(spec).replace('"5"', '"6"')) as object },
    ],
    ["a field with its default", entry, { ...entry, spec: { ...spec, behavior: {} } }],
    ["a spec that became none", entry, { ...entry, spec: "none" }],
    ["paused", entry, { ...entry, metadata: { annotations: { team: "orders", "ebb.dev/paused": "true" } } }],
    ["resumed", { metadata: { annotations: { "ebb.dev/paused": "true" } }, spec }, { spec }],
    [
      "metrics in an annotation, as autoscaling/v1 has them",
      entry,
      { ...entry, metadata: { annotations: { "autoscaling.alpha.kubernetes.io/metrics": "[]" } } },
    ],
    ["another version of the API", entry, { ...entry, apiVersion: "autoscaling/v1" }],
    ["another name in the metadata", entry, { ...entry, metadata: { ...entry.metadata, name: "others" } }],
    ["metadata that is not a map", entry, { ...entry, metadata: "none" }],
    ["a spec beside metadata that is none", { spec, metadata: "none" }, { spec: {}, metadata: "none" }],
  ])("%s", (_what, before, after) => {
    expect(changedHpa(record(before, after))).toEqual(named);
  });
});

describe("wakes nobody", () => {
  test.each<[string, object, object]>([
    ["labels", entry, { ...entry, metadata: { ...entry.metadata, labels: { app: "other" } } }],
    ["bookkeeping", entry, { ...entry, metadata: { ...entry.metadata, generation: 2, uid: "b9a1" } }],
    ["a status", entry, { ...entry, status: { currentReplicas: 3 } }],
    ["an expiry", entry, { ...entry, expiresAt: 1_772_366_400 }],
    [
      "the version and kind that an entry has anyway",
      entry,
      { ...entry, apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler" },
    ],
    [
      "the name and namespace that its key says",
      entry,
      { ...entry, metadata: { ...entry.metadata, name: "orders", namespace: "shop" } },
    ],
    ["no annotations instead of none", { spec }, { spec, metadata: { annotations: {} } }],
    ["nothing", entry, entry],
  ])("%s", (_what, before, after) => {
    expect(changedHpa(record(before, after))).toBeUndefined();
  });

  test.each<[string, object]>([
    ["a state", stateKey("prod", "shop/orders")],
    ["a key without a name", hpaItemKey("prod", asHpaKey("shop"))],
    ["a key with more than a name", hpaItemKey("prod", "shop/orders/x")],
    ["a key without a cluster", hpaItemKey("", "shop/orders")],
    ["a key elsewhere", { pk: "SHARD", sk: "HPA#shop/orders" }],
    ["a key that is a number", { pk: "CLUSTER#prod", sk: 7 }],
  ])("%s", (_what, at) => {
    expect(changedHpa(record(undefined, entry, at))).toBeUndefined();
  });

  test.each<[string, EntryRecord]>([
    ["an empty record", {}],
    ["a record without keys", { dynamodb: { NewImage: toItem(entry) } }],
    ["keys that are text", { dynamodb: { Keys: "HPA#shop/orders" } }],
  ])("%s", (_what, broken) => {
    expect(changedHpa(broken)).toBeUndefined();
  });
});
