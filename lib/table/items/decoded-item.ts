import { problemsOf } from "../../model/check/check-schema";
import type { Schema } from "../../model/check/schema-data";
import { problemText } from "../../model/check/problem";

export interface Unreadable {
  readonly broken: string;
  /** A newer version of ebb wrote it. */
  readonly isNewer?: true;
}

export type DecodedItem<T> = { readonly value: T } | Unreadable;

/** Unknown members stay: a newer version may have written them. */
export function decodedItem<T>(schema: Schema, attributes: Readonly<Record<string, unknown>>): DecodedItem<T> {
  // An item of 400 KB has room for 100,000 problems, which take seconds.
  const [problem] = problemsOf(schema, attributes, { most: 1 });
  return problem === undefined ? { value: attributes as T } : { broken: problemText(problem) };
}
