import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { isDeepStrictEqual } from "node:util";
import { ScanCommand, type ScanCommandOutput } from "@aws-sdk/client-dynamodb";
import { type Item, toItem } from "../../lib/table/attributes";
import type { EntryRecord } from "../../lib/table/changed-hpa";
import { getItem, type Table } from "../../lib/table/reads";
import { hpaPrefix } from "../../lib/table/schema";
import { writtenKeys } from "./written-keys";

/** `changed` hears of each change as the table's stream would tell it in a deployment. */
export interface EntryListener {
  readonly changed: (record: EntryRecord) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * The embedded server has no stream. So after every successful request that wrote HPA entries, by whichever process, they are read, and
 * what is found is compared with what stood before. Changes that follow each other closely may be told as one.
 *
 * @returns ends the watch, when what was heard of is told.
 */
export async function watchEntries(
  server: Server,
  table: Table,
  listener: EntryListener,
): Promise<() => Promise<void>> {
  const known = new Map<string, Item>();
  let told: Promise<void> = Promise.resolve();

  async function tell(keys: Item): Promise<void> {
    const id = idOf(keys);
    const before = known.get(id);
    const after = await getItem(table, { pk: keys.pk?.S ?? "", sk: keys.sk?.S ?? "" });
    if (isDeepStrictEqual(before, after)) return;
    if (after === undefined) known.delete(id);
    else known.set(id, after);
    listener.changed({
      dynamodb: { Keys: keys, ...(before && { OldImage: before }), ...(after && { NewImage: after }) },
    });
  }

  function hear(request: IncomingMessage, response: ServerResponse): void {
    const body: Buffer[] = [];
    request.on("data", (chunk: Buffer) => body.push(chunk));
    response.on("finish", () => {
      if (response.statusCode !== 200) return;
      const keys = writtenKeys(request.headers["x-amz-target"], Buffer.concat(body).toString());
      for (const each of keys.filter(isHpa)) told = told.then(() => tell(each)).catch(listener.failed);
    });
  }

  server.on("request", hear);
  // What is written while this reads is heard of, and compared when it is known what stood before.
  told = told.then(() => readAll(table, known)).catch(listener.failed);
  await told;
  return async () => {
    server.off("request", hear);
    await told;
  };
}

async function readAll(table: Table, known: Map<string, Item>): Promise<void> {
  let next: Item | undefined;
  do {
    const page: ScanCommandOutput = await table.client.send(
      new ScanCommand({
        TableName: table.name,
        FilterExpression: "begins_with(sk, :prefix)",
        ExpressionAttributeValues: toItem({ ":prefix": hpaPrefix }),
        ...(next && { ExclusiveStartKey: next }),
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
