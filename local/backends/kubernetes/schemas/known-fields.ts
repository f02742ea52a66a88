import type { ResourceKind } from "../resources/kinds";
import { isJsonObject, type JsonObject } from "../resources/object";
import { checkGoType, type FieldLocation } from "./go-types";
import type { OpenApiSchema, Schemas } from "./schemas";

/** `value` has only known fields; `unknown` has the paths of the others. */
interface Known {
  readonly value: unknown;
  readonly unknown: readonly string[];
}

const ofEveryObject: Readonly<Record<string, OpenApiSchema>> = {
  apiVersion: { type: "string" },
  kind: { type: "string" },
  metadata: { $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" },
};

/** Undefined: a custom kind without schema. */
export function schemaOfKind(schemas: Schemas, resource: ResourceKind): OpenApiSchema | undefined {
  const { custom, group, version, kind } = resource;
  if (custom === undefined) return builtInSchema(schemas, { group, version, kind });
  const own = custom.schema as OpenApiSchema | undefined;
  return own && { ...own, properties: { ...own.properties, ...ofEveryObject } };
}

export function builtInSchema(
  schemas: Schemas,
  { group, version, kind }: Pick<ResourceKind, "group" | "version" | "kind">,
): OpenApiSchema | undefined {
  return Object.values(schemas).find((schema) =>
    schema["x-kubernetes-group-version-kind"]?.some(
      (of) => of.kind === kind && of.group === group && of.version === version,
    ),
  );
}

/** A schema that refers to others. */
export interface Typed {
  readonly schemas: Schemas;
  readonly schema: OpenApiSchema;
  readonly kind: string;
  readonly custom: boolean;
}

/** @throws 400 for a value that Go could not read into a built-in kind's field */
export function withKnownFields({ schemas, schema, kind, custom }: Typed, document: unknown): Known {
  const unknown: string[] = [];
  const walk = (given: OpenApiSchema, value: unknown, at: FieldLocation): unknown => {
    const { schema: resolved, name } = resolve(schemas, given);
    if (at.struct !== "") checkGoType({ schema: resolved, name }, value, at);
    // "io.k8s.api.core.v1.PodSpec"
    const struct = name?.split(".").at(-1) ?? at.struct;
    const here = { ...at, struct };
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
    // A built-in kind's raw JSON, such as a managed field.
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

const join = (path: string, key: string): string => (path === "" ? key : `${path}.${key}`);

/** Drops members that become undefined. */
function mapObject(object: JsonObject, change: (key: string, value: unknown) => unknown): JsonObject {
  const members = Object.entries(object).map(([key, value]) => [key, change(key, value)] as const);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

/** The given schema if it has no reference. */
export function resolve(
  schemas: Schemas,
  given: OpenApiSchema,
): { readonly schema: OpenApiSchema; readonly name: string | undefined } {
  const reference = given.$ref ?? given.allOf?.find(({ $ref }) => $ref !== undefined)?.$ref;
  const name = reference?.split("/").at(-1) ?? "";
  const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
  return schema === undefined ? { schema: given, name: undefined } : { schema, name };
}
