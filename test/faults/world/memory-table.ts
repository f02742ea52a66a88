import { isDeepStrictEqual } from "node:util";
import { deserialize, serialize } from "node:v8";
import {
  type AttributeValue,
  type BatchGetItemCommandInput,
  type BatchWriteItemCommandInput,
  ConditionalCheckFailedException,
  type DeleteItemCommandInput,
  type GetItemCommandInput,
  type PutItemCommandInput,
  type QueryCommandInput,
} from "@aws-sdk/client-dynamodb";
import { itemBytes } from "../../../lib/table/items/attributes";
import { byBytes } from "../../fakes/stored";
import { type Condition, conditionOf, keyConditionOf, projected } from "./expressions";
import { filterOf } from "./filter-expression";

export type Item = Record<string, AttributeValue>;

export interface ItemWrite {
  readonly pk: string;
  readonly sk: string;
  readonly before: Item | undefined;
  readonly after: Item | undefined;
}

interface Stored {
  readonly item: Kept | undefined;
  readonly bytes: number;
  /** For eventually consistent reads: the item that was here until `replacedAt`. */
  readonly before: Kept | undefined;
  readonly replacedAt: number;
}

interface Kept {
  read(): Item;
  readonly packedBytes: number;
}

interface Options {
  readonly now: () => number;
  /** How far eventually consistent reads and the index lag behind. */
  readonly lagMs?: number;
  readonly onWrite?: (write: ItemWrite) => void;
  /** Keeps bytes instead of objects. What is read is the reader's alone. */
  readonly isPacked?: boolean;
}

export type Request =
  | { readonly action: "GetItem"; readonly input: GetItemCommandInput }
  | { readonly action: "PutItem"; readonly input: PutItemCommandInput }
  | { readonly action: "DeleteItem"; readonly input: DeleteItemCommandInput }
  | { readonly action: "Query"; readonly input: QueryCommandInput }
  | { readonly action: "BatchGetItem"; readonly input: BatchGetItemCommandInput }
  | { readonly action: "BatchWriteItem"; readonly input: BatchWriteItemCommandInput };

export interface MemoryTable {
  /** Rejects as the service does, with ConditionalCheckFailedException. Items are shared: nobody may change one. */
  execute(request: Request): object;
  item(pk: string, sk: string): Item | undefined;
  /** All items of a partition. */
  items(pk: string): readonly Item[];
  /** The memory of its items if it is packed. */
  packedBytes(): number;
}

const pageBytes = 1024 * 1024;

/**
 * DynamoDB's item API over one table with the keys pk and sk, and the index `by-kind`. Reads that do not ask for
 * consistency lag. test/contract holds it to what the service does.
 */
export function memoryTable({ now, lagMs = 0, onWrite, isPacked = false }: Options): MemoryTable {
  const items = new Map<string, Stored>();
  const sorted = new Map<string, string[]>();
  /** The index: the partitions that have, or had, an item of this sort key. */
  const partitions = new Map<string, Set<string>>();

  const idOf = (pk: string, sk: string) => `${pk}\n${sk}`;

  function read(pk: string, sk: string, consistent: boolean): Item | undefined {
    const found = items.get(idOf(pk, sk));
    if (found === undefined) return undefined;
    return (!consistent && found.replacedAt > now() - lagMs ? found.before : found.item)?.read();
  }

  function current(pk: string, sk: string): Item | undefined {
    return items.get(idOf(pk, sk))?.item?.read();
  }

  function write(pk: string, sk: string, after: Item | undefined): void {
    const id = idOf(pk, sk);
    const found = items.get(id);
    const before = found?.item?.read();
    const bytes = after === undefined ? 0 : itemBytes(after);
    const item = after && (isPacked ? packed(after) : { read: () => after, packedBytes: 0 });
    items.set(id, { item, bytes, before: lagMs > 0 ? found?.item : undefined, replacedAt: now() });
    if (found === undefined) {
      const keys = sorted.get(pk) ?? [];
      sorted.set(pk, keys);
      keys.splice(lowest(keys, sk), 0, sk);
      partitions.set(sk, (partitions.get(sk) ?? new Set()).add(pk));
    }
    onWrite?.({ pk, sk, before, after });
  }

  function check(pk: string, sk: string, input: PutItemCommandInput | DeleteItemCommandInput): void {
    if (input.ConditionExpression === undefined) return;
    const standing = current(pk, sk);
    if (conditionOf(input).every((condition) => holds(condition, standing))) return;
    throw new ConditionalCheckFailedException({
      message: "The conditional request failed",
      $metadata: { httpStatusCode: 400 },
      ...(standing === undefined || input.ReturnValuesOnConditionCheckFailure !== "ALL_OLD" ? {} : { Item: standing }),
    });
  }

  function query(input: QueryCommandInput): object {
    if (input.IndexName !== undefined) return queryIndex(input);
    const { pk, low, high } = keyConditionOf(input);
    const keys = sorted.get(pk) ?? [];
    const from = low === undefined ? 0 : lowest(keys, low);
    const to = high === undefined ? keys.length : upTo(keys, high);
    const range = keys.slice(from, to);
    if (input.ScanIndexForward === false) range.reverse();
    const after = input.ExclusiveStartKey?.["sk"]?.S;
    const found: Item[] = [];
    const isKept = filterOf(input);
    let [bytes, evaluated] = [0, 0];
    for (const sk of after === undefined ? range : range.slice(range.indexOf(after) + 1)) {
      const item = read(pk, sk, input.ConsistentRead === true);
      if (item === undefined) continue;
      evaluated += 1;
      if (isKept(item)) found.push(projected(item, input));
      bytes += items.get(idOf(pk, sk))?.bytes ?? 0;
      if (evaluated === input.Limit || bytes > pageBytes)
        return { Items: found, LastEvaluatedKey: { pk: { S: pk }, sk: { S: sk } } };
    }
    return { Items: found };
  }

  function queryIndex(input: QueryCommandInput): object {
    const wanted = input.ExpressionAttributeValues?.[":sk"]?.S ?? "";
    const found = [...(partitions.get(wanted) ?? [])].filter((pk) => read(pk, wanted, false) !== undefined);
    return { Items: found.sort(byBytes).map((pk) => ({ pk: { S: pk }, sk: { S: wanted } })) };
  }

  return {
    item: current,
    items: (pk) => (sorted.get(pk) ?? []).map((sk) => current(pk, sk)).filter(isThere),
    packedBytes: () =>
      [...items.values()].reduce(
        (sum, { item, before }) => sum + (item?.packedBytes ?? 0) + (before?.packedBytes ?? 0),
        0,
      ),
    execute({ action, input }) {
      switch (action) {
        case "GetItem": {
          const found = read(textOf(input.Key?.["pk"]), textOf(input.Key?.["sk"]), input.ConsistentRead === true);
          return found === undefined ? {} : { Item: projected(found, input) };
        }
        case "PutItem": {
          const [pk, sk] = [textOf(input.Item?.["pk"]), textOf(input.Item?.["sk"])];
          check(pk, sk, input);
          write(pk, sk, input.Item);
          return {};
        }
        case "DeleteItem": {
          const [pk, sk] = [textOf(input.Key?.["pk"]), textOf(input.Key?.["sk"])];
          check(pk, sk, input);
          if (items.get(idOf(pk, sk))?.item !== undefined) write(pk, sk, undefined);
          return {};
        }
        case "Query":
          return query(input);
        case "BatchGetItem": {
          const [name = "", asked] = Object.entries(input.RequestItems ?? {})[0] ?? [];
          const isConsistent = asked?.ConsistentRead === true;
          const found = (asked?.Keys ?? []).map(({ pk, sk }) => read(textOf(pk), textOf(sk), isConsistent));
          return {
            Responses: { [name]: found.filter(isThere).map((item) => projected(item, asked ?? {})) },
            UnprocessedKeys: {},
          };
        }
        case "BatchWriteItem": {
          for (const { DeleteRequest, PutRequest } of Object.values(input.RequestItems ?? {}).flat()) {
            const { pk, sk } = DeleteRequest?.Key ?? PutRequest?.Item ?? {};
            if (PutRequest !== undefined || items.get(idOf(textOf(pk), textOf(sk)))?.item !== undefined)
              write(textOf(pk), textOf(sk), PutRequest?.Item);
          }
          return { UnprocessedItems: {} };
        }
      }
    },
  };
}

/** In memory of its own, which the process counts in `arrayBuffers`. */
function packed(item: Item): Kept {
  const bytes = serialize(item);
  const own = Buffer.allocUnsafeSlow(bytes.length);
  own.set(bytes);
  return { read: () => deserialize(own) as Item, packedBytes: own.length };
}

function holds({ kind, name, value }: Condition, standing: Item | undefined): boolean {
  const found = standing?.[name];
  if (kind === "exists") return found !== undefined;
  if (kind === "notExists") return found === undefined;
  if (found?.N !== undefined) return found.N === value?.N;
  if (found?.S !== undefined) return found.S === value?.S;
  return found !== undefined && isDeepStrictEqual(found, value);
}

function isThere(item: Item | undefined): item is Item {
  return item !== undefined;
}

function textOf(value: AttributeValue | undefined): string {
  if (value?.S === undefined) throw new Error("expected a key with pk and sk as text");
  return value.S;
}

const compare = (a: string, b: string): number =>
  isPlain.test(a) && isPlain.test(b) ? (a < b ? -1 : a > b ? 1 : 0) : byBytes(a, b);
/** Below the surrogates, UTF-16 has the order of the bytes. */
const isPlain = /^[\0-\ud7ff]*$/;

/** The index of the first key that is not below `key`. */
function lowest(keys: readonly string[], key: string): number {
  let [from, to] = [0, keys.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (compare(keys[middle] ?? "", key) < 0) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The index after the last key that is not above `key`. */
function upTo(keys: readonly string[], key: string): number {
  const index = lowest(keys, key);
  return keys[index] === key ? index + 1 : index;
}
