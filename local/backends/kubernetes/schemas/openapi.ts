import { createHash } from "node:crypto";
import { type ResourceKind, groupVersion } from "../resources/kinds";
import { resolve, schemaOfKind } from "./known-fields";
import type { OpenApiSchema, Schemas } from "./schemas";

const version = "v1.37.2";

/** For `kubectl explain` and `apply`, and the parameters of a PATCH. */
export function openApiIndex(resources: readonly ResourceKind[]): unknown {
  const versions = [...new Set(resources.map(pathOf))];
  return { paths: Object.fromEntries(versions.map((path) => [path, { serverRelativeURL: urlOf(resources, path) }])) };
}

/** Clients cache a document by its URL, and a definition may change. */
function urlOf(resources: readonly ResourceKind[], path: string): string {
  const custom = resources.filter((resource) => pathOf(resource) === path).map((resource) => resource.custom?.schema);
  return `/openapi/v3/${path}?hash=${createHash("sha256").update(JSON.stringify(custom)).digest("hex").slice(0, 8)}`;
}

/** Undefined: no served kind. */
export function openApiDocument(schemas: Schemas, resources: readonly ResourceKind[], path: string): unknown {
  const here = resources.filter((resource) => pathOf(resource) === path);
  if (here.length === 0) return undefined;
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version },
    paths: Object.fromEntries(here.flatMap(pathsOf)),
    components: { schemas: schemasOf(schemas, here) },
  };
}

export function openApiV2(): unknown {
  return { swagger: "2.0", info: { title: "Kubernetes", version }, paths: {}, definitions: {} };
}

const pathOf = (resource: ResourceKind): string =>
  resource.group === "" ? `api/${resource.version}` : `apis/${groupVersion(resource)}`;

const writeParameters = ["dryRun", "fieldManager", "fieldValidation"];

function pathsOf(resource: ResourceKind): [string, unknown][] {
  const { group, version, kind, namespaced, plural } = resource;
  const gvk = { group, version, kind };
  const operation = (action: string, parameters: readonly string[] = []) => ({
    parameters: parameters.map((name) => ({ name, in: "query" })),
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": gvk,
  });
  const collection = `/${pathOf(resource)}${namespaced ? "/namespaces/{namespace}" : ""}/${plural}`;
  const named = {
    get: operation("get"),
    put: operation("put", writeParameters),
    patch: operation("patch", [...writeParameters, "force"]),
    delete: operation("delete", ["dryRun"]),
  };
  return [
    [collection, { get: operation("list"), post: operation("post", writeParameters) }],
    [`${collection}/{name}`, named],
  ];
}

/** Includes the schemas that they refer to. */
function schemasOf(schemas: Schemas, resources: readonly ResourceKind[]): Record<string, OpenApiSchema> {
  const found = new Map<string, OpenApiSchema>();
  for (const resource of resources) {
    const { group, version, kind } = resource;
    const schema = schemaOfKind(schemas, resource) ?? { type: "object" };
    const gvk = [{ group, version, kind }];
    if (resource.custom !== undefined) {
      const name = [...group.split(".").reverse(), version, kind].join(".");
      found.set(name, { ...schema, "x-kubernetes-group-version-kind": gvk });
    }
    addReferred(schemas, schema, found);
    for (const [name, known] of Object.entries(schemas)) if (known === schema) found.set(name, schema);
  }
  return Object.fromEntries(found);
}

function addReferred(schemas: Schemas, value: unknown, found: Map<string, OpenApiSchema>): void {
  if (typeof value !== "object" || value === null) return;
  const { $ref } = value as OpenApiSchema;
  // JSONSchemaProps has a property $ref, too.
  const { schema, name } = resolve(schemas, typeof $ref === "string" ? { $ref } : {});
  if (name !== undefined && !found.has(name)) {
    found.set(name, schema);
    addReferred(schemas, schema, found);
  }
  for (const member of Object.values(value)) addReferred(schemas, member, found);
}
