import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import fc from "fast-check";
import { changedHpa } from "../../lib/table/changed-hpa";
import { type Item, toItem } from "../../lib/table/items/attributes";
import { decodeDecision, decodeState, decodeEvents } from "../../lib/table/items/hpa-items";
import { readEntry } from "../../lib/table/items/entry-item";
import { decodeHpaItem } from "../../lib/table/items/hpa-document";
import { decodeCluster, decodeSource } from "../../lib/table/items/resource-items";
import { decodeShard } from "../../lib/table/items/shard-item";

/** One bad item harms only itself: no reader throws. */
const at = Date.parse("2026-03-01T12:00:00Z");
const step = { stage: "combine", replicas: 1, because: "the highest of 1", detail: { blind: 0 } };
const event = { type: "Normal", reason: "SuccessfulRescale", message: "New size: 4" };
const intent = {
  from: 0,
  to: 4,
  at,
  resourceVersion: "1",
  countsAsEvent: true,
  message: "New size: 4",
  scaledToZero: false,
  steps: [step],
};
const run = { replicas: 1, since: at, at };

const state = {
  version: 3,
  slot: at,
  wake: { at, done: true },
  targetUid: "u",
  closedAt: at,
  status: {
    desiredReplicas: 1,
    currentMetrics: [{ type: "External" }],
    conditions: [{ type: "AbleToScale", status: "True", reason: "ReadyForNewScale", message: "m" }],
  },
  history: { recommendations: [run], scaleUpEvents: [{ change: 1, at, foundAt: at }], scaleDownEvents: [] },
  open: true,
  intent,
  earlier: [intent],
  selector: "app=web",
  decision: { at, from: null, desiredReplicas: 4, steps: [step] },
  recorded: { at, desiredReplicas: 4, limitedBy: ["ScaleUpLimit"] },
  warnings: [event],
  readings: { "sqs {}": { response: { items: [{ value: "1" }] }, readAt: at } },
};
const shard = {
  cluster: "prod",
  from: "",
  to: null,
  version: 1,
  slot: at,
  heartbeat: at,
  behind: { "shop/a": at },
  failure: "unreachable",
  entries: 1,
};
const decision = { at, from: 1, scaleTo: 4, desiredReplicas: 4, events: [event], steps: [step], dryRun: true };
const bucket = { tokens: 24.5, at };
const entry = { ...event, name: "web.1", firstTimestamp: at, count: 2, seenAt: at, recorded: { count: 1, at } };
const events = {
  version: 2,
  entries: [entry],
  groups: [{ type: "Normal", reason: "r", messages: ["m"], at }],
  buckets: { Normal: bucket },
};
const cluster = {
  spec: {
    endpoint: "https://api.example.com",
    auth: { type: "eks", clusterName: "prod", region: "eu-central-1" },
    options: { tolerance: 0.2 },
  },
};
const source = { spec: { kind: "sqs", parameters: { queue: "orders", dimensions: { A: "b" } } } };
const hpa = {
  metadata: { labels: { app: "web" }, annotations: { "ebb.dev/paused": "true" } },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
    maxReplicas: 3,
    metrics: [{ type: "External", external: { metric: { name: "sqs" }, target: { averageValue: "5" } } }],
  },
};

const inPartition = (sk: string, attributes: object): Item => toItem({ pk: "CLUSTER#prod", sk, ...attributes });

const wake = (item: Item) => {
  const Keys = Object.fromEntries(Object.entries(item).filter(([name]) => name === "pk" || name === "sk"));
  return changedHpa({ dynamodb: { Keys, OldImage: toItem(hpa), NewImage: item } });
};

const readers: readonly (readonly [string, (item: Item) => unknown, Item, key: "value" | "document" | "name"])[] = [
  ["a STATE item", decodeState, inPartition("STATE#shop/web", state), "value"],
  ["a SHARD item", decodeShard, toItem({ pk: "SHARD", sk: "prod#", ...shard }), "value"],
  ["a DECISION item", decodeDecision, inPartition("DECISION#shop/web#2026-03-01T12:00:00.000Z", decision), "value"],
  ["an EVENTS item", decodeEvents, inPartition("EVENTS#shop/web", events), "value"],
  ["a CLUSTER item", decodeCluster, inPartition("CLUSTER", cluster), "value"],
  ["a SOURCE item", decodeSource, inPartition("SOURCE#depth", source), "value"],
  ["an HPA item", decodeHpaItem, inPartition("HPA#shop/web", hpa), "document"],
  ["an HPA item as an entry", readEntry, inPartition("HPA#shop/web", hpa), "document"],
  ["a record of the stream", wake, inPartition("HPA#shop/web", { ...hpa, spec: { maxReplicas: 4 } }), "name"],
];

test.each(readers)("%s that is right is read", (_name, read, item, key) => {
  expect(read(item)).toHaveProperty(key);
});

/** Keys that every object inherits, and keys that our own items have. */
const key = fc.constantFrom(
  ...["toString", "valueOf", "constructor", "__proto__", "hasOwnProperty", "toJSON", "length", "then", "a b"],
  ...["type", "status", "at", "items", "kind", "spec", "metadata", "name", "version", "steps", "parameters", "auth"],
);

const scalar: fc.Arbitrary<AttributeValue> = fc.oneof(
  fc.constantFrom("", "True", "text", "eks", "sqs", "😀\u0000").map((S) => ({ S })),
  fc.constantFrom("0", "-1", "1.5", "1E+100", "99999999999999999999", "1E-130").map((N) => ({ N })),
  fc.boolean().map((BOOL) => ({ BOOL })),
  fc.constantFrom<AttributeValue>(
    { NULL: true },
    { B: new Uint8Array([1, 2]) },
    { BS: [new Uint8Array([0])] },
    { SS: ["a", "b"] },
    { NS: ["1", "2"] },
  ),
);

/** Own members, whatever their names: an assignment to "__proto__" would set the prototype instead. */
const mapOf = (member: fc.Arbitrary<AttributeValue>) =>
  fc.array(fc.tuple(key, member), { maxLength: 4 }).map((entries) => ({ M: Object.fromEntries(entries) }));

const { value: anyValue } = fc.letrec<{ value: AttributeValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "medium", withCrossShrink: true },
    scalar,
    mapOf(tie("value")),
    fc.array(tie("value"), { maxLength: 3 }).map((L) => ({ L })),
  ),
}));

const nested = (levels: number): AttributeValue =>
  levels === 0
    ? { S: "deep" }
    : levels % 2 === 0
      ? { L: [nested(levels - 1)] }
      : { M: { toString: nested(levels - 1) } };

const attribute = fc.oneof(
  anyValue,
  fc.integer({ min: 1, max: 30 }).map((levels) => nested(levels)),
);

const item = fc
  .array(fc.tuple(fc.oneof(key, fc.constantFrom("pk", "sk", "slot", "history", "behind", "entries")), attribute))
  .map((entries): Item => Object.fromEntries(entries));

test.each(readers)("%s that holds anything never throws", (_name, read) => {
  fc.assert(
    fc.property(item, (one) => {
      read(one);
    }),
    { numRuns: 300 },
  );
});

/** Every place in an item: each attribute, and each member and element in it. */
function places(item: Item): readonly (readonly string[])[] {
  return Object.entries(item).flatMap(([name, value]) => [[name], ...placesIn(value).map((path) => [name, ...path])]);
}

function placesIn({ M, L }: AttributeValue): readonly (readonly string[])[] {
  return M !== undefined ? places(M) : L === undefined ? [] : places(Object.fromEntries(L.entries()));
}

function replaced(item: Item, [name = "", ...rest]: readonly string[], value: AttributeValue): Item {
  const old = item[name];
  if (rest.length === 0 || old === undefined) return { ...item, [name]: value };
  if (old.L === undefined) return { ...item, [name]: { M: replaced(old.M ?? {}, rest, value) } };
  const list = replaced(Object.fromEntries(old.L.entries()), rest, value);
  return { ...item, [name]: { L: Object.values(list) } };
}

test.each(readers)("%s with anything in one place never throws", (_name, read, right) => {
  fc.assert(
    fc.property(fc.constantFrom(...places(right)), attribute, (place, value) => {
      read(replaced(right, place, value));
    }),
    { numRuns: 1000 },
  );
});

test.each(readers)(
  "%s with a member more, as a newer version may write it, is read",
  (_name, read, right, expected) => {
    expect(read({ ...right, added: { M: { toString: { B: new Uint8Array([1]) } } } })).toHaveProperty(expected);
  },
);

test("a condition's status that is a map is broken, even with a member toString", () => {
  const conditions = { L: [{ M: { type: { S: "AbleToScale" }, status: { M: { toString: { S: "True" } } } } }] };
  const broken = 'status.conditions[0].status: expected True, False or Unknown, got {"toString":"True"}';
  expect(decodeState({ ...readers[0]![2], status: { M: { conditions } } })).toEqual({ broken });
});
