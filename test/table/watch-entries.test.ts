import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BatchWriteItemCommand, DeleteItemCommand, PutItemCommand } from "../../lib/aws/http/dynamodb-commands";
import { TransactWriteItemsCommand, UpdateItemCommand } from "../aws/commands";
import { fromItem, type Item, toItem } from "../../lib/table/items/attributes";
import type { EntryRecord } from "../../lib/table/changed-hpa";
import { dynamoClient } from "../../lib/table/client";
import { clusterKey, hpaItemKey, stateKey } from "../../lib/table/items/keys";
import { type EmbeddedTable, openEmbeddedTable } from "../../local/backends/table/embedded-table";
import { until } from "../time/until";

/** Any process that writes through the endpoint. */
function another({ endpoint, credential: credentials }: EmbeddedTable) {
  return dynamoClient({ endpoint, region: "us-east-1", credentials });
}

let directory: string;
let table: EmbeddedTable;
let reported: EntryRecord[];
let failed: unknown[];
let end: () => Promise<void>;

const TableName = "ebb";
const orders = hpaItemKey("prod", "shop/orders");
const put = (item: object) => table.client.send(new PutItemCommand({ TableName, Item: toItem(item) }));

/** What was reported, once everything written was. */
async function changes(): Promise<readonly (readonly unknown[])[]> {
  await end();
  expect(failed).toEqual([]);
  return reported.map(({ dynamodb }) => [
    fromItem(dynamodb?.Keys as Item)["sk"],
    ...[dynamodb?.OldImage, dynamodb?.NewImage].map((image) =>
      image === undefined ? null : fromItem(image as Item)["spec"],
    ),
  ]);
}

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "ebb-watch-"));
  table = await openEmbeddedTable({ directory });
  await put({ ...orders, spec: { maxReplicas: 1 } });
  [reported, failed] = [[], []];
  end = await table.watch({ changed: (record) => reported.push(record), failed: (error) => failed.push(error) });
});

afterEach(async () => {
  await end();
  await table.close();
  await rm(directory, { recursive: true });
});

test("an entry that anyone writes, updates or deletes, with its old image", async () => {
  const client = another(table);
  await client.send(new PutItemCommand({ TableName, Item: toItem({ ...orders, spec: { maxReplicas: 2 } }) }));
  await client.send(
    new UpdateItemCommand({
      TableName,
      Key: toItem(orders),
      UpdateExpression: "SET spec.maxReplicas = :three",
      ExpressionAttributeValues: toItem({ ":three": 3 }),
    }),
  );
  // Changes in quick succession may be reported as one, so the test waits.
  await until(() => reported.length > 0);
  await client.send(new DeleteItemCommand({ TableName, Key: toItem(orders) }));
  const all = await changes();
  expect(all[0]).toMatchObject(["HPA#shop/orders", { maxReplicas: 1 }, expect.anything()]);
  expect(all.at(-1)).toEqual(["HPA#shop/orders", { maxReplicas: 3 }, null]);
  client.destroy();
});

test("each of a batch", async () => {
  const invoices = hpaItemKey("prod", "shop/invoices");
  const writes = [
    { PutRequest: { Item: toItem({ ...invoices, spec: "new" }) } },
    { DeleteRequest: { Key: toItem(orders) } },
    { PutRequest: { Item: toItem({ ...clusterKey("prod"), spec: {} }) } },
  ];
  await table.client.send(new BatchWriteItemCommand({ RequestItems: { [TableName]: writes } }));
  expect(await changes()).toEqual([
    ["HPA#shop/invoices", null, "new"],
    ["HPA#shop/orders", { maxReplicas: 1 }, null],
  ]);
});

test("nothing is reported for a refused write, a write that changes nothing, another item or a read", async () => {
  const refused = new PutItemCommand({
    TableName,
    Item: toItem({ ...orders, spec: "refused" }),
    ConditionExpression: "attribute_not_exists(pk)",
  });
  await expect(table.client.send(refused)).rejects.toThrow("conditional request failed");
  await put({ ...orders, spec: { maxReplicas: 1 } });
  await put({ ...stateKey("prod", "shop/orders"), version: 1 });
  await expect(table.client.send(new TransactWriteItemsCommand({ TransactItems: [] }))).rejects.toThrow();
  expect(await changes()).toEqual([]);
});

test("entries that a transaction writes, updates and deletes", async () => {
  const bills = hpaItemKey("prod", "shop/bills");
  const mails = hpaItemKey("prod", "shop/mails");
  await put({ ...mails, spec: { maxReplicas: 1 } });
  await table.client.send(
    new TransactWriteItemsCommand({
      TransactItems: [
        { Put: { TableName, Item: toItem({ ...bills, spec: { maxReplicas: 5 } }) } },
        { Delete: { TableName, Key: toItem(mails) } },
        {
          Update: {
            ...{ TableName, Key: toItem(orders), UpdateExpression: "SET spec.maxReplicas = :three" },
            ExpressionAttributeValues: { ":three": { N: "3" } },
          },
        },
      ],
    }),
  );
  const of = ({ sk }: { readonly sk: string }, before: number | null, after: number | null) => [
    sk,
    ...[before, after].map((maxReplicas) => (maxReplicas === null ? null : { maxReplicas })),
  ];
  // The watch may see the first write of the entry and its end as one.
  expect((await changes()).filter(([sk]) => sk !== mails.sk)).toEqual([of(bills, null, 5), of(orders, 1, 3)]);
});

test("after its end it reports nothing", async () => {
  await end();
  await put({ ...orders, spec: "later" });
  expect(await changes()).toEqual([]);
});
