import { setTimeout as wait } from "node:timers/promises";
import type { BatchGetItemOutput } from "@aws-sdk/client-dynamodb";
import { AnswerTooLarge } from "../aws/http/answer-reader";
import { BatchGetItemCommand, GetItemCommand } from "../aws/http/dynamodb-commands";
import { Fault, isFault } from "../model/fault";
import { sentTo } from "./faults";
import { type Item, toItem } from "./items/attributes";
import type { ItemKey } from "./items/keys";
import { onlyOf, type Projection, type Table, tableRequest, until } from "./reads";

/** Read consistently; undefined: none. `names`: of attributes; default: all. */
export async function getItem(
  table: Table,
  key: ItemKey,
  signal?: AbortSignal,
  names?: readonly string[],
): Promise<Item | undefined> {
  const what = { TableName: table.name, Key: toItem(key), ConsistentRead: true };
  const command = new GetItemCommand({ ...what, ...(names && onlyOf(names)) });
  const answer = await sentTo(table.client.send(command, until(signal)), await tableRequest(table, "GetItem"));
  return answer.Item;
}

export const keysPerBatch = 100;
const roundsPerBatch = 6;

/** Read consistently, in the keys' order; undefined for a key without an item. */
export async function getItems(
  table: Table,
  keys: readonly ItemKey[],
  signal: AbortSignal,
): Promise<readonly (Item | undefined)[]> {
  const distinct = new Map(keys.map((key) => [nameOf(key), key]));
  const [only, ...others] = distinct.values();
  if (only !== undefined && others.length === 0) {
    const item = await getItem(table, only, signal);
    return keys.map(() => item);
  }
  const items = await getItemsAs(table, [...distinct.values()].map(toItem), signal, (item) => item);
  const found = new Map(items.map((item) => [itemName(item), item]));
  return keys.map((key) => found.get(nameOf(key)));
}

export function itemName({ pk, sk }: Item): string {
  return nameOf({ pk: pk?.S ?? "", sk: sk?.S ?? "" });
}

function nameOf({ pk, sk }: ItemKey): string {
  return JSON.stringify([pk, sk]);
}

/**
 * Read consistently, without order. Decodes each batch before it reads the next, so that omitted items take no memory.
 */
export function getItemsAs<T>(
  table: Table,
  keys: readonly Item[],
  signal: AbortSignal,
  decode: (item: Item) => T,
): Promise<T[]> {
  return getPartsAs(table, keys, { signal, projection: {} }, decode);
}

export async function getPartsAs<T>(
  table: Table,
  keys: readonly Item[],
  bounds: BatchBounds,
  decode: (item: Item) => T,
): Promise<T[]> {
  const items: T[] = [];
  for (let start = 0; start < keys.length; start += keysPerBatch)
    items.push(...(await getBatch(table, keys.slice(start, start + keysPerBatch), bounds, decode)));
  return items;
}

interface BatchBounds {
  readonly signal: AbortSignal;
  readonly projection: Pick<Projection, "ProjectionExpression" | "ExpressionAttributeNames">;
  /** The limit of an answer. Larger items are left out; without this, they are an error. */
  readonly maxBytes?: number;
}

/**
 * Asks again for anything that the service leaves out (16 MB a call, throttling). If an answer is too large, asks for
 * each half.
 */
async function getBatch<T>(
  table: Table,
  keys: readonly Item[],
  bounds: BatchBounds,
  decode: (item: Item) => T,
): Promise<T[]> {
  const { signal, projection, maxBytes } = bounds;
  const request = await tableRequest(table, "BatchGetItem");
  const items: T[] = [];
  let left = [...keys];
  for (let round = 0; round < roundsPerBatch; round++) {
    if (round > 0) await sentTo(wait(25 * 2 ** round, undefined, { signal }), request);
    const command = new BatchGetItemCommand({
      RequestItems: { [table.name]: { Keys: left, ConsistentRead: true, ...projection } },
    });
    const options = { ...until(signal), ...(maxBytes !== undefined && { maxBytes }) };
    let answer: BatchGetItemOutput;
    try {
      answer = await sentTo(table.client.send(command, options), request);
    } catch (error) {
      if (!isFault(error) || !(error.cause instanceof AnswerTooLarge)) throw error;
      if (left.length < 2 && maxBytes === undefined) throw error;
      const middle = Math.ceil(left.length / 2);
      const halves = left.length < 2 ? [] : [left.slice(0, middle), left.slice(middle)];
      for (const half of halves) items.push(...(await getBatch(table, half, bounds, decode)));
      return items;
    }
    items.push(...(answer.Responses?.[table.name] ?? []).map(decode));
    left = answer.UnprocessedKeys?.[table.name]?.Keys ?? [];
    if (left.length === 0) return items;
  }
  const problem = `${left.length} of ${keys.length} keys are still unprocessed after ${roundsPerBatch} attempts`;
  throw new Fault("throttled", `table "${table.name}" in region ${request.region}: BatchGetItem: ${problem}`);
}
