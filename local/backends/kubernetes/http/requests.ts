import type { IncomingMessage } from "node:http";
import { namespaces, type ResourceKind } from "../resources/kinds";
import { badRequest, methodNotAllowed, methodNotSupported } from "../resources/status";

/** apiserver's RequestInfo. */
export interface ResourceRequest {
  /** "": no verb of this API. */
  readonly verb: Verb | "";
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace: string;
  /** The path has a namespace before the resource. */
  readonly placed: boolean;
  readonly name: string;
  readonly subresource: string | undefined;
  /** The path has an empty part, or a part after the subresource: no resource has such a path. */
  readonly strayed: boolean;
}

export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "deletecollection";

/** The path is only decoded. */
export interface RequestTarget {
  readonly path: string;
  readonly query: URLSearchParams;
}

/** `new URL` would resolve "..": DELETE of ".../deployments/.." became that of the namespace. */
export function requestTargetOf({ url = "" }: IncomingMessage): RequestTarget {
  const [path = "", ...query] = url.split("?");
  const target = { path: decoded(path), query: new URLSearchParams(query.join("?")) };
  if (target.path.startsWith("/")) return target;
  throw badRequest(`expected a path that starts with "/", got "${path.slice(0, 100)}"`);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw badRequest(`expected a percent-encoded path, got "${path.slice(0, 100)}"`);
  }
}

/** Undefined: none (discovery, /version). */
export function parseResourcePath(method: string, { path, query }: RequestTarget): ResourceRequest | undefined {
  const parts = path.replace(/^\/+|\/+$/g, "").split("/");
  const [root, ...after] = parts;
  const groupParts = root === "api" ? [""] : root === "apis" ? after.splice(0, 1) : undefined;
  const version = after.shift();
  if (groupParts?.[0] === undefined || version === undefined || after.length === 0) return undefined;

  // /namespaces/<name> is the namespace itself.
  const placed = after[0] === "namespaces" && after.length >= 3 && !["status", "finalize"].includes(after[2] ?? "");
  const [plural = "", name = "", subresource, ...rest] = placed ? after.slice(2) : after;
  const namespace = placed ? (after[1] ?? "") : plural === "namespaces" ? name : "";
  const verb = verbOf(method, query, name !== "");
  const strayed = rest.length > 0 || parts.includes("");
  return { verb, group: groupParts[0], version, plural, namespace, placed, name, subresource, strayed };
}

function verbOf(method: string, query: URLSearchParams, named: boolean): ResourceRequest["verb"] {
  switch (method) {
    case "GET":
    case "HEAD":
      if (named) return "get";
      return isSet(query, "watch") ? "watch" : "list";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return named ? "delete" : "deletecollection";
    default:
      return "";
  }
}

/** Upstream: apimachinery, pkg/runtime/conversion.go, Convert_Slice_string_To_bool. */
export function isSet(query: URLSearchParams, parameter: string): boolean {
  const value = query.get(parameter)?.toLowerCase();
  return value !== undefined && value !== "false" && value !== "0";
}

/** @throws 400 in the words of Go's strconv */
export function parseInteger(text: string): number {
  if (/^[+-]?\d+$/.test(text)) return Number(text);
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}

/** In the order of discovery. */
export function verbsOf(resource: ResourceKind): readonly Verb[] {
  const all: readonly Verb[] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
  return resource === namespaces ? all.filter((verb) => verb !== "deletecollection") : all;
}

export const partVerbs: readonly Verb[] = ["get", "patch", "update"];

const ofObjects: readonly Verb[] = ["get", "update", "patch", "delete"];
const ofAllNamespaces: readonly Verb[] = ["list", "watch"];

const methods: Readonly<Record<Verb, string>> = {
  ...{ get: "GET", list: "GET", watch: "GET", create: "POST", update: "PUT", patch: "PATCH" },
  ...{ delete: "DELETE", deletecollection: "DELETE" },
};

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

/** @throws 405; the real server's has no Allow. */
export function requireMethod(method: string, resource: ResourceKind, info: ResourceRequest): Verb {
  const allow = methodsOf(resource, info);
  if (info.verb !== "" && allow.includes(method)) return info.verb;
  throw resource.custom === undefined ? methodNotAllowed(allow) : methodNotSupported(resource, info.verb, allow);
}

/** Upstream: apimachinery, pkg/api/validation/path. */
export function requireName({ name }: ResourceRequest): void {
  const refuse = (because: string): never => {
    throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${because}`);
  };
  if (name === "." || name === "..") refuse(`may not be '${name}'`);
  if (name.includes("%")) refuse("may not contain '%'");
}
