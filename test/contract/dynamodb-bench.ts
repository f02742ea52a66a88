import { asHpaKey } from "../../lib/model/hpa-key";
import {
  DeleteItemCommand,
  type DynamoClient,
  GetItemCommand,
  PutItemCommand,
} from "../../lib/aws/http/dynamodb-commands";
import { toItem } from "../../lib/table/items/attributes";
import { openStore } from "../../lib/table/store";
import { mishapSwitch } from "../fakes/wire";
import { addMishaps } from "./dynamodb-mishaps";
import type { StoreUnderTest } from "./shared-server";
import type { StoreBench } from "./store/bench";
import { noLimit } from "../time/no-limit";

/** The Store port on a DynamoDB table, whichever server is behind it. */
export function dynamodbBench(server: StoreUnderTest): StoreBench {
  const { client, table } = server;
  const put = async (pk: string, sk: string, attributes: object = {}): Promise<void> => {
    await client.send(new PutItemCommand({ TableName: table, Item: toItem({ pk, sk, ...attributes }) }));
  };
  const remove = async (pk: string, sk: string): Promise<void> => {
    await client.send(new DeleteItemCommand({ TableName: table, Key: toItem({ pk, sk }) }));
  };
  const mishaps = mishapSwitch();
  /** A client of its own: a client stops retrying when it has lost many answers. */
  const freshClient = (): DynamoClient => {
    const fresh = server.open();
    addMishaps(fresh, mishaps);
    return fresh;
  };
  const reading = openStore({ client, table, now: () => 0 });
  return {
    open: (options) => openStore({ client: freshClient(), table, ...options }),
    table,
    putCluster: (name, spec) => put(`CLUSTER#${name}`, "CLUSTER", { spec }),
    deleteCluster: (name) => remove(`CLUSTER#${name}`, "CLUSTER"),
    putSource: (cluster, name, spec) => put(`CLUSTER#${cluster}`, `SOURCE#${name}`, { spec }),
    putHpa: (cluster, key, entry) => put(`CLUSTER#${cluster}`, `HPA#${key}`, entry),
    deleteHpa: (cluster, key) => remove(`CLUSTER#${cluster}`, `HPA#${key}`),
    async breakState(cluster, key, version) {
      const Key = toItem({ pk: `CLUSTER#${cluster}`, sk: `STATE#${key}` });
      const { Item } = await client.send(new GetItemCommand({ TableName: table, Key, ConsistentRead: true }));
      const broken = { ...Item, ...Key, version: { N: String(version) }, open: { S: "half-written" } };
      await client.send(new PutItemCommand({ TableName: table, Item: broken }));
    },
    breakEvents: (cluster, key) => put(`CLUSTER#${cluster}`, `EVENTS#${key}`, { version: 1 }),
    breakShard: (cluster, from) => put("SHARD", `${cluster}#${from}`, { cluster, from }),
    deleteShard: (cluster, from) => remove("SHARD", `${cluster}#${from}`),
    deleteEvents: (cluster, key) => remove(`CLUSTER#${cluster}`, `EVENTS#${key}`),
    decisions: (cluster, key) => reading.decisions(cluster, asHpaKey(key), { limit: 1_000 }, noLimit()),
    mishaps,
    close: () => server.close(),
  };
}
