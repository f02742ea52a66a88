import { BatchWriteItemCommand, type DynamoClient } from "../../lib/aws/json/dynamodb-commands";
import type { Item } from "../../lib/table/items/attributes";

/** As many as DynamoDB takes in a request. */
const batch = 25;

export async function putItems(client: DynamoClient, table: string, items: readonly Item[]): Promise<void> {
  for (let at = 0; at < items.length; at += batch) {
    const puts = items.slice(at, at + batch).map((Item) => ({ PutRequest: { Item } }));
    await client.send(new BatchWriteItemCommand({ RequestItems: { [table]: puts } }));
  }
}
