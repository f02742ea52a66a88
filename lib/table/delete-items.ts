import { setTimeout as wait } from "node:timers/promises";
import type { BatchWriteItemOutput, WriteRequest } from "@aws-sdk/client-dynamodb";
import { BatchWriteItemCommand } from "../aws/dynamodb-commands";
import { Fault } from "../model/fault";
import { type Item, toItem } from "./items/attributes";
import { reached } from "./faults";
import { placeOf, type Table, until } from "./reads";

const itemsPerBatch = 25;
const rounds = 6;

/**
 * Deletes items whatever they hold, 25 a call. It retries what the service leaves out of a batch (throttling).
 * @throws Fault
 */
export async function deleteItems(table: Table, items: readonly Item[], signal: AbortSignal): Promise<void> {
  for (let start = 0; start < items.length; start += itemsPerBatch) {
    const batch = items.slice(start, start + itemsPerBatch);
    await deleteBatch(
      table,
      batch.map(({ pk, sk }) => ({ DeleteRequest: { Key: toItem({ pk: pk?.S, sk: sk?.S }) } })),
      signal,
    );
  }
}

async function deleteBatch(table: Table, requests: readonly WriteRequest[], signal: AbortSignal): Promise<void> {
  const place = await placeOf(table, "BatchWriteItem");
  let left = [...requests];
  for (let round = 0; round < rounds; round++) {
    if (round > 0) await reached(wait(25 * 2 ** round, undefined, { signal }), place);
    const command = new BatchWriteItemCommand({ RequestItems: { [table.name]: left } });
    const answer: BatchWriteItemOutput = await reached(table.client.send(command, until(signal)), place);
    left = answer.UnprocessedItems?.[table.name] ?? [];
    if (left.length === 0) return;
  }
  const problem = `${left.length} of ${requests.length} deletions are still unprocessed after ${rounds} attempts`;
  throw new Fault("throttled", `table "${table.name}" in region ${place.region}: BatchWriteItem: ${problem}`);
}
