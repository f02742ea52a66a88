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
