import { namespaces, type ResourceKind } from "../resources/kinds";
import { badRequest, methodNotAllowed, methodNotSupported } from "../resources/status";
import type { ResourceRequest, Verb } from "./requests";

/** What a kind's collection and its objects can be asked for, in the order of discovery. */
export function verbsOf(resource: ResourceKind): readonly Verb[] {
  const all: readonly Verb[] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
  return resource === namespaces ? all.filter((verb) => verb !== "deletecollection") : all;
}

/** What "scale" and "status" can be asked for. */
export const partVerbs: readonly Verb[] = ["get", "patch", "update"];

const ofObjects: readonly Verb[] = ["get", "update", "patch", "delete"];
const ofAllNamespaces: readonly Verb[] = ["list", "watch"];

const methods: Readonly<Record<Verb, string>> = {
  ...{ get: "GET", list: "GET", watch: "GET", create: "POST", update: "PUT", patch: "PATCH" },
  ...{ delete: "DELETE", deletecollection: "DELETE" },
};

/** The methods that a path of the kind has. */
export function methodsOf(resource: ResourceKind, info: ResourceRequest): readonly string[] {
  const served = [...new Set(verbsAt(resource, info).map((verb) => methods[verb]))].sort();
  // The real server answers HEAD for custom kinds only.
  return resource.custom === undefined ? served : ["HEAD", ...served].sort();
}

function verbsAt(resource: ResourceKind, { name, subresource, placed }: ResourceRequest): readonly Verb[] {
  if (subresource !== undefined) return partVerbs;
  if (name !== "") return ofObjects;
  if (resource.namespaced && !placed) return ofAllNamespaces;
  return verbsOf(resource).filter((verb) => !ofObjects.includes(verb));
}

/** @throws the 405 of the real server, which says less: it has no Allow. */
export function requireMethod(method: string, resource: ResourceKind, info: ResourceRequest): Verb {
  const allow = methodsOf(resource, info);
  if (info.verb !== "" && allow.includes(method)) return info.verb;
  throw resource.custom === undefined ? methodNotAllowed(allow) : methodNotSupported(resource, info.verb, allow);
}

/** The name that a path gives to an object. Upstream: apimachinery, pkg/api/validation/path. */
export function requireName({ name }: ResourceRequest): void {
  const refuse = (because: string): never => {
    throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${because}`);
  };
  if (name === "." || name === "..") refuse(`may not be '${name}'`);
  if (name.includes("%")) refuse("may not contain '%'");
}
