import { randomUUID } from "node:crypto";
import type { PutItemCommandInput } from "@aws-sdk/client-dynamodb";
import { DeleteItemCommand, isConditionFailure, PutItemCommand } from "../aws/http/dynamodb-commands";
import { Fault } from "../model/fault";
import { type Item, toItem, itemBytes, maxItemBytes } from "./items/attributes";
import { attemptsOf, isAmbiguous, toFault } from "./faults";
import { getItem } from "./get-items";
import { tableRequest, type Table, until } from "./reads";
import { expiresAtAttribute, type ItemKey } from "./items/keys";

/** Done, or the item that is in the table instead. `mayBeApplied`: an earlier attempt got no answer. */
export type WriteOutcome =
  { readonly done: true } | { readonly done: false; readonly stored: Item | undefined; readonly mayBeApplied?: true };

/** The content that a write requires: nothing, an item of this version, or exactly this item. */
export type Expected = "nothing" | Stored;

/** ebb's own items have a version. Items that users write have none: ebb compares them with what it read. */
export type Stored = { readonly version: number } | { readonly stored: Item };

/**
 * A retry whose first attempt was applied fails on the condition, but finds its token.
 *
 * @throws Fault badEntry for an item that is too large; lost if the write may still be applied.
 */
export async function putIf(table: Table, item: Item, expected: Expected, signal: AbortSignal): Promise<WriteOutcome> {
  const key = keyOf(item);
  const writeToken = randomUUID();
  refuseAborted(signal, key);
  const command = new PutItemCommand({
    TableName: table.name,
    Item: checkedSize({ ...item, writeToken: { S: writeToken } }),
    ...condition(expected),
  });
  const hasOwnToken = (stored: Item | undefined): boolean => stored?.writeToken?.S === writeToken;
  try {
    await table.client.send(command, until(signal));
    return { done: true };
  } catch (error) {
    const outcome = await settle({ table, key, action: "PutItem", error, isDone: hasOwnToken, signal });
    return outcome.done || attemptsOf(error) === 1 ? outcome : { ...outcome, mayBeApplied: true };
  }
}

/** If the item is gone after an SDK retry, the first attempt deleted it. */
export async function deleteIf(
  table: Table,
  key: ItemKey,
  expected: Stored,
  signal?: AbortSignal,
): Promise<WriteOutcome> {
  refuseAborted(signal, key);
  const command = new DeleteItemCommand({ TableName: table.name, Key: toItem(key), ...condition(expected) });
  try {
    await table.client.send(command, until(signal));
    return { done: true };
  } catch (error) {
    const askedAgain = !isConditionFailure(error) || attemptsOf(error) > 1;
    const isDone = (stored: Item | undefined): boolean => stored === undefined && askedAgain;
    return await settle({ table, key, action: "DeleteItem", error, isDone, signal });
  }
}

interface UnsettledWrite {
  readonly table: Table;
  readonly key: ItemKey;
  readonly action: string;
  readonly error: unknown;
  /** True if the stored item shows that the write was applied. */
  readonly isDone: (stored: Item | undefined) => boolean;
  readonly signal: AbortSignal | undefined;
}

/** Asks the table what a failed write did. */
async function settle(write: UnsettledWrite): Promise<WriteOutcome> {
  const { table, key, error, isDone, signal } = write;
  if (isConditionFailure(error)) {
    // Not every server returns the item (dynalite does not), and no server returns one if none exists.
    const stored = error.Item ?? (await getItem(table, key, signal));
    return isDone(stored) ? { done: true } : { done: false, stored };
  }
  const fault = toFault(error, await tableRequest(table, write.action));
  if (!(fault instanceof Fault)) throw fault;
  // An earlier attempt may have been applied, whatever the last one was answered.
  if (!isAmbiguous(fault) && attemptsOf(error) === 1) throw fault;
  const found = await look(write);
  if (found === "done") return { done: true };
  if (found === "notDone" && !isAmbiguous(fault)) throw fault;
  const message = `${key.pk} ${key.sk}: not known whether the write was applied: ${fault.message}`;
  throw new Fault("lost", message, { cause: error });
}

/** If the read also fails, the caller gets the write's own failure. */
async function look({ table, key, isDone, signal }: UnsettledWrite): Promise<"done" | "notDone" | "unknown"> {
  try {
    return isDone(await getItem(table, key, signal)) ? "done" : "notDone";
  } catch (error) {
    if (error instanceof Fault) return "unknown";
    throw error;
  }
}

/** @throws Fault timeout */
function refuseAborted(signal: AbortSignal | undefined, { pk, sk }: ItemKey): void {
  if (signal?.aborted) {
    throw new Fault("timeout", `${pk} ${sk}: not written: the time limit passed first`, { cause: signal.reason });
  }
}

function condition(expected: Expected): Pick<PutItemCommandInput, ConditionFields> {
  const returned = { ReturnValuesOnConditionCheckFailure: "ALL_OLD" } as const;
  if (expected === "nothing") {
    const isAbsent = "attribute_not_exists(#pk)";
    return { ...returned, ConditionExpression: isAbsent, ExpressionAttributeNames: { "#pk": "pk" } };
  }
  if ("stored" in expected) return { ...returned, ...sameItem(expected.stored) };
  return {
    ...returned,
    ConditionExpression: "#version = :version",
    ExpressionAttributeNames: { "#version": "version" },
    ExpressionAttributeValues: toItem({ ":version": expected.version }),
  };
}

/** Attributes that an entry may gain between read and write. DynamoDB has no condition "and no other attribute". */
const entryAttributes = ["apiVersion", "kind", "metadata", "spec", "status", expiresAtAttribute, "writeToken"];

/** Every attribute that was read is equal, and an entry's absent ones are absent. */
function sameItem({ pk: _pk, sk: _sk, ...stored }: Item): Partial<PutItemCommandInput> {
  const read = Object.entries(stored);
  const absent = entryAttributes.filter((name) => !Object.hasOwn(stored, name));
  const names = ["pk", ...Object.keys(stored), ...absent];
  const placeholder = (name: string): string => `#n${names.indexOf(name)}`;
  const clauses = [
    `attribute_exists(${placeholder("pk")})`,
    ...read.map(([name], index) => `${placeholder(name)} = :v${index}`),
    ...absent.map((name) => `attribute_not_exists(${placeholder(name)})`),
  ];
  return {
    ConditionExpression: clauses.join(" AND "),
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [placeholder(name), name])),
    ...(read.length > 0 && {
      ExpressionAttributeValues: Object.fromEntries(read.map(([, value], index) => [`:v${index}`, value])),
    }),
  };
}

type ConditionFields =
  | "ConditionExpression"
  | "ExpressionAttributeNames"
  | "ExpressionAttributeValues"
  | "ReturnValuesOnConditionCheckFailure";

function keyOf(item: Item): ItemKey {
  return { pk: String(item.pk?.S), sk: String(item.sk?.S) };
}

/** @throws Fault badEntry */
export function checkedSize(item: Item): Item {
  const bytes = itemBytes(item);
  if (bytes <= maxItemBytes) return item;
  const { pk, sk } = keyOf(item);
  const expected = `expected at most the ${maxItemBytes} bytes that an item may have, got ${bytes}`;
  throw new Fault("badEntry", `${pk} ${sk}: ${expected}: make its texts shorter`);
}
