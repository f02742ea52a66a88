import { setTimeout as wait } from "node:timers/promises";
import type { BatchWriteItemOutput, WriteRequest } from "@aws-sdk/client-dynamodb";
import { BatchWriteItemCommand, PutItemCommand } from "../aws/http/dynamodb-commands";
import { Fault, isFault } from "../model/fault";
import { type Item, toItem } from "./items/attributes";
import { sentTo } from "./faults";
import { itemName } from "./get-items";
import { tableRequest, type Table, until } from "./reads";

/** BatchWriteItem's limit. */
export const itemsPerBatch = 25;
const rounds = 6;

/** At most 25. Of two with one key, the last one counts. @throws Fault */
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

/** @throws Fault */
export async function deleteItems(table: Table, items: readonly Item[], signal: AbortSignal): Promise<void> {
  for (let start = 0; start < items.length; start += itemsPerBatch) {
    const batch = items.slice(start, start + itemsPerBatch);
    const requests = batch.map(({ pk, sk }) => ({ DeleteRequest: { Key: toItem({ pk: pk?.S, sk: sk?.S }) } }));
    await writeBatch(table, requests, "deletions", signal);
  }
}

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

/** Calls with one signal share batches, and end together when it fires. */
type RequestInBatch<Request, Answer> = (line: string, request: Request, signal: AbortSignal) => Promise<Answer>;

interface PendingRequest<Request, Answer> {
  readonly request: Request;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Answers calls that come at the same time together, at most `most` at once. In each line, one batch runs at a time;
 * later calls wait for the next batch, so each reads data as new as its own read would.
 *
 *     asks    a b        c d      e
 *     work    |-- a, b --|- c, d -|- e -|
 *
 * A Fault badEntry does not say which call of the batch it is about, so each is tried alone.
 *
 * @param work answers a batch, in its order
 */
export function batches<Request, Answer>(
  work: (requests: readonly Request[], signal: AbortSignal) => Promise<readonly Answer[]>,
  most: number,
): RequestInBatch<Request, Answer> {
  type Lines = Map<string, PendingRequest<Request, Answer>[]>;
  const bySignal = new WeakMap<AbortSignal, Lines>();

  async function answer(batch: readonly PendingRequest<Request, Answer>[], signal: AbortSignal): Promise<void> {
    try {
      const answers = await work(
        batch.map(({ request }) => request),
        signal,
      );
      for (const [at, { resolve }] of batch.entries()) resolve(answers[at] as Answer);
    } catch (error) {
      if (batch.length > 1 && isFault(error, "badEntry")) await Promise.all(batch.map((one) => answer([one], signal)));
      else for (const { reject } of batch) reject(error);
    }
  }

  async function serve(line: string, signal: AbortSignal, lines: Lines): Promise<void> {
    const waiting = lines.get(line) ?? [];
    await Promise.resolve();
    while (waiting.length > 0) await answer(waiting.splice(0, most), signal);
    lines.delete(line);
  }

  return (line, request, signal) =>
    new Promise((resolve, reject) => {
      const lines: Lines = bySignal.get(signal) ?? new Map<string, PendingRequest<Request, Answer>[]>();
      bySignal.set(signal, lines);
      const pending = { request, resolve, reject };
      const waiting = lines.get(line);
      if (waiting !== undefined) return void waiting.push(pending);
      lines.set(line, [pending]);
      void serve(line, signal, lines);
    });
}
