import type { JsonSchema } from "./json-schema";

/** What is expected of a value, in the words of the error that says so, or by its type. */
export function formOf(schema: JsonSchema): string {
  const { errorMessage, enum: values, const: constant, type, minimum, items } = schema;
  if (constant !== undefined) return String(constant);
  if (errorMessage !== undefined) {
    const expected = errorMessage.replace(/^Expected (.*)\.$/s, "$1");
    return expected === "text that is not empty" ? "text" : expected;
  }
  if (values !== undefined) return values.map(String).join(", ");
  if (items !== undefined) return items.type === "string" ? "a list of texts" : "a list";
  if (isTextMap(schema)) return "names and texts";
  if (type === "integer") return minimum === undefined ? "a whole number" : `a whole number, ${minimum} or more`;
  if (type === "string") return "text";
  return type === "object" ? "an object" : "";
}

function isTextMap({ properties, patternProperties = {} }: JsonSchema): boolean {
  return properties === undefined && Object.values(patternProperties).some(({ type }) => type === "string");
}
