import { PutItemCommand } from "@aws-sdk/client-dynamodb";
import type { ClusterSpec } from "../lib/api/entries";
import type { HorizontalPodAutoscaler } from "../lib/api/hpa";
import { toItem } from "../lib/table/attributes";
import { reached } from "../lib/table/faults";
import { getItem, placeOf, type Table } from "../lib/table/reads";
import { clusterKey, hpaKey } from "../lib/table/schema";

/** Writes what a user of a deployment would write with `aws dynamodb put-item`. These reject with a Fault. */
export async function putCluster(table: Table, name: string, spec: ClusterSpec): Promise<void> {
  await put(table, { ...clusterKey(name), spec });
}

export async function putHpa(table: Table, cluster: string, hpa: HorizontalPodAutoscaler): Promise<void> {
  const key = `${hpa.metadata.namespace ?? "default"}/${hpa.metadata.name}`;
  await put(table, { ...hpaKey(cluster, key), ...hpa });
}

export async function hasHpa(table: Table, cluster: string, key: string): Promise<boolean> {
  return (await getItem(table, hpaKey(cluster, key))) !== undefined;
}

async function put(table: Table, item: object): Promise<void> {
  const command = new PutItemCommand({ TableName: table.name, Item: toItem(item) });
  await reached(table.client.send(command), await placeOf(table, "PutItem"));
}
