import deleteItemAction from "dynalite/actions/deleteItem";
import putItemAction from "dynalite/actions/putItem";
import updateItemAction from "dynalite/actions/updateItem";
import batchWriteAction from "dynalite/actions/batchWriteItem";
import type { Store, Callback, Item, Part, Write } from "dynalite/db";
import batchWriteInput from "dynalite/validations/batchWriteItem";
import deleteItemInput from "dynalite/validations/deleteItem";
import putItemInput from "dynalite/validations/putItem";
import updateItemInput from "dynalite/validations/updateItem";
import {
  call,
  validated,
  errorName,
  type OperationInput,
  isOperationError,
  type TableOperation,
  type OperationError,
} from "./operation";
import type { TableFiles } from "./files";

const actions = {
  PutItem: [putItemAction, putItemInput],
  UpdateItem: [updateItemAction, updateItemInput],
  DeleteItem: [deleteItemAction, deleteItemInput],
} as const;

export type ItemAction = keyof typeof actions;

/** Before anything is read. */
export function prepareWrite(
  name: ItemAction,
  input: OperationInput,
  store: Store,
): (draft: Draft) => Promise<unknown> {
  const [action, validation] = actions[name];
  const known = validated(validation, input, store);
  return (draft) =>
    call(action, draft.store, known).catch((error: unknown) => {
      throw isOperationError(error) && errorName(error) === "ConditionalCheckFailedException"
        ? withItem(error, draft, input)
        : error;
    });
}

/** dynalite does not know ReturnValuesOnConditionCheckFailure. */
function withItem(error: OperationError, draft: Draft, input: OperationInput): OperationError {
  const item = draft.found();
  if (input["ReturnValuesOnConditionCheckFailure"] !== "ALL_OLD" || item === undefined) return error;
  return Object.assign(error, { body: { ...error.body, Item: item } });
}

export function writeItem(name: ItemAction): TableOperation {
  return async (files, input) => atomically(files, prepareWrite(name, input, files.store));
}

export const batchWriteItem: TableOperation = (files, input) =>
  atomically(files, ({ store }) => call(batchWriteAction, store, validated(batchWriteInput, input, store)));

export interface Draft {
  readonly store: Store;
  readonly writes: Write[];
  readonly found: () => Item | undefined;
}

/** dynalite writes an item and its index entries one by one. A kill between them leaves a wrong index. */
export function draftOf(store: Store): Draft {
  const writes: Write[] = [];
  let found: Item | undefined;

  function part(prefix: string, stored: Part): Part {
    return {
      get(key, callback) {
        stored.get(key, (error, item) => {
          found = item;
          callback(error, item);
        });
      },
      put(key, value, callback) {
        writes.push({ type: "put", key: `${prefix}${key}`, value });
        callback();
      },
      del(key, callback) {
        writes.push({ type: "del", key: `${prefix}${key}` });
        callback();
      },
      lock: (_key, run) => run(<T>(callback: Callback<T>) => callback),
    };
  }

  return {
    writes,
    found: () => found,
    store: {
      ...store,
      getItemDb: (table) => part(`item-${table}~`, store.getItemDb(table)),
      getIndexDb: (type, table, index) =>
        part(`index-${type.toLowerCase()}~${table}~${index}~`, store.getIndexDb(type, table, index)),
    },
  };
}

/** Writes all that `run` drafts at once, and nothing if it rejects. Nothing else writes meanwhile. */
export function atomically<T>(files: TableFiles, run: (draft: Draft) => Promise<T>): Promise<T> {
  return files.alone(async () => {
    const draft = draftOf(files.store);
    const result = await run(draft);
    if (draft.writes.length > 0) await files.write(draft.writes);
    return result;
  });
}
