import { type Static, type TSchema, type TSchemaOptions, Type } from "typebox";

/**
 * `errorMessage`: what is expected, if the type does not say so. Build time only: functions import types and generated
 * validators.
 */
export interface FieldOptions extends TSchemaOptions {
  readonly errorMessage?: string;
}

export const filledText = (description: string, options: FieldOptions = {}) =>
  Type.String({ description, pattern: "\\S", errorMessage: "text that is not empty", ...options });

export const wholeNumber = (description: string, range: readonly [number, number], options: FieldOptions = {}) =>
  Type.Integer({
    description,
    minimum: range[0],
    maximum: range[1],
    errorMessage: `a whole number from ${range[0]} to ${range[1]}`,
    ...options,
  });

/** A string: validation comes after decoding. */
export const oneOf = (description: string, values: readonly string[], options: FieldOptions = {}) =>
  Type.Unsafe<string>({ type: "string", enum: [...values], description, ...options });

export const textMap = (description: string) => Type.Record(Type.String(), Type.String(), { description });

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";

/** RFC 1123. */
export const dnsSubdomain = (description: string) =>
  Type.String({
    description,
    pattern: `^(?=.{1,253}$)${label}(\\.${label})*$`,
    errorMessage: "lower case letters, digits, - and .",
  });
export const dnsLabel = (description: string, { orEmpty = false } = {}) =>
  Type.String({
    description,
    pattern: `^(?=.{1,63}$)${label}$${orEmpty ? "|^$" : ""}`,
    errorMessage: "at most 63 lower case letters, digits and -",
  });

/** A misspelt option must not pass. */
export const closed = { additionalProperties: false } as const;

export type Frozen<T> = T extends object ? { readonly [Name in keyof T]: Frozen<T[Name]> } : T;

/** The type that a schema describes. Both have one name, in one file. */
export type TypeOf<S extends TSchema> = Frozen<Static<S>>;

const decimal = "([0-9]+(\\.[0-9]*)?|\\.[0-9]+)";
const suffix = "([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?";

const forms = {
  positive: {
    pattern: `^ *\\+?(?=[0-9.]*[1-9])${decimal}${suffix} *$`,
    number: { type: "number", exclusiveMinimum: 0 },
    errorMessage: "a quantity greater than 0 such as 5, 500m or 1.5Gi",
  },
  zeroOrMore: {
    pattern: `^ *\\+?${decimal}${suffix} *$`,
    number: { type: "number", minimum: 0 },
    errorMessage: "a quantity, 0 or more, such as 0.1 or 100m",
  },
};

/** Source: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/ */
export const quantityField = (description: string, form: keyof typeof forms) =>
  Type.Unsafe<string | number>({
    title: "Quantity",
    description,
    anyOf: [{ type: "string", pattern: forms[form].pattern }, forms[form].number],
    errorMessage: forms[form].errorMessage,
  });
