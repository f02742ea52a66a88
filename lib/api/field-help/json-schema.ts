/** What is read of a published schema (docs/schema): draft 07, as lib/api/schema makes use of it. */
export interface JsonSchema {
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly const?: Scalar;
  readonly enum?: readonly Scalar[];
  readonly examples?: readonly string[];
  readonly minimum?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  /** Names that are free within a pattern: the one pattern of all names, of a map, or with a title such as "dimension.<Name>". */
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly if?: JsonSchema;
  readonly then?: JsonSchema;
  /** "Expected a whole number from 0 to 5." */
  readonly errorMessage?: string;
}

type Scalar = string | number | boolean;
