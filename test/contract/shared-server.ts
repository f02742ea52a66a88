import { setMaxListeners } from "node:events";
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { type DynamoClient, GetItemCommand } from "../../lib/aws/http/dynamodb-commands";
import { noLimit } from "../time/no-limit";

export interface StoreUnderTest {
  /** A table with the layout of lib/table/items/keys.ts, ACTIVE. Tests use cluster names of their own and share it. */
  readonly client: DynamoClient;
  /** Another client of it. */
  readonly open: () => DynamoClient;
  readonly table: string;
  close(): Promise<void>;
}

type Item = Record<string, AttributeValue>;

/**
 * One server for all tests of a contract: begun before the first of them, closed after the last. Called within
 * `describe`.
 */
export function sharedServer(setUp: () => Promise<StoreUnderTest>) {
  let server: StoreUnderTest;
  let clusters = 0;
  const signal = noLimit();
  setMaxListeners(0, signal);

  beforeAll(async () => {
    server = await setUp();
  }, 30_000);

  afterAll(async () => {
    await server.close();
  });

  return {
    signal,
    get client() {
      return server.client;
    },
    get table() {
      return server.table;
    },
    /** A name that no earlier run on the same table had. */
    newCluster: () => `cluster-${process.pid}-${Date.now()}-${++clusters}`,
    /** The item as it is in the table. */
    rawItem: async (pk: string, sk: string): Promise<Item | undefined> => {
      const Key = { pk: { S: pk }, sk: { S: sk } };
      const command = new GetItemCommand({ TableName: server.table, Key, ConsistentRead: true });
      return (await server.client.send(command)).Item;
    },
  };
}
