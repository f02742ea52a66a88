import type { ResourceKind } from "../resources/kinds";
import { isJsonObject, type JsonObject } from "../resources/object";
import { badRequest } from "../resources/status";
import { schemas, type Schema } from "./schemas";

/** A document with the fields that its kind has, and the paths of those that it does not have. */
interface Known {
  readonly value: unknown;
  readonly unknown: readonly string[];
}

const ofEveryObject: Readonly<Record<string, Schema>> = {
  apiVersion: { type: "string" },
  kind: { type: "string" },
  metadata: { $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" },
};

/** The schema of a kind's objects; undefined if a custom kind's definition has none. */
export function schemaOf(resource: ResourceKind): Schema | undefined {
  const { custom, group, version, kind } = resource;
  if (custom === undefined) return builtInSchema(group, version, kind);
  // The schema of definitions has checked its form.
  const own = custom.schema as Schema | undefined;
  return own && { ...own, properties: { ...own.properties, ...ofEveryObject } };
}

const byKind = new Map<string, Schema>(
  Object.values(schemas).flatMap((schema) =>
    (schema["x-kubernetes-group-version-kind"] ?? []).map(
      ({ group, version, kind }) => [`${group}/${version}/${kind}`, schema] as const,
    ),
  ),
);

/** The schema of a built-in kind, or of a Scale. */
export function builtInSchema(group: string, version: string, kind: string): Schema | undefined {
  return byKind.get(`${group}/${version}/${kind}`);
}

/** @throws 400 for a value of a built-in kind that Go could not read into its field */
export function withKnownFields(
  { schema, kind, custom }: { readonly schema: Schema; readonly kind: string; readonly custom: boolean },
  document: unknown,
): Known {
  const unknown: string[] = [];
  const walk = (given: Schema, value: unknown, at: Place): unknown => {
    const { schema: resolved, name } = resolve(given);
    // "io.k8s.api.core.v1.PodSpec"
    const struct = name?.split(".").at(-1) ?? at.struct;
    const here = { ...at, struct };
    checkType(given, value, at);
    if (Array.isArray(value) && resolved.items !== undefined) {
      const { items } = resolved;
      return value.map((item: unknown, index) => walk(items, item, { ...here, path: `${at.path}[${index}]` }));
    }
    if (!isJsonObject(value)) return value;
    const { properties, additionalProperties: more } = resolved;
    if (properties === undefined && typeof more === "object") {
      return mapObject(value, (key, member) => walk(more, member, { ...here, path: join(at.path, key) }));
    }
    const preserves = resolved["x-kubernetes-preserve-unknown-fields"] === true;
    // Of a built-in kind: raw JSON, as a managed field is.
    if (properties === undefined && (preserves || struct !== "")) return value;
    const known = { ...(resolved["x-kubernetes-embedded-resource"] && ofEveryObject), ...properties };
    return mapObject(value, (key, member) => {
      const path = join(at.path, key);
      const property = Object.hasOwn(known, key) ? known[key] : undefined;
      if (property !== undefined) return walk(property, member, { path, struct });
      if (preserves) return member;
      unknown.push(path);
      return undefined;
    });
  };
  return { value: walk(schema, document, { path: "", struct: custom ? "" : kind }), unknown };
}

interface Place {
  readonly path: string;
  /** The Go struct that has the field. "": none of the built-in ones. */
  readonly struct: string;
}

const join = (path: string, key: string): string => (path === "" ? key : `${path}.${key}`);

/** Without the members that `change` makes undefined. */
function mapObject(object: JsonObject, change: (key: string, value: unknown) => unknown): JsonObject {
  const members = Object.entries(object).map(([key, value]) => [key, change(key, value)] as const);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

/** The schema that a reference names, with its name; the given schema if it has no reference. */
export function resolve(given: Schema): { readonly schema: Schema; readonly name?: string } {
  const reference = given.$ref ?? given.allOf?.find(({ $ref }) => $ref !== undefined)?.$ref;
  const name = reference?.split("/").at(-1) ?? "";
  const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
  return schema === undefined ? { schema: given } : { schema, name };
}

/** Go's zero value stands for null. Custom kinds' types are not checked here. */
function checkType(given: Schema, value: unknown, { path, struct }: Place): void {
  if (value === null || value === undefined || struct === "") return;
  const { schema, name } = resolve(given);
  const goType = goTypeFor(schema, name, value);
  if (goType === undefined) return;
  const field = path.replace(/\[\d+\]/g, "");
  throw badRequest(
    `json: cannot unmarshal ${jsonType(value)} into Go struct field ${struct}.${field} of type ${goType}`,
  );
}

/** The Go type that the value does not fit; undefined if it fits. */
function goTypeFor(schema: Schema, name: string | undefined, value: unknown): string | undefined {
  const { type, format = "" } = schema;
  switch (type) {
    case "boolean":
      return typeof value === "boolean" ? undefined : "bool";
    case "integer":
      return Number.isSafeInteger(value) ? undefined : format === "" ? "int64" : format;
    case "string":
      // Times and quantities are read by code of their own.
      return typeof value === "string" || format !== "" ? undefined : "string";
    case "array":
      return Array.isArray(value) ? undefined : `[]${elementType(schema.items)}`;
    case "object":
      return isJsonObject(value) ? undefined : goTypeOf(schema, name);
    default:
      return undefined;
  }
}

/** "v1.PodSpec" for io.k8s.api.core.v1.PodSpec; "map[string]string" */
function goTypeOf({ additionalProperties }: Schema, name: string | undefined): string {
  if (name !== undefined) return name.split(".").slice(-2).join(".");
  return `map[string]${typeof additionalProperties === "object" ? elementType(additionalProperties) : "interface {}"}`;
}

function elementType(given: Schema | undefined): string {
  if (given === undefined) return "interface {}";
  const { schema, name } = resolve(given);
  if (schema.type === "boolean") return "bool";
  if (schema.type === "integer") return schema.format ?? "int64";
  return schema.type === "string" && name === undefined ? "string" : goTypeOf(schema, name);
}

function jsonType(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "number" : `number ${value}`;
  return typeof value === "boolean" ? "bool" : typeof value;
}
