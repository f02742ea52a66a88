import clusterSchema from "../../../docs/schema/cluster.json";
import hpaSchema from "../../../docs/schema/hpa.json";
import sourceSchema from "../../../docs/schema/metric-source.json";
import type { EntryKind } from "../../../lib/model/entry/kinds";

/** The part of a published schema (docs/schema) that help reads. */
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
  /** A map has one pattern; others have a title, such as "dimension.<Name>". */
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly if?: JsonSchema;
  readonly then?: JsonSchema;
  readonly errorMessage?: string;
}

type Scalar = string | number | boolean;

export function formOf(schema: JsonSchema): string {
  const { errorMessage, enum: values, const: constant, type, minimum, items } = schema;
  if (constant !== undefined) return String(constant);
  if (errorMessage !== undefined) {
    const expected = errorMessage.replace(/^Expected (.*)\.$/s, "$1");
    return expected === "text that is not empty" ? "text" : expected;
  }
  if (values !== undefined) return values.map(String).join(", ");
  if (items !== undefined) return items.type === "string" ? "a list of text values" : "a list";
  if (isTextMap(schema)) return "a map of text values";
  if (type === "integer") return minimum === undefined ? "a whole number" : `a whole number, ${minimum} or more`;
  if (type === "string") return "text";
  return type === "object" ? "an object" : "";
}

function isTextMap({ properties, patternProperties = {} }: JsonSchema): boolean {
  return properties === undefined && Object.values(patternProperties).some(({ type }) => type === "string");
}

export function typeName(schema: JsonSchema): string {
  const { type, title, items, anyOf, properties, patternProperties, const: constant } = schema;
  if (items !== undefined) return `[]${typeName(items)}`;
  if (title !== undefined) return title;
  if (properties === undefined && patternProperties !== undefined) {
    const [value = {}] = Object.values(patternProperties);
    return `map[string]${typeName(value)}`;
  }
  if (type === "object") return "Object";
  if (type !== undefined) return type;
  if (constant !== undefined) return typeof constant;
  const types = schema.enum?.map((value) => typeof value) ?? anyOf?.map(typeName) ?? [];
  return types.length === 0 ? "Object" : [...new Set(types)].join(" or ");
}

export interface Field {
  readonly name: string;
  readonly isRequired: boolean;
  readonly isList: boolean;
  /** "integer", "[]MetricSpec", "map[string]string" */
  readonly type: string;
  /** "a whole number from 3 to 3600" */
  readonly form: string;
  readonly values: readonly string[];
  readonly examples: readonly string[];
  readonly description: string;
  readonly default?: string;
  readonly members: readonly Field[];
  readonly variants: readonly Variant[];
}

export interface Variant {
  readonly when: string;
  readonly description: string;
  readonly members: readonly Field[];
}

export function fieldOf(name: string, schema: JsonSchema, isRequired = false): Field {
  const { items } = schema;
  const described = withDefault(schema.description ?? "");
  const inner = items ?? schema;
  return {
    name,
    isRequired,
    isList: items !== undefined,
    type: typeName(schema),
    form: formOf(schema),
    values: [...new Set((schema.const === undefined ? (schema.enum ?? []) : [schema.const]).map(String))],
    examples: schema.examples ?? [],
    ...described,
    members: membersOf(inner),
    variants: (inner.oneOf ?? []).filter(({ properties }) => properties !== undefined).map(variantOf),
  };
}

/** Tables have a column for "Default …". */
function withDefault(description: string): Pick<Field, "description" | "default"> {
  const [sentence, value] = /(?:^|(?<=\. ))Default:? (.+?)\.(?= |$)/.exec(description) ?? [];
  if (sentence === undefined || value === undefined) return { description };
  return { description: description.replace(sentence, "").replace(/ {2,}/, " ").trim(), default: value };
}

/** `then` adds what only autoscaling/v2 has. */
function membersOf(schema: JsonSchema): readonly Field[] {
  const { properties = {}, patternProperties = {}, required = [], then } = schema;
  const named = Object.entries(properties).map(([name, property]) => {
    const field = fieldOf(name, { ...property, ...then?.properties?.[name] }, required.includes(name));
    return { ...field, variants: [...field.variants, ...conditional(name, schema)] };
  });
  const patterned = Object.values(patternProperties).flatMap((property) =>
    property.title === undefined ? [] : [fieldOf(property.title, property)],
  );
  return [...named, ...patterned];
}

function conditional(name: string, { allOf = [] }: JsonSchema): readonly Variant[] {
  return allOf.flatMap(({ if: condition, then }) => {
    const member = then?.properties?.[name];
    return member?.properties === undefined ? [] : [{ ...variantOf(member), when: whenOf(condition) }];
  });
}

function variantOf(schema: JsonSchema): Variant {
  return { when: whenOf(schema), description: schema.description ?? "", members: membersOf(schema) };
}

function whenOf({ properties = {} }: JsonSchema = {}): string {
  const constants = Object.entries(properties).filter(([, property]) => property.const !== undefined);
  return constants.map(([name, property]) => `${name}: ${String(property.const)}`).join(", ");
}

export interface DocumentedKind {
  readonly word: string;
  readonly kind: EntryKind;
  readonly document: () => Field;
}

const documented = (word: string, kind: EntryKind, schema: object): DocumentedKind => ({
  word,
  kind,
  document: () => fieldOf(word, schema),
});

export const documentedKinds = {
  clusters: documented("cluster", "Cluster", clusterSchema),
  hpa: documented("hpa", "HorizontalPodAutoscaler", hpaSchema),
  sources: documented("source", "MetricSource", sourceSchema),
};

export interface FoundField {
  readonly field: Field;
  readonly when?: string;
}

function membersNamed({ members, variants }: Field, name: string): readonly FoundField[] {
  const own = members.filter((one) => one.name === name).map((field) => ({ field }));
  const varying = variants.flatMap(({ when, members }) =>
    members.filter((one) => one.name === name).map((field) => ({ field, when })),
  );
  return [...own, ...varying];
}

export function findFields(document: Field, names: readonly string[]): readonly FoundField[] {
  return names.reduce<readonly FoundField[]>(
    (found, name) =>
      found.flatMap(({ field, when }) =>
        membersNamed(field, name).map((member) => (when === undefined ? member : { when, ...member })),
      ),
    [{ field: document }],
  );
}

export function memberNames(found: readonly FoundField[]): readonly string[] {
  const names = found.flatMap(({ field: { members, variants } }) =>
    [...members, ...variants.flatMap((variant) => variant.members)].map(({ name }) => name),
  );
  return [...new Set(names)];
}
