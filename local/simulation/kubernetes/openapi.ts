import type { Resource } from "./resources";
import { groupVersion } from "./resources";

/** Just enough OpenAPI for kubectl to leave the checking of fields to the server: that PATCH takes `fieldValidation`. */
export function openApiIndex(resources: readonly Resource[]): unknown {
  const versions = [...new Set(resources.map(pathOf))];
  return {
    paths: Object.fromEntries(versions.map((path) => [path, { serverRelativeURL: `/openapi/v3/${path}?hash=1` }])),
  };
}

export function openApiDocument(resources: readonly Resource[], path: string): unknown {
  const paths = resources
    .filter((resource) => pathOf(resource) === path)
    .map((resource) => {
      const place = resource.namespaced ? "/namespaces/{namespace}" : "";
      return [`/${path}${place}/${resource.plural}/{name}`, { patch: patchOperation(resource) }] as const;
    });
  return { openapi: "3.0.0", info: { title: "Kubernetes", version }, paths: Object.fromEntries(paths) };
}

export function openApiV2(): unknown {
  return { swagger: "2.0", info: { title: "Kubernetes", version }, paths: {}, definitions: {} };
}

const version = "v1.36.3";

const pathOf = (resource: Resource): string =>
  resource.group === "" ? `api/${resource.version}` : `apis/${groupVersion(resource)}`;

function patchOperation({ group, version, kind }: Resource): unknown {
  const parameters = ["dryRun", "fieldManager", "fieldValidation", "force"].map((name) => ({ name, in: "query" }));
  return { parameters, "x-kubernetes-action": "patch", "x-kubernetes-group-version-kind": { group, version, kind } };
}
