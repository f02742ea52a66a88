import { parseFieldSelector } from "../resources/field-selectors";
import { groupVersion, type ResourceKind } from "../resources/kinds";
import { isJsonObject, type KubernetesObject } from "../resources/object";
import { parseLabelSelector } from "../resources/selectors";
import { badRequest, expired, type FieldCause, invalidError, StatusError } from "../resources/status";
import { keyOf, type ObjectStore } from "../resources/store";
import { parseInteger } from "./requests";

export interface ListPage {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly KubernetesObject[];
}

interface ListRequest {
  readonly resource: ResourceKind;
  /** "": all. */
  readonly namespace: string;
  readonly query: URLSearchParams;
}

/** @throws 400 for a selector that the kind does not have */
export function matcherOf({
  resource,
  query,
}: Pick<ListRequest, "resource" | "query">): (object: KubernetesObject) => boolean {
  const labels = parseLabelSelector(query.get("labelSelector") ?? "");
  const fields = parseFieldSelector(query.get("fieldSelector") ?? "", resource);
  return (object) => labels(object.metadata.labels) && fields(object);
}

/** All pages show the moment of the first: the token has its resourceVersion, and the store undoes later changes. */
export function pageOfObjects(store: ObjectStore, asked: ListRequest): ListPage {
  const { resource, query } = asked;
  const { limit, from, resourceVersion } = pageOf(query, store.resourceVersion());
  const objects = objectsAt(store, asked, resourceVersion);
  const rest = objects.filter(matcherOf(asked)).filter((object) => from === undefined || keyOf(object) > from);
  const items = limit === 0 ? rest : rest.slice(0, limit);
  const last = items.at(-1);
  const remaining = rest.length - items.length;
  const selects = (query.get("labelSelector") ?? "") !== "" || (query.get("fieldSelector") ?? "") !== "";
  const apiVersion = groupVersion(resource);
  return {
    kind: resource.custom?.listKind ?? `${resource.kind}List`,
    apiVersion,
    metadata: {
      resourceVersion: String(resourceVersion),
      ...(last !== undefined && remaining > 0 && { continue: tokenOf(resourceVersion, last) }),
      ...(remaining > 0 && !selects && { remainingItemCount: remaining }),
    },
    // As the real server: only items of custom kinds have their kind.
    items: items.map((object) => (resource.custom ? { ...object, apiVersion } : withoutKind(object))),
  };
}

function withoutKind(object: KubernetesObject): KubernetesObject {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  return rest as KubernetesObject;
}

const tooOld = {
  page:
    "The provided continue parameter is too old to display a consistent list result. " +
    "You can start a new list without the continue parameter.",
  list: "The resourceVersion for the provided list is too old.",
};

function objectsAt(
  store: ObjectStore,
  { resource, namespace, query }: ListRequest,
  resourceVersion: number,
): readonly KubernetesObject[] {
  const current = store.resourceVersion();
  if (resourceVersion > current) throw tooLarge(resourceVersion, current);
  const objects = store.listAt(resource, resource.namespaced ? namespace : "", resourceVersion);
  if (objects === undefined) throw expired(tooOld[query.has("continue") ? "page" : "list"]);
  return objects;
}

interface Page {
  /** 0: all. */
  readonly limit: number;
  /** The last key of the page before. */
  readonly from?: string;
  readonly resourceVersion: number;
}

/** Upstream: apiserver, pkg/storage/continue.go, and apimachinery's ValidateListOptions. */
function pageOf(query: URLSearchParams, current: number): Page {
  const limit = limitIn(query.get("limit") ?? "");
  const token = query.get("continue") ?? "";
  const asked = query.get("resourceVersion") ?? "";
  const match = query.get("resourceVersionMatch") ?? "";
  requireMatch(match, asked);
  if (asked !== "" && asked !== "0" && token !== "") {
    throw badRequest("specifying resource version is not allowed when using continue");
  }
  // The real server's cache has no pages.
  const pageSize = asked === "0" ? 0 : limit;
  if (token !== "") {
    const { rv, start } = readToken(token);
    return { limit: pageSize, from: start.replace(/\0$/, ""), resourceVersion: rv < 0 ? current : rv };
  }
  const version = versionIn(asked);
  if (version > current) throw tooLarge(version, current);
  return { limit: pageSize, resourceVersion: match === "Exact" ? version : current };
}

const limitIn = (text: string): number => (text === "" ? 0 : Math.max(0, parseInteger(text)));

function versionIn(text: string): number {
  if (/^\d*$/.test(text)) return Number(text);
  const value = JSON.stringify(text);
  throw badRequest(
    `invalid resource version: resourceVersion: Invalid value: ${value}: strconv.ParseUint: parsing ${value}: invalid syntax`,
  );
}

const matches = ["Exact", "NotOlderThan", ""];

function requireMatch(match: string, resourceVersion: string): void {
  const refuse = (cause: Omit<FieldCause, "field">): never => {
    const errors = [{ field: "resourceVersionMatch", ...cause }];
    throw invalidError({ group: "meta.k8s.io", kind: "ListOptions" }, "", errors);
  };
  if (match === "") return;
  if (resourceVersion === "") {
    refuse({ type: "Forbidden", detail: "resourceVersionMatch is forbidden unless resourceVersion is provided" });
  }
  if (!matches.includes(match)) {
    const detail = `supported values: ${matches.map((each) => JSON.stringify(each)).join(", ")}`;
    refuse({ type: "NotSupported", value: match, detail });
  }
  if (match === "Exact" && resourceVersion === "0") {
    refuse({ type: "Forbidden", detail: 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"' });
  }
}

const tokenVersion = "meta.k8s.io/v1";

function tokenOf(resourceVersion: number, last: KubernetesObject): string {
  const token = { v: tokenVersion, rv: resourceVersion, start: `${keyOf(last)}\0` };
  return Buffer.from(JSON.stringify(token)).toString("base64url");
}

function readToken(text: string): { readonly rv: number; readonly start: string } {
  const refuse = (because: string): never => {
    throw badRequest(`invalid continue token: continue key is not valid: ${because}`);
  };
  const token = parsed(Buffer.from(text, "base64url").toString("utf8"));
  if (!isJsonObject(token)) return refuse("expected a token of an earlier page");
  const { v = "", rv = 0, start = "" } = token;
  if (v !== tokenVersion) return refuse(`server does not recognize this encoded version ${String(v)}`);
  if (typeof rv !== "number" || !Number.isSafeInteger(rv) || rv === 0) {
    return refuse(`incorrect encoded start resourceVersion (version ${tokenVersion})`);
  }
  if (typeof start !== "string" || start === "") return refuse(`encoded start key empty (version ${tokenVersion})`);
  return { rv, start };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function tooLarge(asked: number, current: number): StatusError {
  const message = `Timeout: Too large resource version: ${asked}, current: ${current}`;
  const causes = [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }];
  return new StatusError(504, "Timeout", message, { causes, retryAfterSeconds: 1 });
}
