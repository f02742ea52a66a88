import { asHpaKey } from "../../lib/model/hpa-key";
import type { QueueReads } from "../../lib/model/ports/queue-reads";
import type { Shard } from "../../lib/model/stored/state";
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

interface Projected {
  readonly ProjectionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
}
