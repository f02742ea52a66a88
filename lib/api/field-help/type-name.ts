import type { JsonSchema } from "./json-schema";

/** A value's type in the words of `kubectl explain`: a type of Kubernetes or of ours by its name, all others by JSON's. */
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
