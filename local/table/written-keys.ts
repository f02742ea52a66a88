import type { Item } from "../../lib/table/attributes";
import { isMap } from "../../lib/table/checks";

/** The keys of the items that a request to the DynamoDB API writes or deletes. None for a request that only reads. */
export function writtenKeys(target: unknown, body: string): readonly Item[] {
  const action = typeof target === "string" ? target.split(".").at(-1) : undefined;
  if (action === undefined || !/^(Put|Update|Delete|BatchWrite)Item$/.test(action)) return [];
  const { Item, Key, RequestItems } = JSON.parse(body) as Record<string, unknown>;
  if (action === "BatchWriteItem")
    return Object.values(RequestItems as Writes).flatMap((writes) => writes.flatMap(keyOf));
  return keyOf({ PutRequest: { Item: Item ?? Key } });
}

type Writes = Readonly<Record<string, readonly Write[]>>;

interface Write {
  readonly PutRequest?: { readonly Item?: unknown };
  readonly DeleteRequest?: { readonly Key?: unknown };
}

function keyOf({ PutRequest, DeleteRequest }: Write): readonly Item[] {
  const item = PutRequest?.Item ?? DeleteRequest?.Key;
  if (!isMap(item)) return [];
  const { pk, sk } = item as Item;
  return pk === undefined || sk === undefined ? [] : [{ pk, sk }];
}
