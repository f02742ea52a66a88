import deleteItemAction from "dynalite/actions/deleteItem";
import putItemAction from "dynalite/actions/putItem";
import updateItemAction from "dynalite/actions/updateItem";
import batchWriteAction from "dynalite/actions/batchWriteItem";
import type { Store } from "dynalite/db";
import batchWriteInput from "dynalite/validations/batchWriteItem";
import deleteItemInput from "dynalite/validations/deleteItem";
import putItemInput from "dynalite/validations/putItem";
import updateItemInput from "dynalite/validations/updateItem";
import { atomically, type Draft } from "./draft";
import {
  call,
  checked,
  errorName,
  type Input,
  isOperationError,
  type Operation,
  type OperationError,
} from "./operation";

const actions = {
  PutItem: [putItemAction, putItemInput],
  UpdateItem: [updateItemAction, updateItemInput],
  DeleteItem: [deleteItemAction, deleteItemInput],
} as const;

export type ItemAction = keyof typeof actions;

/** Checks the whole input before anything is read. */
export function prepareWrite(name: ItemAction, input: Input, store: Store): (draft: Draft) => Promise<unknown> {
  const [action, validation] = actions[name];
  const known = checked(validation, input, store);
  return (draft) =>
    call(action, draft.store, known).catch((error: unknown) => {
      throw isOperationError(error) && errorName(error) === "ConditionalCheckFailedException"
        ? withItem(error, draft, input)
        : error;
    });
}

/** dynalite does not know ReturnValuesOnConditionCheckFailure. */
function withItem(error: OperationError, draft: Draft, input: Input): OperationError {
  const item = draft.found();
  if (input["ReturnValuesOnConditionCheckFailure"] !== "ALL_OLD" || item === undefined) return error;
  return Object.assign(error, { body: { ...error.body, Item: item } });
}

export function writeItem(name: ItemAction): Operation {
  return async (files, input) => atomically(files, prepareWrite(name, input, files.store));
}

export const batchWriteItem: Operation = (files, input) =>
  atomically(files, ({ store }) => call(batchWriteAction, store, checked(batchWriteInput, input, store)));
