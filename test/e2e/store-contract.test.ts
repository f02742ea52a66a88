import { CreateTableCommand } from "../../lib/aws/http/dynamodb-commands";
import { dynamoClient } from "../../lib/table/client";
import { tableDefinition } from "../../lib/table/items/keys";
import { decisionsContract } from "../contract/decisions-contract";
import { dynamodbBench } from "../contract/dynamodb-bench";
import { entriesContract } from "../contract/entries-contract";
import { queueReadsContract } from "../contract/queue-reads-contract";
import { eventsContract } from "../contract/events-contract";
import type { StoreUnderTest } from "../contract/shared-server";
import { storeContract } from "../contract/store-contract";
import { tableContract } from "../contract/table-contract";
import { tagsContract } from "../contract/tags-contract";
import { startMoto } from "./servers/emulator";

storeContract("moto's DynamoDB", setUpBench);
eventsContract("moto's DynamoDB", setUpBench);
tableContract("moto's DynamoDB", setUp);
decisionsContract("moto's DynamoDB", setUp);
entriesContract("moto's DynamoDB", setUp);
queueReadsContract("moto's DynamoDB", setUp);
tagsContract("moto's DynamoDB", setUp);

async function setUpBench() {
  return dynamodbBench(await setUp());
}

async function setUp(): Promise<StoreUnderTest> {
  const moto = await startMoto();
  const { endpoint, region } = moto;
  const open = () => dynamoClient({ endpoint, region, credentials: { accessKeyId: "test", secretAccessKey: "test" } });
  const client = open();
  const table = "ebb-contract";
  await client.send(new CreateTableCommand(tableDefinition(table)));
  return {
    client,
    open,
    table,
    close: async () => {
      client.destroy();
      await moto.stop();
    },
  };
}
