import { aroundCalls } from "../aws/around";
import type { DynamoClient } from "../../lib/aws/http/dynamodb-commands";
import { asHpaKey, hpaKey } from "../../lib/model/hpa-key";
import * as keys from "../../lib/table/items/keys";
import { putCluster, putHpa, putSource } from "../../local/entries";
import { hpaWith } from "../core/build";
import { ebb, type Ran } from "../cli/run-ebb";
import { signal, servedTableForTests } from "../cli/table";
import { openStore } from "../../lib/table/store";
import { exampleText } from "../examples/examples";
import {
  decodeDecision,
  encodeDecision,
  decodeState,
  encodeState,
  decodeEvents,
  encodeEvents,
} from "../../lib/table/items/hpa-items";
import { decodeIdle, encodeIdle, decodeLatest, encodeLatest } from "../../lib/table/items/packed-items";
import type { Item } from "../../lib/table/items/attributes";
import { dynamoCall } from "./dynamo-call";
import { allowing, type Call, type Statement } from "./iam";

/** examples/team-policy.json: a team may read and write its own cluster, "team-a", and no other. */
const arn = "arn:aws:dynamodb:eu-central-1:111122223333:table/ebb-prod";
const { Statement: statements } = JSON.parse(exampleText("team-policy.json")) as {
  readonly Statement: readonly Statement[];
};
const isAllowed = (call: Call) => allowing(statements, call).length > 0;

const key = hpaKey("shop", "web");
const at = Date.parse("2026-03-01T12:00:00Z");
const range = (cluster: string) => ({ cluster, from: "", to: null });

/** Every item of a cluster. */
const itemsOf = (cluster: string) => [
  keys.clusterKey(cluster),
  keys.hpaItemKey(cluster, key),
  keys.sourceKey(cluster, "orders"),
  keys.stateKey(cluster, key),
  keys.decisionKey(cluster, key, at),
  keys.eventsKey(cluster, key),
  keys.latestKey(range(cluster)),
  keys.idleKey(range(cluster)),
];
/** What an entry may have, and what a conditional write of one names. */
const ofEntries = ["pk", "sk", "apiVersion", "kind", "metadata", "spec", "status", "expiresAt", "writeToken"];
/** Every range that is queried for a cluster, but that of its shards. */
const rangesOf = (cluster: string) => [
  keys.decisionKeys(cluster, key),
  keys.allKeys(keys.hpaPrefix, cluster),
  keys.shardKeys(keys.statePrefix, range(cluster)),
];
const writes = ["PutItem", "DeleteItem"];
const reads = ["GetItem", "BatchGetItem"];

const putting = (pk: string, attributes?: readonly string[]): Call => ({
  ...{ action: "dynamodb:PutItem", resource: arn, leadingKeys: [pk] },
  ...(attributes && { attributes }),
});
const callsOn = (cluster: string): readonly Call[] => [
  ...itemsOf(cluster).flatMap(({ pk }) => [
    ...[...reads, "DeleteItem"].map((action) => ({ action: `dynamodb:${action}`, resource: arn, leadingKeys: [pk] })),
    putting(pk, ofEntries),
  ]),
  ...rangesOf(cluster).map(({ pk }) => ({ action: "dynamodb:Query", resource: arn, leadingKeys: [pk] })),
];

test("every item of the team's cluster may be read and deleted, and written with an entry's attributes", () => {
  expect(callsOn("team-a").filter((call) => !isAllowed(call))).toEqual([]);
});

// The last four are names that a prefix, a pattern or another spelling would let through.
test.each(["team-b", "team-a2", "team-", "team-a ", "TEAM-A", "*"])("nothing of cluster %j", (cluster) => {
  expect(callsOn(cluster).filter(isAllowed)).toEqual([]);
});

describe("what ebb writes for itself", () => {
  const shard = { cluster: "team-a", from: "", to: null };
  const state = { version: 1, slot: at, status: {}, history: null, open: false };
  const own: readonly (readonly [string, Item])[] = [
    ["STATE", encodeState("team-a", key, state)],
    ["LATEST", encodeLatest(shard, {}, at)],
    ["IDLE", encodeIdle(shard, {}, at).item],
    ["EVENTS", encodeEvents("team-a", key, { version: 1, log: { entries: [], groups: [], buckets: {} } })],
    [
      "DECISION",
      encodeDecision(
        { at, from: 1, desiredReplicas: 1, steps: [], scaleTo: null, events: [] },
        { cluster: "team-a", key, expiresAt: at },
      ),
    ],
  ];

  test.each(own)("a team writes no %s item that can be read: none with its attributes", (_kind, item) => {
    expect(isAllowed(putting("CLUSTER#team-a", Object.keys(item)))).toBe(false);
    const left = Object.fromEntries(Object.entries(item).filter(([name]) => ofEntries.includes(name)));
    expect(isAllowed(putting("CLUSTER#team-a", Object.keys(left)))).toBe(true);
    const prefix = item["sk"]?.S?.split("#")[0] ?? "";
    expect(readable(prefix, left)).toBe(false);
    expect(readable(prefix, item)).toBe(true);
  });

  test("nothing packed is written, under whatever name", () => {
    for (const more of ["packed", "Packed", "version", "queues", "entries", "steps"])
      expect(isAllowed(putting("CLUSTER#team-a", [...ofEntries, more]))).toBe(false);
  });

  test("a request that names no attributes is none that may write", () => {
    expect(isAllowed(putting("CLUSTER#team-a"))).toBe(false);
  });
});

function readable(prefix: string, item: Item): boolean {
  const asked = { holds: () => true, room: { left: Infinity } };
  const decoders: Readonly<Record<string, () => object>> = {
    STATE: () => decodeState(item),
    EVENTS: () => decodeEvents(item),
    DECISION: () => decodeDecision(item),
    LATEST: () => decodeLatest(item, asked) ?? { broken: true },
    IDLE: () => decodeIdle(item, asked) ?? { broken: true },
  };
  const found = decoders[prefix]?.();
  if (found === undefined) throw new Error(`expected a kind of item that ebb writes, got ${prefix}`);
  return !("broken" in found);
}

test("a batch with one foreign key is refused whole", () => {
  const leadingKeys = ["CLUSTER#team-a", "CLUSTER#team-b"];
  expect(isAllowed({ action: "dynamodb:BatchGetItem", resource: arn, leadingKeys })).toBe(false);
});

test("of the shards, which all clusters share, only reading", () => {
  const { pk } = keys.shardKey(range("team-a"));
  const may = (action: string) => isAllowed({ action: `dynamodb:${action}`, resource: arn, leadingKeys: [pk] });
  expect(["Query", ...writes, "BatchWriteItem", "UpdateItem"].filter(may)).toEqual(["Query"]);
});

test.each([
  ["team-a", ["Query", "GetItem", "BatchGetItem"]],
  ["team-b", []],
])("of the history of cluster %s, %j", (cluster, expected) => {
  const { pk } = keys.minuteKey(range(cluster), at);
  const may = (action: string) => isAllowed({ action: `dynamodb:${action}`, resource: arn, leadingKeys: [pk] });
  expect(["Query", ...reads, ...writes, "BatchWriteItem", "UpdateItem"].filter(may)).toEqual(expected);
});

test.each(["Scan", "Query", "PartiQLSelect", "PartiQLUpdate", "TransactWriteItems"])(
  "no %s without a key",
  (action) => {
    expect(isAllowed({ action: `dynamodb:${action}`, resource: arn })).toBe(false);
  },
);

test("no other table, and no index", () => {
  for (const resource of [`${arn}2`, `${arn}/index/by-kind`, arn.replace("prod", "dev")]) {
    expect(isAllowed({ action: "dynamodb:Query", resource, leadingKeys: ["CLUSTER#team-a"] })).toBe(false);
  }
});

describe("the command under this policy", () => {
  const { table, file } = servedTableForTests();
  const refused: string[] = [];

  /** A client that refuses what the policy does not allow, as DynamoDB does. */
  function limitedClient(): DynamoClient {
    const limited: DynamoClient = { ...table().client };
    aroundCalls(limited, (next, { operation, input }) => {
      if (isAllowed(dynamoCall(operation, input, () => arn))) return next();
      refused.push(operation);
      throw Object.assign(new Error(`User is not authorized to perform: dynamodb:${operation}`), {
        name: "AccessDeniedException",
        $fault: "client",
        $metadata: { httpStatusCode: 400 },
      });
    });
    return limited;
  }

  let run: (cluster: string, ...args: readonly string[]) => Promise<Ran>;
  beforeAll(async () => {
    const auth = { type: "token", secret: "ebb/x" } as const;
    for (const name of ["team-a", "team-b"]) {
      await putCluster(table(), name, { endpoint: "https://127.0.0.1:1", auth });
      await putHpa(table(), name, hpaWith());
      await putSource(table(), name, { name: "jobs", spec: { kind: "sqs", parameters: { queue: "jobs" } } });
    }
    const client = limitedClient();
    run = (cluster, ...args) => ebb([...args, "--cluster", cluster], { table: { client, name: table().name } });
  });
  afterEach(() => refused.splice(0));

  const verbs = [
    ["get", "hpa", "-A"],
    ["get", "sources"],
    ["get", "events", "-n", "shop"],
    ["describe", "hpa", "web", "-n", "shop"],
    ["describe", "source", "jobs"],
    ["explain", "hpa", "web", "-n", "shop"],
    ["pause", "hpa", "web", "-n", "shop"],
    ["resume", "hpa", "web", "-n", "shop"],
    ["label", "hpa", "web", "-n", "shop", "team=a"],
    ["rbac"],
    ["delete", "hpa", "web", "-n", "shop"],
  ];

  test.each(verbs.map((args) => [args.join(" "), args] as const))(
    "ebb %s works on the team's cluster alone",
    async (_, args) => {
      const foreign = await run("team-b", ...args);
      expect([foreign.exitCode, refused.length > 0]).toEqual([1, true]);
      expect(foreign.stderr).toMatch(/credentials lack dynamodb:/);
      refused.splice(0);
      const own = await run("team-a", ...args);
      expect([own.stderr, own.exitCode, refused]).toEqual([expect.not.stringContaining("rror"), 0, []]);
    },
  );

  test("ebb apply writes HPAs and sources of the team's cluster alone", async () => {
    const hpa = { ...hpaWith(), metadata: { name: "new", namespace: "shop" } };
    const source = {
      apiVersion: "ebb.dev/v1",
      kind: "MetricSource",
      metadata: { name: "orders" },
      spec: { kind: "sqs", parameters: { queue: "orders" } },
    };
    const path = await file([hpa, source].map((document) => JSON.stringify(document)).join("\n---\n"));
    expect((await run("team-b", "apply", "-f", path)).exitCode).toBe(1);
    refused.splice(0);
    const own = await run("team-a", "apply", "-f", path);
    expect([own.stderr, own.exitCode, refused]).toEqual(["", 0, []]);
    const store = openStore({ client: table().client, table: table().name, now: () => at });
    expect(await store.document("team-a", asHpaKey("shop/new"), signal)).toBeDefined();
    expect(await store.document("team-b", asHpaKey("shop/new"), signal)).toBeUndefined();
  });
});
