import { Type } from "typebox";
import type { TextForm } from "./parameter-forms";

/** Parameters of metric sources, all optional: an entry holds defaults. Labels are text, so numbers and flags may be text, too. */

export const textParameter = (description: string, { expected, pattern }: TextForm) =>
  Type.Optional(Type.String({ description, pattern: pattern.source, errorMessage: expected }));

export const flagParameter = (description: string) =>
  Type.Optional(
    Type.Unsafe<boolean | string>({ description, enum: [true, false, "true", "false"], errorMessage: "true or false" }),
  );

/** `schema` says which numbers; as text, only digits can be checked here, and the source checks the number. */
export const numberParameter = (description: string, expected: string, schema: object) =>
  Type.Optional(
    Type.Unsafe<number | string>({
      description,
      anyOf: [schema, { type: "string", pattern: "^\\d{1,9}$" }],
      errorMessage: expected,
    }),
  );
