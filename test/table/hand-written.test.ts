import { PutItemCommand } from "../../lib/aws/http/dynamodb-commands";
import { type Item, toItem } from "../../lib/table/items/attributes";
import { openStore } from "../../lib/table/store";
import { signal, tableForTests } from "../cli/table";
import { fixture, queueSpec, start } from "../sync/sync-fixture";

/** Hand-written items, wrong in every way, beside one HPA and one source that are right. */
const { table, run } = tableForTests();

const spec = toItem({ spec: queueSpec })["spec"]!;
const fields = toItem(queueSpec);
const M = (members: Item) => ({ M: members });

interface Bad {
  readonly name: string;
  /** The sort key after HPA#; shop/<n> if not given. */
  readonly key?: string;
  readonly attributes: Item;
  readonly says: string;
}

const bad: readonly Bad[] = [
  { name: "no attribute at all", attributes: {}, says: "spec.maxReplicas: Required value" },
  { name: "a spec as text", attributes: { spec: { S: JSON.stringify(queueSpec) } }, says: "spec: Invalid value: " },
  {
    name: "a spec as a list",
    attributes: { spec: { L: [spec] } },
    says: "spec: Invalid value: a list: expected an object",
  },
  { name: "a spec as bytes", attributes: { spec: { B: new Uint8Array([1, 2]) } }, says: "spec" },
  {
    name: "a name as long as an item",
    attributes: { spec, metadata: M({ name: { S: "x".repeat(390_000) } }) },
    says: "metadata.name: expected a document of at most 131072 bytes, got 390",
  },
  { name: "a null spec", attributes: { spec: { NULL: true } }, says: "spec.maxReplicas: Required value" },
  {
    name: "the spec under a name in another case",
    attributes: { Spec: spec },
    says: "spec.maxReplicas: Required value",
  },
  {
    name: "a number as text",
    attributes: { spec: M({ ...fields, maxReplicas: { S: "20" } }) },
    says: 'spec.maxReplicas: Invalid value: "20": expected an integer of 32 bits',
  },
  {
    name: "a number with a fraction",
    attributes: { spec: M({ ...fields, maxReplicas: { N: "2.5" } }) },
    says: "spec.maxReplicas: Invalid value: 2.5: expected an integer of 32 bits",
  },
  {
    name: "a number past all bounds",
    attributes: { spec: M({ ...fields, maxReplicas: { N: "99999999999999999999" } }) },
    says: 'spec.maxReplicas: Invalid value: "99999999999999999999": expected an integer of 32 bits',
  },
  {
    name: "bytes where a number belongs",
    attributes: { spec: M({ ...fields, maxReplicas: { B: new Uint8Array([20]) } }) },
    says: "spec.maxReplicas: Invalid value: ",
  },
  {
    name: "metrics as a set of texts",
    attributes: { spec: M({ ...fields, metrics: { SS: ["cpu"] } }) },
    says: 'spec.metrics[0]: Invalid value: "cpu": expected an object',
  },
  {
    name: "a field in another case",
    attributes: { spec: M({ ...fields, MaxReplicas: { N: "3" } }) },
    says: 'strict decoding error: unknown field "spec.MaxReplicas"',
  },
  {
    name: "DynamoDB's types left in the document",
    attributes: { spec: M({ ...fields, maxReplicas: M({ N: { S: "3" } }) }) },
    says: "spec.maxReplicas: Invalid value: an object: expected an integer of 32 bits",
  },
  {
    name: "labels as a list",
    attributes: { spec, metadata: M({ labels: { L: [] } }) },
    says: "metadata.labels: Invalid value: a list: expected a map of strings",
  },
  {
    name: "a name that is not the key's",
    attributes: { spec, metadata: M({ name: { S: "invoices" } }) },
    says: 'metadata: expected the name "shop/',
  },
  {
    name: "another kind",
    attributes: { spec, kind: { S: "Deployment" } },
    says: 'kind: Unsupported value: "Deployment"',
  },
  {
    name: "another version",
    attributes: { spec, apiVersion: { S: "autoscaling/v3" } },
    says: 'apiVersion: Unsupported value: "autoscaling/v3"',
  },
  { name: "a key without a namespace", key: "orders", attributes: { spec }, says: "sort key: expected" },
  { name: "a key with too much", key: "shop/a/b", attributes: { spec }, says: "sort key: expected" },
  { name: "metadata as text", attributes: { spec, metadata: { S: "orders" } }, says: "metadata: Invalid value: " },
  {
    name: "annotations that are no text",
    attributes: { spec, metadata: M({ annotations: M({ "ebb.dev/dry-run": { BOOL: true } }) }) },
    says: "metadata.annotations[ebb.dev/dry-run]: Invalid value: true: expected a string",
  },
  {
    name: "an annotation of 200 KB",
    attributes: { spec, metadata: M({ annotations: M({ note: { S: "x".repeat(200_000) } }) }) },
    says: "metadata.annotations.note: expected a document of at most 131072 bytes, got 200",
  },
  {
    name: "a target's name of 200 KB",
    attributes: {
      spec: M({
        ...fields,
        scaleTargetRef: M({
          apiVersion: { S: "apps/v1" },
          kind: { S: "Deployment" },
          name: { S: "x".repeat(200_000) },
        }),
      }),
    },
    says: "spec.scaleTargetRef.name: expected a document of at most 131072 bytes, got 200",
  },
  {
    name: "a target's name that no object can have",
    attributes: {
      spec: M({
        ...fields,
        scaleTargetRef: M({ apiVersion: { S: "apps/v1" }, kind: { S: "Deployment" }, name: { S: "x".repeat(254) } }),
      }),
    },
    says: "spec.scaleTargetRef.name: expected at most 253 bytes, as Kubernetes allows for a name, got 254",
  },
];

const keyOf = (index: number) => bad[index]?.key ?? `shop/bad-${index}`;
const put = (item: Item) => table().client.send(new PutItemCommand({ TableName: table().name, Item: item }));
const pk = { S: "CLUSTER#prod" };
const world = fixture();

/** Conditions' messages by HPA, after one sync of them all. */
let said: Readonly<Record<string, string>>;

beforeAll(async () => {
  const store = openStore({ client: table().client, table: table().name, now: () => start });
  await put({
    pk,
    sk: { S: "CLUSTER" },
    ...toItem({ spec: { endpoint: "https://prod.example", auth: { type: "token", secret: "s" } } }),
  });
  // A user's own attributes beside ours, and none of the optional ones: a valid item.
  await put({ pk, sk: { S: "HPA#shop/orders" }, spec, owner: { S: "team-a" }, tags: { SS: ["x"] } });
  for (const [index, { attributes }] of bad.entries()) {
    await put({ pk, sk: { S: `HPA#${keyOf(index)}` }, ...attributes });
  }
  await store.createShard(
    { cluster: "prod", from: "", to: null, version: 1, slot: 0, heartbeat: 0, behind: {}, entries: 0 },
    signal,
  );
  world.cluster.external.set("depth", [
    { metricName: "depth", metricLabels: {}, timestamp: "2026-03-01T12:00:00Z", value: "15" },
  ]);
  await world.sync(0, { store });
  const { states } = await store.load({ cluster: "prod", from: "", to: null }, signal);
  said = Object.fromEntries(
    Object.entries(states).map(([key, state]) => {
      const [condition] = state.status.conditions ?? [];
      return [key, `${condition?.reason}: ${condition?.message}`];
    }),
  );
});

test.each(bad.map(({ name, says }, index) => [name, says, index] as const))(
  "%s stops that entry, and its condition names the field",
  (_name, says, index) => {
    expect(said[keyOf(index)]).toMatch(/^InvalidEntry: /);
    expect(said[keyOf(index)]).toContain(says);
  },
);

test("the good one among them is scaled as if it were alone", () => {
  expect(said["shop/orders"]).toBe("SucceededRescale: the HPA controller was able to update the target scale to 3");
  expect(world.cluster.writes).toEqual([{ target: "shop/orders", from: 1, to: 3 }]);
});

test("each is in the log; those with the same problem share a line", () => {
  expect(world.failures.every(({ reason }) => reason === "InvalidEntry")).toBe(true);
  expect(world.failures.reduce((sum, { hpas = 1 }) => sum + hpas, 0)).toBe(bad.length);
  const reported = world.failures.map(({ message }) => message).join("\n");
  expect(bad.filter(({ says }) => !reported.includes(says))).toEqual([]);
});

test("ebb get shows them all, with what is wrong", async () => {
  const { exitCode, stdout } = await run(["get", "hpa", "-A"]);
  expect(exitCode).toBe(0);
  const rows = stdout.trim().split("\n").slice(1);
  expect(rows).toHaveLength(bad.length + 1);
  expect(rows.filter((row) => row.includes("<invalid>"))).toHaveLength(bad.length);
  expect(stdout).toContain('metadata: expected the name "shop/bad-15" as in the sort key, got "shop/invoices"');
  expect(Math.max(...rows.map((row) => row.trimEnd().length))).toBeLessThan(200);
});

describe("a CLUSTER or SOURCE item by hand", () => {
  test.each<[string, Item, string]>([
    ["a spec as text", { spec: { S: "{}" } }, 'spec: expected a map, got "{}"'],
    [
      "bytes",
      { spec: M({ endpoint: { B: new Uint8Array([1]) } }) },
      "spec.endpoint: expected https://host[:port][/path] (http only on this machine), got binary",
    ],
    ["no spec", {}, "spec: expected a map, got nothing"],
    [
      "a number as text",
      {
        spec: M({
          auth: M({ type: { S: "token" }, secret: { S: "s" } }),
          endpoint: { S: "https://a" },
          options: M({ syncPeriodSeconds: { S: "15" } }),
        }),
      },
      'spec.options.syncPeriodSeconds: expected a whole number from 3 to 3600, got "15"',
    ],
    [
      "an unknown field",
      {
        spec: M({
          auth: M({ type: { S: "token" }, secret: { S: "s" } }),
          endpoint: { S: "https://a" },
          region: { S: "x" },
        }),
      },
      "spec.region: unknown field, expected one of endpoint, certificateAuthorityData, tlsServerName, auth, options",
    ],
  ])("with %s says so, and other clusters are read", async (_name, attributes, invalid) => {
    await put({ pk: { S: "CLUSTER#bad" }, sk: { S: "CLUSTER" }, ...attributes });
    const store = openStore({ client: table().client, table: table().name, now: () => start });
    const clusters = await store.clusters(signal);
    expect(clusters).toMatchObject([
      { key: "bad", invalid },
      { key: "prod", value: { name: "prod" } },
    ]);
  });

  test("a bad source is reported where an HPA uses it, and on its own", async () => {
    await put({ pk, sk: { S: "SOURCE#depth" }, spec: M({ kind: { N: "3" } }) });
    const store = openStore({ client: table().client, table: table().name, now: () => start });
    const { sources } = await store.load({ cluster: "prod", from: "", to: null }, signal);
    expect(sources).toEqual([{ key: "depth", invalid: "spec.kind: expected text that is not empty, got 3" }]);
    await world.sync(1, { store });
    const { states } = await store.load({ cluster: "prod", from: "", to: null }, signal);
    const messages = states["shop/orders"]?.status.conditions?.map(({ message }) => message).join("\n");
    expect(messages).toContain("spec.kind: expected text that is not empty, got 3");
  });
});
