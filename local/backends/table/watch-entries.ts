import { isMap, present } from "../../../lib/k8s/map";
import { isDeepStrictEqual } from "node:util";
import type { ScanOutput } from "@aws-sdk/client-dynamodb";
import { ScanCommand } from "../../../lib/aws/http/dynamodb-commands";
import type { EntryRecord } from "../../../lib/table/changed-hpa";
import { type Item, toItem } from "../../../lib/table/items/attributes";
import { hpaPrefix } from "../../../lib/table/items/keys";
import type { Listener } from "../../guard/guarded";
import { getItem } from "../../../lib/table/get-items";
import type { Table } from "../../../lib/table/reads";

function writtenKeys(target: unknown, body: string): readonly Item[] {
  const action = typeof target === "string" ? target.split(".").at(-1) : undefined;
  if (action === undefined || !/^((Put|Update|Delete|BatchWrite)Item|TransactWriteItems)$/.test(action)) return [];
  const { RequestItems, TransactItems, ...one } = JSON.parse(body) as Request;
  if (RequestItems !== undefined)
    return Object.values(RequestItems)
      .flat()
      .flatMap(Object.values<Write>)
      .flatMap(keyOf);
  return TransactItems?.flatMap(Object.values<Write>).flatMap(keyOf) ?? keyOf(one);
}

interface Request extends Write {
  readonly RequestItems?: Readonly<Record<string, readonly Readonly<Record<string, Write>>[]>>;
  readonly TransactItems?: readonly Readonly<Record<string, Write>>[];
}

interface Write {
  readonly Item?: unknown;
  readonly Key?: unknown;
}

function keyOf({ Item, Key }: Write): readonly Item[] {
  const item = Item ?? Key;
  if (!isMap(item)) return [];
  const { pk, sk } = item as Item;
  return pk === undefined || sk === undefined ? [] : [{ pk, sk }];
}

/** Like a deployment's stream. */
export interface EntryListener {
  readonly changed: (record: EntryRecord) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Reads HPA entries after every write. May report quick successive changes as one.
 *
 * @returns a function that ends the watch after it has reported the changes so far.
 */
export async function watchEntries(
  hearers: Set<Listener>,
  table: Table,
  listener: EntryListener,
): Promise<() => Promise<void>> {
  const known = new Map<string, Item>();
  let pending: Promise<void> = Promise.resolve();

  async function report(keys: Item): Promise<void> {
    const id = idOf(keys);
    const before = known.get(id);
    const after = await getItem(table, { pk: keys.pk?.S ?? "", sk: keys.sk?.S ?? "" });
    if (isDeepStrictEqual(before, after)) return;
    if (after === undefined) known.delete(id);
    else known.set(id, after);
    listener.changed({
      dynamodb: { Keys: keys, ...present({ OldImage: before, NewImage: after }) },
    });
  }

  const hear: Listener = (request, response, body) => {
    response.on("finish", () => {
      if (response.statusCode !== 200) return;
      const keys = writtenKeys(request.headers["x-amz-target"], body.toString());
      for (const each of keys.filter(isHpa)) pending = pending.then(() => report(each)).catch(listener.failed);
    });
  };

  hearers.add(hear);
  // Changes wait until the previous entries are known.
  pending = pending.then(() => readAll(table, known)).catch(listener.failed);
  await pending;
  return async () => {
    hearers.delete(hear);
    await pending;
  };
}

async function readAll(table: Table, known: Map<string, Item>): Promise<void> {
  let next: Item | undefined;
  do {
    const page: ScanOutput = await table.client.send(
      new ScanCommand({
        TableName: table.name,
        FilterExpression: "begins_with(sk, :prefix)",
        ExpressionAttributeValues: toItem({ ":prefix": hpaPrefix }),
        ...present({ ExclusiveStartKey: next }),
      }),
    );
    for (const item of page.Items ?? []) known.set(idOf(item), item);
    next = page.LastEvaluatedKey;
  } while (next !== undefined);
}

function isHpa({ sk }: Item): boolean {
  return sk?.S?.startsWith(hpaPrefix) ?? false;
}

function idOf({ pk, sk }: Item): string {
  return JSON.stringify([pk?.S, sk?.S]);
}
