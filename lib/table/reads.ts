import type { QueryCommandInput, QueryOutput } from "@aws-sdk/client-dynamodb";
import { type DynamoClient, QueryCommand } from "../aws/http/dynamodb-commands";
import { type Item, toItem } from "./items/attributes";
import { type TableRequest, sentTo } from "./faults";
import { byKindIndex, type KeyRange } from "./items/keys";

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

export function until(signal: AbortSignal | undefined): { abortSignal?: AbortSignal } {
  return signal === undefined ? {} : { abortSignal: signal };
}
