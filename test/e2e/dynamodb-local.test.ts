import { CreateTableCommand } from "../../lib/aws/http/dynamodb-commands";
import { dynamoClient } from "../../lib/table/client";
import { tableDefinition } from "../../lib/table/items/keys";
import { queueReadsContract } from "../contract/queue-reads-contract";
import type { StoreUnderTest } from "../contract/shared-server";
import { transactionsContract } from "../contract/transactions-contract";
import { startDynamodbLocal } from "./servers/emulator";

// What other emulators lack, or take although the service refuses it: transactions, and the limits of expressions.
transactionsContract("DynamoDB Local", setUp);
queueReadsContract("DynamoDB Local", setUp);

async function setUp(): Promise<StoreUnderTest> {
  const server = await startDynamodbLocal();
  const { endpoint, region } = server;
  const open = () => dynamoClient({ endpoint, region, credentials: { accessKeyId: "test", secretAccessKey: "test" } });
  const client = open();
  const table = "ebb-contract";
  await client.send(new CreateTableCommand(tableDefinition(table)));
  return {
    ...{ client, open, table },
    close: async () => {
      client.destroy();
      await server.stop();
    },
  };
}
