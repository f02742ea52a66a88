import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../clock";
import type { Api, ObjectTarget } from "../operations/api";
import type { KubernetesObject } from "../resources/object";
import { fieldAt, textAt } from "../resources/object";
import type { ResourceRequest } from "./requests";
import { isSet, readBody, sendJson } from "./requests";
import type { ResourceKind } from "../resources/kinds";
import { groupVersion } from "../resources/kinds";
import { parseFieldSelector, parseLabelSelector } from "../resources/selectors";
import { methodNotAllowed, notFoundError, unknownResource } from "../resources/status";
import type { ObjectStore } from "../resources/store";
import { tableOf } from "./tables";
import { startWatch } from "./watch";
import type { ObjectDeleteOptions } from "../operations/writing";
import { requireVersion } from "../operations/writing";

interface ResourceCall {
  readonly info: ResourceRequest;
  readonly resource: ResourceKind;
  readonly url: URL;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Answers one request for objects of a kind. Rejects with a StatusError. */
export function createResourceHandler(parts: { api: Api; store: ObjectStore; clock: Clock }) {
  const { api, store, clock } = parts;

  return async function handle(call: ResourceCall): Promise<void> {
    const { info, resource, url, request, response } = call;
    const target = targetOf(info, resource);
    const dryRun = url.searchParams.has("dryRun");
    const answer = (object: unknown, code = 200): void =>
      sendJson(request, response, inAcceptedForm(call, object, clock.now()), code);
    switch (info.verb) {
      case "list":
        return answer(list(call, store));
      case "watch":
        return watch(call, store, clock);
      case "get":
        return answer(api.get(target));
      case "create": {
        if (info.name !== "") throw methodNotAllowed();
        return answer(api.create(target, await readBody(request), dryRun), 201);
      }
      case "update": {
        const body = await readBody(request);
        if (target.subresource === undefined) requireVersion(resource, body, info.name);
        return answer(api.update(target, body, dryRun));
      }
      case "patch": {
        const mediaType = String(request.headers["content-type"] ?? "").split(";")[0] ?? "";
        return answer(api.patch(target, await readBody(request), mediaType, dryRun));
      }
      case "delete":
        return answer(api.delete(target, deleteOptions(await readBody(request), url.searchParams)));
      case "deletecollection": {
        const listed = list(call, store);
        for (const { metadata } of listed.items) {
          api.delete({ resource, namespace: metadata.namespace ?? "", name: metadata.name });
        }
        return answer(listed);
      }
    }
  };
}

function targetOf({ namespace, name, subresource }: ResourceRequest, resource: ResourceKind): ObjectTarget {
  const place = { resource, namespace: resource.namespaced ? namespace : "", name };
  if (subresource === undefined) return place;
  if (subresource === "scale" && resource.scale !== undefined) return { ...place, subresource };
  if (subresource === "status" && resource.hasStatus) return { ...place, subresource };
  throw resource.custom === undefined ? unknownResource() : notFoundError(resource, name);
}

interface ObjectList {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly KubernetesObject[];
}

function matcherOf({ url }: ResourceCall): (object: KubernetesObject) => boolean {
  const labels = parseLabelSelector(url.searchParams.get("labelSelector") ?? "");
  const fields = parseFieldSelector(url.searchParams.get("fieldSelector") ?? "");
  return (object) => labels(object.metadata.labels) && fields(object);
}

function list(call: ResourceCall, store: ObjectStore): ObjectList {
  const { resource, info } = call;
  const apiVersion = groupVersion(resource);
  return {
    kind: resource.custom?.listKind ?? `${resource.kind}List`,
    apiVersion,
    metadata: { resourceVersion: String(store.resourceVersion()) },
    items: store
      .list(resource, resource.namespaced ? info.namespace : "")
      .filter(matcherOf(call))
      // In a list, items of custom kinds have their kind; items of built-in kinds do not.
      .map((object) => (resource.custom ? { ...object, apiVersion } : withoutKind(object))),
  };
}

function withoutKind(object: KubernetesObject): KubernetesObject {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  return rest as KubernetesObject;
}

const acceptsTable = (request: IncomingMessage): boolean => String(request.headers.accept ?? "").includes("as=Table");

/** The object itself, its metadata alone, or the Table that kubectl asks for. */
function inAcceptedForm({ request, resource, info, url }: ResourceCall, object: unknown, now: number): unknown {
  const isShown = info.verb === "get" || info.verb === "list";
  if (info.verb === "get" && String(request.headers.accept ?? "").includes("as=PartialObjectMetadata;")) {
    const { metadata } = object as KubernetesObject;
    return { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata };
  }
  if (!acceptsTable(request) || !isShown || info.subresource !== undefined) return object;
  const wholeObjects = url.searchParams.get("includeObject") === "Object";
  const listed = object as ObjectList & KubernetesObject;
  const objects = info.verb === "list" ? listed.items : [listed];
  const table = tableOf(resource, objects, { now, definitions: true, wholeObjects });
  return { ...table, metadata: { resourceVersion: listed.metadata.resourceVersion } };
}

/** The default timeout of a watch. The real server picks between 30 and 60 minutes. */
const watchSeconds = 30 * 60;

function watch(call: ResourceCall, store: ObjectStore, clock: Clock): void {
  const { resource, info, url, request, response } = call;
  const query = url.searchParams;
  const wholeObjects = query.get("includeObject") === "Object";
  const fields = parseFieldSelector(info.name === "" ? "" : `metadata.name=${info.name}`);
  const matches = matcherOf(call);
  startWatch(
    store,
    {
      resource,
      namespace: resource.namespaced ? info.namespace : "",
      matches: (object) => matches(object) && fields(object),
      resourceVersion: query.get("resourceVersion") ?? "",
      bookmarks: isSet(query.get("allowWatchBookmarks")),
      sendInitialEvents: isSet(query.get("sendInitialEvents")),
      timeoutMs: Number(query.get("timeoutSeconds") ?? watchSeconds) * 1_000,
      show: (object, first) =>
        acceptsTable(request)
          ? tableOf(resource, [object], { now: clock.now(), definitions: first, wholeObjects })
          : { ...object, apiVersion: groupVersion(resource) },
    },
    response,
  );
}

function deleteOptions(body: unknown, query: URLSearchParams): ObjectDeleteOptions {
  const inQuery = query.get("gracePeriodSeconds");
  const grace = inQuery === null ? fieldAt(body, "gracePeriodSeconds") : Number(inQuery);
  const uid = textAt(body, "preconditions.uid");
  const resourceVersion = textAt(body, "preconditions.resourceVersion");
  return {
    ...(typeof grace === "number" && { gracePeriodSeconds: grace }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
}
