import db, { type Expression, type Operand, type Store, type Write } from "dynalite/db";
import { Fault } from "../../../lib/model/fault";
import { diskFault, isFull } from "../../guard/private-files";
import { localRegion } from "../../guard/signature";
import { holderOf, nameHolder } from "./holder";
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { isDeepStrictEqual } from "node:util";

export interface TableFiles {
  readonly store: Store;
  /** In sequence: no other write changes what a write reads. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>;
  /** All or nothing, also if the process is killed. */
  readonly write: (writes: readonly Write[]) => Promise<void>;
  readonly change: <T>(work: () => Promise<T>) => Promise<T>;
  /** Resolves when the first write failed. */
  readonly failed: Promise<Fault>;
  close(): Promise<void>;
}

/** The queues' too (local/backends/sqs/account.ts). */
const localAccount = "000000000000";

/** @throws Fault "conflict" if another process has the directory open, "unreachable" if its files cannot be opened */
export async function openFiles(directory: string): Promise<TableFiles> {
  compareDocuments();
  const store = db.create({ path: directory, createTableMs: 0 });
  Object.assign(store.tableDb, { awsAccountId: localAccount, awsRegion: localRegion });
  try {
    await store.db.open();
  } catch (cause) {
    throw await openFault(directory, cause);
  }
  await nameHolder(directory).catch(() => undefined);
  let failure: Fault | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let report: (failure: Fault) => void;
  const failed = new Promise<Fault>((resolve) => (report = resolve));

  async function change<T>(work: () => Promise<T>): Promise<T> {
    // LevelDB's log may end in half a record. Recovery drops everything after it, so nothing may follow.
    if (failure !== undefined) throw failure;
    try {
      return await work();
    } catch (cause) {
      if (!isOfFiles(cause)) throw cause;
      failure ??= diskFault(directory, cause);
      report(failure);
      throw failure;
    }
  }

  return {
    ...{ store, failed, change },
    alone(work) {
      const result = last.then(work);
      last = result.catch(() => undefined);
      return result;
    },
    write: (writes) => change(() => store.db.batch(writes)),
    close: () => store.db.close(),
  };
}

function isOfFiles(cause: unknown): boolean {
  const { code } = cause as { readonly code?: string };
  return code === "LEVEL_IO_ERROR" || isFull(cause);
}

async function openFault(directory: string, cause: unknown): Promise<Fault> {
  const { code } = (cause as { readonly cause?: { readonly code?: string } }).cause ?? {};
  if (code !== "LEVEL_LOCKED") return diskFault(directory, cause);
  const holder = (await holderOf(directory)) ?? "another running ebb";
  const hint = "wait for it, stop it, or give this one a directory of its own";
  return new Fault("conflict", `${directory}: ${holder} holds this table: ${hint}`, { cause });
}

type Value = AttributeValue | undefined;

/**
 * dynalite's `=` and `<>` compare maps and lists by identity, DynamoDB by content. So an equal map of the request is
 * replaced by the item's own.
 */
function compareDocuments(): void {
  const { checkConditional } = db;
  if (compared.has(checkConditional)) return;
  db.checkConditional = (request, stored) => {
    if (request._condition) shareEqual(request._condition.expression, { M: stored ?? {} });
    return checkConditional(request, stored);
  };
  compared.add(db.checkConditional);
}

/** Each opened table calls this, but the process has only one dynalite. */
const compared = new WeakSet<object>();

function shareEqual(expression: Expression, stored: AttributeValue): void {
  const operands = expression.args ?? [];
  for (const operand of operands) if (!isPath(operand)) shareEqual(operand, stored);
  if (expression.type !== "=" && expression.type !== "<>") return;
  const found = operands.filter(isPath).map((path) => valueAt(path, stored));
  for (const operand of operands) {
    const equal = found.find((value) => isDocument(value) && isDeepStrictEqual(value, operand));
    if (equal !== undefined) Object.assign(operand, equal);
  }
}

function valueAt(path: readonly (string | number)[], stored: AttributeValue): Value {
  return path.reduce<Value>((value, step) => (typeof step === "number" ? value?.L?.[step] : value?.M?.[step]), stored);
}

function isPath(operand: Operand): operand is readonly (string | number)[] {
  return Array.isArray(operand);
}

function isDocument(value: Value): boolean {
  return value?.M !== undefined || value?.L !== undefined;
}
