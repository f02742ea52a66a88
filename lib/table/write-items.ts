import { setTimeout as wait } from "node:timers/promises";
import type { BatchWriteItemOutput, WriteRequest } from "@aws-sdk/client-dynamodb";
import { BatchWriteItemCommand, PutItemCommand } from "../aws/json/dynamodb-commands";
import { Fault } from "../model/fault";
import { type Item, toItem } from "./items/attributes";
import { sentTo } from "./faults";
import { itemName, tableRequest, type Table, until } from "./reads";

/** One BatchWriteItem takes no more. */
export const itemsPerBatch = 25;
const rounds = 6;

/** Writes items whatever the table holds, at most 25. Of two with one key, the last one counts. @throws Fault */
export async function putItems(table: Table, items: readonly Item[], signal: AbortSignal): Promise<void> {
  const distinct = [...new Map(items.map((item) => [itemName(item), item])).values()];
  const [only, ...others] = distinct;
  if (only !== undefined && others.length === 0) {
    const command = new PutItemCommand({ TableName: table.name, Item: only });
    await sentTo(table.client.send(command, until(signal)), await tableRequest(table, "PutItem"));
    return;
  }
  const requests = distinct.map((item) => ({ PutRequest: { Item: item } }));
  await writeBatch(table, requests, "writes", signal);
}

/** Deletes items whatever they hold, 25 a call. @throws Fault */
export async function deleteItems(table: Table, items: readonly Item[], signal: AbortSignal): Promise<void> {
  for (let start = 0; start < items.length; start += itemsPerBatch) {
    const batch = items.slice(start, start + itemsPerBatch);
    const requests = batch.map(({ pk, sk }) => ({ DeleteRequest: { Key: toItem({ pk: pk?.S, sk: sk?.S }) } }));
    await writeBatch(table, requests, "deletions", signal);
  }
}

/** Retries what the service leaves out of a batch (throttling). */
async function writeBatch(
  table: Table,
  requests: readonly WriteRequest[],
  what: "writes" | "deletions",
  signal: AbortSignal,
): Promise<void> {
  const request = await tableRequest(table, "BatchWriteItem");
  let left = [...requests];
  for (let round = 0; round < rounds; round++) {
    if (round > 0) await sentTo(wait(25 * 2 ** round, undefined, { signal }), request);
    const command = new BatchWriteItemCommand({ RequestItems: { [table.name]: left } });
    const answer: BatchWriteItemOutput = await sentTo(table.client.send(command, until(signal)), request);
    left = answer.UnprocessedItems?.[table.name] ?? [];
    if (left.length === 0) return;
  }
  const problem = `${left.length} of ${requests.length} ${what} are still unprocessed after ${rounds} attempts`;
  throw new Fault("throttled", `table "${table.name}" in region ${request.region}: BatchWriteItem: ${problem}`);
}
