import validations, { type Validation } from "dynalite/validations";
import type { Callback, Store } from "dynalite/db";
import type { TableFiles } from "./files";

export type OperationInput = Readonly<Record<string, unknown>>;

/** Rejects with an OperationError, or with an error of the files. */
export type TableOperation = (files: TableFiles, input: OperationInput) => Promise<unknown>;

export interface OperationError extends Error {
  readonly statusCode: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export function isOperationError(error: unknown): error is OperationError {
  return error instanceof Error && "statusCode" in error && "body" in error;
}

export function operationError(name: string, message: string, more: object = {}): OperationError {
  const body = { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message, ...more };
  return Object.assign(new Error(message), { statusCode: 400, body });
}

export function errorName(error: OperationError): string | undefined {
  return String(error.body["__type"]).split("#")[1];
}

type Action = (store: Store, input: object, callback: Callback<unknown>) => void;

/** @throws OperationError for an input that dynalite refuses */
export function validated({ types, custom }: Validation, input: OperationInput, store: Store): Record<string, unknown> {
  const known = validations.checkTypes({ ...input }, types);
  validations.checkValidations(known, types, custom, store);
  return known;
}

export function call(action: Action, store: Store, input: object): Promise<unknown> {
  return new Promise((resolve, reject) => {
    action(store, input, (error, output) => {
      if (error) reject(error);
      else resolve(output);
    });
  });
}

export function change(action: Action, validation: Validation): TableOperation {
  return (files, input) => files.change(() => plain(action, validation)(files, input));
}

export function plain(action: Action, validation: Validation): TableOperation {
  return ({ store }, input) => call(action, store, validated(validation, input, store));
}
