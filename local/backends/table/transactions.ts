import db, { type Item, type Store } from "dynalite/db";
import getItemAction from "dynalite/actions/getItem";
import getItemInput from "dynalite/validations/getItem";
import { isMap, present } from "../../../lib/k8s/map";
import type { TableFiles } from "./files";
import { type Draft, atomically, type ItemAction, prepareWrite } from "./write-item";
import {
  type OperationInput,
  type TableOperation,
  call,
  validated,
  errorName,
  isOperationError,
  operationError,
} from "./operation";
import { createHash } from "node:crypto";

const mostItems = 100;
const mostBytes = 4 * 1024 * 1024;

/** A check is a delete whose write is dropped. */
const actionOf = { Put: "PutItem", Update: "UpdateItem", Delete: "DeleteItem", ConditionCheck: "DeleteItem" } as const;
type Kind = keyof typeof actionOf;

/** Others are ignored, as in DynamoDB. */
const members = [
  ...["TableName", "Key", "Item", "UpdateExpression", "ConditionExpression", "ExpressionAttributeNames"],
  ...["ExpressionAttributeValues", "ReturnValuesOnConditionCheckFailure"],
];

interface Step {
  readonly kind: Kind;
  readonly input: OperationInput;
  readonly run: (draft: Draft) => Promise<unknown>;
}

/** All writes, or none with a reason for each. */
export const transactWriteItems: TableOperation = async (files, input) => {
  const steps = stepsOf(input, files.store);
  const token = tokenOf(input);
  return atomically(files, async (draft) => {
    if (token !== undefined && isKnownToken(files, token, input)) return {};
    await refuseTwiceTheSame(steps, files.store);
    const results: unknown[] = [];
    const reasons: Reason[] = [];
    for (const { kind, run } of steps) {
      const before = draft.writes.length;
      const reason = await run(draft).then((result) => void results.push(result), reasonOf);
      if (kind === "ConditionCheck") draft.writes.length = before;
      reasons.push(reason ?? { Code: "None" });
    }
    if (results.length < steps.length) throw cancelled(reasons);
    // If the write fails now, this table never writes again.
    if (token !== undefined) rememberToken(files, token, input);
    return capacityOf(results);
  });
};

function stepsOf(input: OperationInput, store: Store): readonly Step[] {
  const steps = itemsOf(input).map((one) => stepOf(one, input, store));
  const bytes = steps.reduce((sum, step) => sum + Buffer.byteLength(JSON.stringify(step.input)), 0);
  if (bytes > mostBytes) throw db.validationError(`Transaction request size exceeds ${mostBytes} bytes`);
  return steps;
}

function stepOf(given: unknown, whole: OperationInput, store: Store): Step {
  const entries = isMap(given)
    ? Object.entries(given).filter(([, value]) => value !== undefined && value !== null)
    : [];
  const [[kind, value] = ["", undefined], ...more] = entries;
  if (!isKind(kind) || !isMap(value) || more.length > 0)
    throw db.validationError(
      `TransactItems can only contain one of ${Object.keys(actionOf).join(", ")}: expected one in each item`,
    );
  const own = Object.entries(value).filter(([name]) => members.includes(name));
  const input = withCapacity(Object.fromEntries(own), whole);
  const needed = {
    Put: ["Item"],
    Update: ["UpdateExpression"],
    Delete: ["Key"],
    ConditionCheck: ["ConditionExpression"],
  };
  const missing = needed[kind].find((name) => input[name] === undefined);
  if (missing !== undefined)
    throw db.validationError(`The ${missing} of a ${kind} is required but was not present in the request`);
  const action: ItemAction = actionOf[kind];
  return { kind, input, run: prepareWrite(action, input, store) };
}

const isKind = (kind: string): kind is Kind => Object.hasOwn(actionOf, kind);

async function refuseTwiceTheSame(steps: readonly Step[], store: Store): Promise<void> {
  const seen = new Set<string>();
  for (const { input } of steps) {
    const id = await idOf(input, store);
    if (id !== undefined && seen.has(id))
      throw db.validationError("Transaction request cannot include multiple operations on one item");
    if (id !== undefined) seen.add(id);
  }
}

/** Undefined for a key that does not fit the table: its own write refuses it. @throws ResourceNotFoundException */
function idOf({ TableName, Key, Item }: OperationInput, store: Store): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    store.getTable(String(TableName), (error, table) => {
      if (table === undefined) return reject(error ?? new Error(`no table ${String(TableName)}`));
      try {
        resolve(`${table.TableName}/${db.createKey((Key ?? Item) as Item, table)}`);
      } catch {
        resolve(undefined);
      }
    });
  });
}

interface Reason {
  readonly Code: string;
  readonly Message?: string;
  readonly Item?: unknown;
}

const codes: Readonly<Record<string, string>> = {
  ConditionalCheckFailedException: "ConditionalCheckFailed",
  ValidationException: "ValidationError",
};

function reasonOf(error: unknown): Reason {
  const Code = isOperationError(error) ? codes[errorName(error) ?? ""] : undefined;
  if (!isOperationError(error) || Code === undefined) throw error;
  const { Item } = error.body;
  return { Code, Message: error.message, ...present({ Item }) };
}

function cancelled(CancellationReasons: readonly Reason[]): Error {
  const all = CancellationReasons.map(({ Code }) => Code).join(", ");
  const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${all}]`;
  return operationError("TransactionCanceledException", message, { CancellationReasons });
}

const membersOfGet = ["TableName", "Key", "ProjectionExpression", "ExpressionAttributeNames"];

/** All items at one moment, between the writes. */
export const transactGetItems: TableOperation = async (files, input) => {
  const { store } = files;
  const gets = getsOf(input).map((get) => validated(getItemInput, withCapacity(get, input), store));
  return files.alone(async () => {
    const results = await Promise.all(gets.map((get) => call(getItemAction, store, get)));
    const Responses = results.map((result) => {
      const { Item } = result as { readonly Item?: unknown };
      return Item === undefined ? {} : { Item };
    });
    return { Responses, ...capacityOf(results) };
  });
};

function getsOf(input: OperationInput): readonly OperationInput[] {
  return itemsOf(input).map((one) => {
    const get = isMap(one) ? one["Get"] : undefined;
    if (!isMap(get)) throw db.validationError("TransactItems: expected a Get in each item");
    return Object.fromEntries(Object.entries(get).filter(([name]) => membersOfGet.includes(name)));
  });
}

function itemsOf({ TransactItems: given }: OperationInput): readonly unknown[] {
  if (Array.isArray(given) && given.length > 0 && given.length <= mostItems) return given;
  throw db.validationError(
    "1 validation error detected: Value at 'transactItems' failed to satisfy constraint: " +
      `Member must have length less than or equal to ${mostItems} and greater than or equal to 1`,
  );
}

function withCapacity(one: OperationInput, { ReturnConsumedCapacity }: OperationInput): OperationInput {
  return ReturnConsumedCapacity === undefined ? one : { ...one, ReturnConsumedCapacity };
}

interface Counted {
  readonly ConsumedCapacity?: { readonly TableName: string; readonly CapacityUnits: number };
}

/** By table. Each item costs twice its usual capacity. Empty if not requested. */
function capacityOf(results: readonly unknown[]): { readonly ConsumedCapacity?: unknown } {
  const units = new Map<string, number>();
  for (const { ConsumedCapacity: one } of results as readonly Counted[])
    if (one !== undefined) units.set(one.TableName, (units.get(one.TableName) ?? 0) + 2 * one.CapacityUnits);
  if (units.size === 0) return {};
  return { ConsumedCapacity: [...units].map(([TableName, CapacityUnits]) => ({ TableName, CapacityUnits })) };
}

/** DynamoDB remembers a token for ten minutes. */
const tokenMs = 10 * 60_000;

interface Made {
  readonly items: string;
  readonly until: number;
}

/** Not stored: after a kill, a client has to sign with another credential anyway. */
const madeBy = new WeakMap<TableFiles, Map<string, Made>>();

function tokenOf({ ClientRequestToken: token }: OperationInput): string | undefined {
  if (token === undefined || token === null) return undefined;
  if (typeof token === "string" && token.length > 0 && token.length <= 36) return token;
  throw db.validationError(
    "1 validation error detected: Value at 'clientRequestToken' failed to satisfy constraint: " +
      "Member must have length less than or equal to 36 and greater than or equal to 1",
  );
}

/** True if the transaction was made: the client repeats it after a lost answer. */
function isKnownToken(files: TableFiles, token: string, input: OperationInput): boolean {
  const made = madeBy.get(files)?.get(token);
  if (made === undefined || made.until < Date.now()) return false;
  if (made.items === digestOf(input)) return true;
  throw operationError(
    "IdempotentParameterMismatchException",
    "The request uses the same client token as a previous, but non-identical request",
  );
}

function rememberToken(files: TableFiles, token: string, input: OperationInput): void {
  const all = madeBy.get(files) ?? new Map<string, Made>();
  madeBy.set(files, all);
  for (const [old, { until }] of all) {
    if (until >= Date.now()) break;
    all.delete(old);
  }
  all.delete(token);
  all.set(token, { items: digestOf(input), until: Date.now() + tokenMs });
}

function digestOf({ TransactItems }: OperationInput): string {
  return createHash("sha256").update(JSON.stringify(TransactItems)).digest("base64");
}
