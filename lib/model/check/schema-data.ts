/** The part of JSON Schema (draft 07) that our schemas use. `npm run schema` rejects any other keyword. */
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
  readonly format?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | false;
  readonly discriminator?: { readonly propertyName: string };
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly not?: Schema;
  readonly if?: Schema;
  readonly then?: Schema;
  readonly else?: Schema;
}

export type TypeName = "string" | "number" | "integer" | "boolean" | "null" | "array" | "object";

/** Undefined: the value has the format. */
export type Formats = Readonly<Record<string, (value: unknown) => string | undefined>>;
