import { asHpaKey } from "../../lib/model/hpa-key";
import type { QueueReads } from "../../lib/model/ports/queue-reads";
import type { Shard } from "../../lib/model/stored/shard";
import { toItem } from "../../lib/table/items/attributes";
import { encodeShard } from "../../lib/table/items/shard-item";
import { openQueueReads } from "../../lib/table/queue-reads";
import { scriptedTable } from "./requests/scripted-table";

const { signal } = new AbortController();

const range = { cluster: "prod", from: "", to: null };
const key = asHpaKey("shop/a");
const shard = (cluster: string): Shard => ({
  ...{ cluster, from: "", to: null, version: 1, slot: 0, heartbeat: 0, behind: {}, entries: 0 },
});

async function all<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const page of pages) found.push(page);
  return found;
}

test("an item of another kind whose sort key is CLUSTER names no cluster", async () => {
  const keys = [{ pk: "CLUSTER#a", sk: "CLUSTER" }, { pk: "TEAM#CLUSTER#b", sk: "CLUSTER" }, { sk: "CLUSTER" }];
  const { table } = scriptedTable({ Items: keys.map(toItem) });
  expect(await openQueueReads(table).clusters(signal)).toEqual(["a"]);
});

test.each<[string | undefined, readonly string[]]>([
  ["prod", ["prod"]],
  [undefined, ["prod", "prod#2"]],
])("shards of %s: the keys of a cluster whose name goes on are among those of the shorter name", async (of, found) => {
  const { table } = scriptedTable({ Items: [encodeShard(shard("prod")), encodeShard(shard("prod#2"))] });
  expect((await openQueueReads(table).shards(of, signal)).map(({ cluster }) => cluster)).toEqual(found);
});

/** Entries and packed lists are large, and a wake may look through all of them. */
test.each<[string, (reads: QueueReads) => Promise<unknown>, string, readonly string[]]>([
  ["indexes", (reads) => all(reads.indexes("prod", signal)), "Query", ["sk", "hash", "queues", "more"]],
  [
    "the HPAs of an index",
    (reads) => reads.indexed("prod", [{ from: "", hash: "h", hashes: [1] }], signal),
    "BatchGetItem",
    ["sk", "hash", "packed"],
  ],
  ["metrics", (reads) => reads.hpas("prod", [key], signal), "BatchGetItem", ["sk", "spec.metrics"]],
  [
    "sources",
    (reads) => all(reads.sourcesNaming("prod", ["mail"], signal)),
    "Query",
    ["sk", "spec.kind", "spec.parameters"],
  ],
  ["candidates", (reads) => all(reads.candidates(range, { queues: ["mail"], sources: [] }, signal)), "Query", ["sk"]],
])("of %s, the service sends no more than their readers need", async (_what, read, action, parts) => {
  const { table, sent } = scriptedTable({ Responses: { ebb: [] } });
  await read(openQueueReads(table));
  const [request] = sent;
  const input = request?.input as { readonly RequestItems?: { readonly ebb: Projected } } & Projected;
  const { ProjectionExpression, ExpressionAttributeNames: names = {} } = input.RequestItems?.ebb ?? input;
  expect(request?.action).toBe(action);
  expect(ProjectionExpression?.replaceAll(/#\w+/g, (name) => names[name] ?? name).split(", ")).toEqual(parts);
});

describe("whatever somebody wrote instead of a metric", () => {
  const named = (labels: unknown) => ({ external: { metric: { name: "sqs", selector: { matchLabels: labels } } } });
  const queued = named({ queue: "mail" });

  test.each<[string, unknown]>([
    ["a text", "metric"],
    ["an empty map", {}],
    ["no map under external", { external: "x" }],
    ["no metric", { external: {} }],
    ["no map under metric", { external: { metric: [] } }],
    ["no name", { external: { metric: {} } }],
    ["a name that is no text", { external: { metric: { name: 7 } } }],
  ])("%s reads no queue, and the metric beside it does", async (_what, metric) => {
    const item = toItem({ sk: "HPA#shop/a", spec: { metrics: [metric, queued] } });
    const { table } = scriptedTable({ Responses: { ebb: [item] } });
    const [found] = await openQueueReads(table).hpas("prod", [key], signal);
    expect(found?.document).toStrictEqual({ spec: { metrics: [queued] } });
  });

  test.each<[string, object, object]>([
    ["no selector", { name: "sqs" }, {}],
    ["a selector that is none", { name: "sqs", selector: "x" }, {}],
    ["no labels", { name: "sqs", selector: {} }, {}],
    ["labels that are none", { name: "sqs", selector: { matchLabels: [] } }, {}],
    [
      "labels of all kinds",
      { name: "sqs", selector: { matchLabels: { queue: 7, queues: "a,b", queuePrefix: "m", team: "x" } } },
      { queue: null, queues: "a,b", queuePrefix: "m" },
    ],
  ])("%s: only labels of queues are kept", async (_what, metric, labels) => {
    const item = toItem({ sk: "HPA#shop/a", spec: { metrics: [{ external: { metric } }] } });
    const { table } = scriptedTable({ Responses: { ebb: [item] } });
    const [found] = await openQueueReads(table).hpas("prod", [key], signal);
    expect(found?.document).toStrictEqual({ spec: { metrics: [named(labels)] } });
  });

  test.each<[string, object]>([
    ["no spec", {}],
    ["a spec that is none", { spec: "x" }],
    ["no metrics", { spec: {} }],
    ["metrics that are no list", { spec: { metrics: { 0: queued } } }],
  ])("%s reads no queue", async (_what, more) => {
    const { table } = scriptedTable({ Responses: { ebb: [toItem({ sk: "HPA#shop/a", ...more })] } });
    const [found] = await openQueueReads(table).hpas("prod", [key], signal);
    expect(found).toMatchObject({ key: "shop/a", document: { spec: { metrics: [] } } });
  });

  test("an item without a sort key is no source and no index of anybody", async () => {
    const { table } = scriptedTable({ Items: [{}] }, { Responses: { ebb: [{}] } });
    const reads = openQueueReads(table);
    expect(await all(reads.indexes("prod", signal))).toEqual([]);
    expect(
      (
        await reads.indexed(
          "prod",
          [
            { from: "", hash: "h", hashes: [1] },
            { from: "b", hash: "h", hashes: [] },
          ],
          signal,
        )
      ).size,
    ).toBe(0);
  });
});

test("a filter names nothing that its expression does not use: the service refuses it", async () => {
  for (const sources of [[], ["jobs"], undefined]) {
    const { table, sent } = scriptedTable({});
    await all(openQueueReads(table).candidates(range, { queues: ["mail"], sources }, signal));
    const { FilterExpression = "", ExpressionAttributeNames = {}, ...input } = sent[0]?.input as Filtered;
    const used = `${FilterExpression} ${input.KeyConditionExpression} ${input.ProjectionExpression}`;
    const missing = Object.keys(ExpressionAttributeNames).filter((name) => !new RegExp(`${name}\\b`).test(used));
    expect(missing).toEqual([]);
    expect(Buffer.byteLength(FilterExpression)).toBeLessThan(4_096);
    expect(FilterExpression.match(/attribute_exists\(#s\.#m\[16\]\)/)).not.toBeNull();
  }
});

interface Filtered {
  readonly FilterExpression?: string;
  readonly KeyConditionExpression?: string;
  readonly ProjectionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
}

interface Projected {
  readonly ProjectionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
}
