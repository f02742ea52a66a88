import { randomUUID } from "node:crypto";
import { ConditionalCheckFailedException, DeleteItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { Fault } from "../model/fault";
import { type Item, toItem } from "./items/attributes";
import { attemptsOf, isAmbiguous, toFault } from "./faults";
import { itemBytes, maxItemBytes } from "./item-size";
import { getItem, placeOf, type Table, until } from "./reads";
import { expiresAtAttribute, type ItemKey } from "./items/keys";

/** Done, or what stands instead (undefined: nothing does). */
export type Outcome = { readonly done: true } | { readonly done: false; readonly standing: Item | undefined };

/** What must stand for a write to be made: nothing at all, an item of this version, or exactly this item. */
export type Expected = "nothing" | Standing;

/** An item of ebb's own has a version; one that anybody may write has none, and is compared as it was read. */
export type Standing = { readonly version: number } | { readonly standing: Item };

/**
 * Writes the item if what is expected stands. Every write carries a token of its own: an SDK retry whose first attempt
 * was applied but whose answer was lost is told that the condition failed, and finds its own token on what stands.
 *
 * @throws Fault badEntry for an item that is too large; lost when the answer never came and the write may yet be
 * applied.
 */
export async function putIf(table: Table, item: Item, expected: Expected, signal: AbortSignal): Promise<Outcome> {
  const key = keyOf(item);
  const writeToken = randomUUID();
  refuseAborted(signal, key);
  const command = new PutItemCommand({
    TableName: table.name,
    Item: checkedSize({ ...item, writeToken: { S: writeToken } }),
    ...condition(expected),
  });
  const isMine = (standing: Item | undefined): boolean => standing?.writeToken?.S === writeToken;
  try {
    await table.client.send(command, until(signal));
    return { done: true };
  } catch (error) {
    return await settle({ table, key, action: "PutItem", error, isDone: isMine, signal });
  }
}

/**
 * Deletes the item if it stands as expected. When nothing stands after the SDK had to ask again, its first attempt
 * deleted it (or somebody who deletes the same version did, which is the same); when it asked once, somebody else was
 * first.
 */
export async function deleteIf(table: Table, key: ItemKey, expected: Standing, signal?: AbortSignal): Promise<Outcome> {
  refuseAborted(signal, key);
  const command = new DeleteItemCommand({ TableName: table.name, Key: toItem(key), ...condition(expected) });
  try {
    await table.client.send(command, until(signal));
    return { done: true };
  } catch (error) {
    const askedAgain = !(error instanceof ConditionalCheckFailedException) || attemptsOf(error) > 1;
    const isDone = (standing: Item | undefined): boolean => standing === undefined && askedAgain;
    return await settle({ table, key, action: "DeleteItem", error, isDone, signal });
  }
}

interface Unsettled {
  readonly table: Table;
  readonly key: ItemKey;
  readonly action: string;
  readonly error: unknown;
  /** Whether what stands shows that the write was applied. */
  readonly isDone: (standing: Item | undefined) => boolean;
  readonly signal: AbortSignal | undefined;
}

/** What became of a write that was answered with an error: asked, not assumed. */
async function settle(write: Unsettled): Promise<Outcome> {
  const { table, key, error, isDone, signal } = write;
  if (error instanceof ConditionalCheckFailedException) {
    // Not every server returns the item (dynalite does not), and none does when nothing stands.
    const standing = error.Item ?? (await getItem(table, key, signal));
    return isDone(standing) ? { done: true } : { done: false, standing };
  }
  const fault = toFault(error, await placeOf(table, write.action));
  if (!(fault instanceof Fault)) throw fault;
  // An attempt before the last one may have been applied, whatever the last one was told (throttled, say).
  if (!isAmbiguous(fault) && attemptsOf(error) === 1) throw fault;
  const found = await look(write);
  if (found === "done") return { done: true };
  if (found === "notDone" && !isAmbiguous(fault)) throw fault;
  const message = `${key.pk} ${key.sk}: not known whether the write was applied: ${fault.message}`;
  throw new Fault("lost", message, { cause: error });
}

/** One look at what stands. When even that fails, the write's own failure is what the caller hears of. */
async function look({ table, key, isDone, signal }: Unsettled): Promise<"done" | "notDone" | "unknown"> {
  try {
    return isDone(await getItem(table, key, signal)) ? "done" : "notDone";
  } catch (error) {
    if (error instanceof Fault) return "unknown";
    throw error;
  }
}

/** Before anything is sent, so that nothing is unknown about it. @throws Fault timeout */
function refuseAborted(signal: AbortSignal | undefined, { pk, sk }: ItemKey): void {
  if (signal?.aborted) {
    throw new Fault("timeout", `${pk} ${sk}: not written, the time was over before`, { cause: signal.reason });
  }
}

function condition(expected: Expected): Pick<PutItemCommand["input"], ConditionFields> {
  const returned = { ReturnValuesOnConditionCheckFailure: "ALL_OLD" } as const;
  if (expected === "nothing") {
    const nothingStands = "attribute_not_exists(#pk)";
    return { ...returned, ConditionExpression: nothingStands, ExpressionAttributeNames: { "#pk": "pk" } };
  }
  if ("standing" in expected) return { ...returned, ...sameItem(expected.standing) };
  return {
    ...returned,
    ConditionExpression: "#version = :version",
    ExpressionAttributeNames: { "#version": "version" },
    ExpressionAttributeValues: toItem({ ":version": expected.version }),
  };
}

/** What may be added to an entry between reading and writing it; DynamoDB cannot say "and no other attribute". */
const entryAttributes = ["apiVersion", "kind", "metadata", "spec", "status", expiresAtAttribute, "writeToken"];

/**
 * Every attribute that was read is equal (maps and lists by what they contain), and those of an entry that were absent
 * still are.
 */
function sameItem({ pk: _pk, sk: _sk, ...standing }: Item): Partial<PutItemCommand["input"]> {
  const read = Object.entries(standing);
  const absent = entryAttributes.filter((name) => !Object.hasOwn(standing, name));
  const names = ["pk", ...Object.keys(standing), ...absent];
  const place = (name: string): string => `#n${names.indexOf(name)}`;
  const clauses = [
    `attribute_exists(${place("pk")})`,
    ...read.map(([name], index) => `${place(name)} = :v${index}`),
    ...absent.map((name) => `attribute_not_exists(${place(name)})`),
  ];
  return {
    ConditionExpression: clauses.join(" AND "),
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [place(name), name])),
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
  throw new Fault("badEntry", `${pk} ${sk}: ${expected}: give the HPA fewer or shorter metrics`);
}
