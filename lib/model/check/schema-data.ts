/**
 * What a schema in lib/model/validators may contain: the part of JSON Schema (draft 07) that our schemas use. `npm run
 * schema` rejects any other keyword. `errorMessage` says what is expected; by default, the type does.
 */
export interface Schema {
  readonly type?: TypeName | readonly TypeName[];
  readonly title?: string;
  readonly errorMessage?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly multipleOf?: number;
  readonly pattern?: string;
  readonly minLength?: number;
  /** One of the formats that the caller knows. */
  readonly format?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  /** Absent: unknown members are allowed. */
  readonly additionalProperties?: Schema | false;
  readonly discriminator?: { readonly propertyName: string };
  /** With `discriminator`: the schema whose constant for that property equals the value's. */
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly not?: Schema;
  readonly if?: Schema;
  readonly then?: Schema;
  readonly else?: Schema;
}

export type TypeName = "string" | "number" | "integer" | "boolean" | "null" | "array" | "object";

/** By name: returns what is expected, or undefined if the value has the format. */
export type Formats = Readonly<Record<string, (value: unknown) => string | undefined>>;
