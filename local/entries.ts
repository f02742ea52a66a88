import { GetItemCommand, PutItemCommand, type DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { ClusterSpec } from "../lib/api/entries";
import type { HorizontalPodAutoscaler } from "../lib/api/hpa";
import { toItem } from "../lib/table/attributes";
import { clusterKey, hpaKey } from "../lib/table/schema";

export interface Table {
  readonly client: DynamoDBClient;
  readonly table: string;
}

/** Writes what a user of a deployment would write with `aws dynamodb put-item`. */
export async function putCluster({ client, table }: Table, name: string, spec: ClusterSpec): Promise<void> {
  await client.send(new PutItemCommand({ TableName: table, Item: toItem({ ...clusterKey(name), spec }) }));
}

export async function putHpa({ client, table }: Table, cluster: string, hpa: HorizontalPodAutoscaler): Promise<void> {
  const key = `${hpa.metadata.namespace ?? "default"}/${hpa.metadata.name}`;
  await client.send(new PutItemCommand({ TableName: table, Item: toItem({ ...hpaKey(cluster, key), ...hpa }) }));
}

export async function hasHpa({ client, table }: Table, cluster: string, key: string): Promise<boolean> {
  const { Item } = await client.send(new GetItemCommand({ TableName: table, Key: toItem(hpaKey(cluster, key)) }));
  return Item !== undefined;
}
