import { isJsonObject } from "../resources/object";
import { badRequest } from "../resources/status";
import type { OpenApiSchema } from "./schemas";

export interface FieldLocation {
  readonly path: string;
  /** "": no built-in one. */
  readonly struct: string;
}

/** Other schemas refer to `name`. */
interface Named {
  readonly schema: OpenApiSchema;
  readonly name: string | undefined;
}

/** null is Go's zero value. @throws 400 in the words of Go's decoder */
export function checkGoType(given: Named, value: unknown, { path, struct }: FieldLocation): void {
  const goType = value === null || value === undefined ? undefined : goTypeFor(given, value);
  if (goType === undefined) return;
  const field = path.replace(/\[\d+\]/g, "");
  throw badRequest(
    `json: cannot unmarshal ${jsonType(value)} into Go struct field ${struct}.${field} of type ${goType}`,
  );
}

/** Undefined: the value fits. */
function goTypeFor({ schema, name }: Named, value: unknown): string | undefined {
  const { type, format = "", items, additionalProperties } = schema;
  switch (type) {
    case "boolean":
      return typeof value === "boolean" ? undefined : "bool";
    case "integer":
      return Number.isSafeInteger(value) ? undefined : format === "" ? "int64" : format;
    case "string":
      return typeof value === "string" || format !== "" ? undefined : "string";
    case "array":
      return Array.isArray(value) ? undefined : `[]${goTypeOf(items)}`;
    case "object":
      if (isJsonObject(value)) return undefined;
      return name === undefined ? `map[string]${goTypeOf(additionalProperties)}` : goName(name);
    default:
      return undefined;
  }
}

/** "v1.PodSpec" for io.k8s.api.core.v1.PodSpec */
const goName = (name: string): string => name.split(".").slice(-2).join(".");

function goTypeOf(schema: OpenApiSchema | boolean | undefined): string {
  if (typeof schema !== "object") return "interface {}";
  const reference = schema.$ref ?? schema.allOf?.find(({ $ref }) => $ref !== undefined)?.$ref;
  if (reference !== undefined) return goName(reference.split("/").at(-1) ?? "");
  if (schema.type === "array") return `[]${goTypeOf(schema.items)}`;
  return { boolean: "bool", integer: schema.format ?? "int64", string: "string" }[schema.type ?? ""] ?? "interface {}";
}

function jsonType(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "number" : `number ${value}`;
  return typeof value === "boolean" ? "bool" : typeof value;
}
