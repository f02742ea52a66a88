import { setTimeout as wait } from "node:timers/promises";
import type { BatchGetItemOutput, QueryCommandInput, QueryOutput } from "@aws-sdk/client-dynamodb";
import { AnswerTooLarge } from "../aws/http/answer-reader";
import { BatchGetItemCommand, type DynamoClient, GetItemCommand, QueryCommand } from "../aws/http/dynamodb-commands";
import { Fault, isFault } from "../model/fault";
import { type Item, toItem } from "./items/attributes";
import { type TableRequest, sentTo } from "./faults";
import { byKindIndex, type ItemKey, type KeyRange } from "./items/keys";

export interface Table {
  readonly client: DynamoClient;
  readonly name: string;
}

export async function tableRequest(table: Table, action: string): Promise<TableRequest> {
  return { action, table: table.name, region: await table.client.config.region() };
}

/** The service sends only the named attributes. */
export function onlyOf(
  names: readonly string[],
): Required<Pick<Projection, "ProjectionExpression" | "ExpressionAttributeNames">> {
  const placeholders = names.map((name) => [`#${name}`, name] as const);
  return {
    ProjectionExpression: placeholders.map(([placeholder]) => placeholder).join(", "),
    ExpressionAttributeNames: Object.fromEntries(placeholders),
  };
}

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

/**
 * Read consistently, in key order. A key condition includes both ends (BETWEEN), so this drops the item at `high`,
 * which belongs to the next range.
 */
export function queryRange(table: Table, range: KeyRange, signal: AbortSignal): Promise<Item[]> {
  return queryRangeAs(table, range, signal, (item) => item);
}

/** As queryRange, but decodes each page before it reads the next: what it drops takes no memory. */
export async function queryRangeAs<T>(
  table: Table,
  range: KeyRange,
  signal: AbortSignal,
  decode: (item: Item) => T,
): Promise<T[]> {
  return queryPagesOf(table, range, signal, { decode });
}

/** In key order, read consistently, one page after another on demand. */
export async function* pagesOfRange(
  table: Table,
  range: KeyRange,
  signal: AbortSignal,
  projection: Projection = {},
): AsyncGenerator<readonly Item[]> {
  if (range.low >= range.high) return;
  const query = rangeQuery(range);
  const ExpressionAttributeNames = { ...query.ExpressionAttributeNames, ...projection.ExpressionAttributeNames };
  const ExpressionAttributeValues = { ...query.ExpressionAttributeValues, ...projection.ExpressionAttributeValues };
  const expressions = { ExpressionAttributeNames, ExpressionAttributeValues };
  for await (const page of pagesOf(table, signal, { ...query, ...projection, ...expressions }))
    yield page.filter(({ sk }) => sk?.S !== range.high);
}

export async function* itemsOf(...query: Parameters<typeof pagesOfRange>): AsyncGenerator<Item> {
  for await (const page of pagesOfRange(...query)) yield* page;
}

/** The service sends nothing else. */
export function querySortKeys(
  table: Table,
  range: KeyRange,
  signal: AbortSignal,
  bounds: Pick<QueryCommandInput, "Limit"> = {},
): Promise<string[]> {
  return queryPagesOf(table, range, signal, {
    decode: ({ sk }) => sk?.S ?? "",
    projection: { ProjectionExpression: "#sk", ...bounds },
  });
}

/** The service reads all of the items, whatever it sends. */
export type Projection = Pick<
  QueryCommandInput,
  "ProjectionExpression" | "FilterExpression" | "ExpressionAttributeNames" | "ExpressionAttributeValues" | "Limit"
>;

interface PagesOf<T> {
  readonly decode: (item: Item) => T;
  readonly projection?: Pick<QueryCommandInput, "ProjectionExpression" | "Limit">;
}

async function queryPagesOf<T>(
  table: Table,
  range: KeyRange,
  signal: AbortSignal,
  { decode, projection }: PagesOf<T>,
): Promise<T[]> {
  const { low, high } = range;
  if (low >= high) return [];
  const query = { ...rangeQuery(range), ...projection };
  return queryAll(table, signal, query, (item) => (item.sk?.S === high ? [] : [decode(item)]));
}

function rangeQuery({ pk, low, high }: KeyRange): AnyQuery {
  return {
    KeyConditionExpression: "#pk = :pk AND #sk BETWEEN :low AND :high",
    ExpressionAttributeNames: { "#pk": "pk", "#sk": "sk" },
    ExpressionAttributeValues: toItem({ ":pk": pk, ":low": low, ":high": high }),
    ConsistentRead: true,
  };
}

/** The last one first, read consistently. */
export async function queryNewest(table: Table, range: KeyRange, limit: number, signal: AbortSignal): Promise<Item[]> {
  return allItems(table, signal, { ...rangeQuery(range), ScanIndexForward: false, Limit: limit });
}

/** Read consistently. */
export function queryPartition(table: Table, pk: string, signal: AbortSignal): Promise<Item[]> {
  return allItems(table, signal, {
    KeyConditionExpression: "#pk = :pk",
    ExpressionAttributeNames: { "#pk": "pk" },
    ExpressionAttributeValues: toItem({ ":pk": pk }),
    ConsistentRead: true,
  });
}

/** Keys come from an index that lags a little, so an item may be gone. */
export function queryKind(table: Table, sk: string, signal: AbortSignal): Promise<Item[]> {
  return allItems(table, signal, {
    IndexName: byKindIndex,
    KeyConditionExpression: "#sk = :sk",
    ExpressionAttributeNames: { "#sk": "sk" },
    ExpressionAttributeValues: toItem({ ":sk": sk }),
  });
}

type AnyQuery = Omit<QueryCommandInput, "TableName">;

function allItems(table: Table, signal: AbortSignal, query: AnyQuery): Promise<Item[]> {
  return queryAll(table, signal, query, (item) => [item]);
}

async function queryAll<T>(
  table: Table,
  signal: AbortSignal,
  query: AnyQuery,
  keep: (item: Item) => readonly T[],
): Promise<T[]> {
  const items: T[] = [];
  for await (const page of pagesOf(table, signal, query)) {
    for (const item of page) items.push(...keep(item));
    if (items.length >= (query.Limit ?? Infinity)) break;
  }
  return query.Limit === undefined ? items : items.slice(0, query.Limit);
}

async function* pagesOf(table: Table, signal: AbortSignal, query: AnyQuery): AsyncGenerator<readonly Item[]> {
  const request = await tableRequest(table, "Query");
  let next: Item | undefined;
  do {
    const command = new QueryCommand({ TableName: table.name, ...query, ...(next && { ExclusiveStartKey: next }) });
    const page: QueryOutput = await sentTo(table.client.send(command, until(signal)), request);
    yield page.Items ?? [];
    next = page.LastEvaluatedKey;
  } while (next !== undefined);
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

export function until(signal: AbortSignal | undefined): { abortSignal?: AbortSignal } {
  return signal === undefined ? {} : { abortSignal: signal };
}
