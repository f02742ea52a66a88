import { unknownFieldText } from "./closest";
import { type FieldPath, shown } from "./problem";
import type { Schema, TypeName } from "./schema-data";

/** Where a value breaks its schema, while the check walks it. */
export interface Mismatch {
  readonly path: FieldPath;
  readonly message: string;
  /**
   * Unknown fields first: a misspelt name may be why another is missing. Last, problems that depend on another field.
   */
  readonly reportOrder: 0 | 1 | 2;
}

export function mismatch(path: FieldPath, message: string, reportOrder: Mismatch["reportOrder"] = 1): Mismatch {
  return { path, message, reportOrder };
}

export function wrong(schema: Schema, value: unknown): Mismatch {
  return mismatch([], `expected ${expectation(schema)}, got ${shown(value)}`);
}

export function missing(name: string, field: Schema): Mismatch {
  return mismatch([name], `expected ${expectation(field)}, got nothing`);
}

export function unexpectedField(name: string, { properties = {}, patternProperties = {} }: Schema): Mismatch {
  const titles = Object.entries(patternProperties).map(([pattern, { title }]) => title ?? pattern);
  return mismatch([], unknownFieldText(name, [...Object.keys(properties), ...titles]), 0);
}

const expectedOf: Readonly<Record<TypeName, string>> = {
  object: "a map",
  array: "a list",
  boolean: "true or false",
  string: "text",
  integer: "a whole number",
  number: "a number",
  null: "null",
};

export function expectation({ errorMessage, type, enum: values }: Schema): string {
  if (errorMessage !== undefined) return errorMessage;
  if (values !== undefined) return `one of ${values.join(", ")}`;
  const name = typeof type === "string" ? type : type?.[0];
  return name === undefined ? "something else" : expectedOf[name];
}
