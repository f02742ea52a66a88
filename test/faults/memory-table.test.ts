import { memoryTable } from "./world/memory-table";
import { decisionsContract } from "../contract/decisions-contract";
import { dynamodbBench } from "../contract/dynamodb-bench";
import { entriesContract } from "../contract/entries-contract";
import { queueReadsContract } from "../contract/queue-reads-contract";
import { eventsContract } from "../contract/events-contract";
import type { StoreUnderTest } from "../contract/shared-server";
import { storeContract } from "../contract/store-contract";
import { tableContract } from "../contract/table-contract";
import { memoryDynamodb, memoryTableName } from "../fakes/memory-dynamodb";

storeContract("the simulator's table", setUpBench);
eventsContract("the simulator's table", setUpBench);
tableContract("the simulator's table", setUp);
decisionsContract("the simulator's table", setUp);
entriesContract("the simulator's table", setUp);
queueReadsContract("the simulator's table", setUp);

async function setUpBench() {
  return dynamodbBench(await setUp());
}

function setUp(): Promise<StoreUnderTest> {
  const table = memoryTable({ now: () => Date.now() });
  const open = () => memoryDynamodb(table);
  return Promise.resolve({ client: open(), open, table: memoryTableName, close: () => Promise.resolve() });
}

test("a packed table shares no object with its callers, and counts its bytes", () => {
  const table = memoryTable({ now: () => 0, isPacked: true });
  const bytes = Uint8Array.of(1, 2, 3);
  const Item = { pk: { S: "p" }, sk: { S: "s" }, text: { S: "x".repeat(1_000) }, bytes: { B: bytes } };
  const write = () => table.execute({ action: "PutItem", input: { TableName: "ebb", Item } });
  write();
  const once = table.packedBytes();
  expect(once).toBeGreaterThan(1_000);
  expect(table.item("p", "s")).toEqual(Item);
  expect(table.item("p", "s")).not.toBe(table.item("p", "s"));
  bytes.fill(0);
  expect(table.item("p", "s")?.["bytes"]?.B).toEqual(Uint8Array.of(1, 2, 3));
  write();
  expect(table.packedBytes()).toBe(once);
  table.execute({ action: "DeleteItem", input: { TableName: "ebb", Key: { pk: Item.pk, sk: Item.sk } } });
  expect(table.packedBytes()).toBe(0);
});
