import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../../clock";
import type { Api, ObjectTarget } from "../operations/api";
import type { KubernetesObject } from "../resources/object";
import { notFoundError, type StatusAnswer, unknownResource } from "../resources/status";
import { groupVersion, type ResourceKind } from "../resources/kinds";
import type { ObjectStore } from "../resources/store";
import { acceptedBy } from "./accept";
import { sendAnswer, sendUnknownPath } from "./answers";
import { mediaTypeOf, readRequestBody, readPatch } from "./bodies";
import { acceptance } from "./field-validation";
import { pageOfObjects, matcherOf } from "./lists";
import { deleteOptions, writeOptions } from "./options";
import { isSet, requireMethod, requireName, type ResourceRequest } from "./requests";
import { listForms, listInForm, objectForms, objectInForm, tableOf } from "./tables";
import { startWatch } from "./watch";
import { applyMediaType, requirePatchType } from "../operations/patch";
import { requireVersion } from "../operations/writing";

interface ResourceCall {
  readonly info: ResourceRequest;
  readonly resource: ResourceKind;
  readonly query: URLSearchParams;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface Parts {
  readonly api: Api;
  readonly store: ObjectStore;
  readonly clock: Clock;
}

/** Rejects with a StatusError. */
export function createResourceHandler(parts: Parts): (call: ResourceCall) => Promise<void> {
  return async (call) => {
    const { info, resource, request, response } = call;
    if (isMisplaced(info, resource)) {
      if (resource.custom === undefined) throw unknownResource();
      return sendUnknownPath(response);
    }
    if (info.name !== "") requireName(info);
    const target = targetOf(info, resource);
    const verb = requireMethod(request.method ?? "GET", resource, info);
    if (verb === "list") return showList(call, pageOfObjects(parts.store, placeOf(call)));
    if (verb === "watch") return watch(call, parts);
    if (verb === "deletecollection") return deleteCollection(call, parts);
    const accepted = acceptedBy(request, info.subresource === undefined ? objectForms : []);
    const { object, code = 200 } = await changed(call, parts, target);
    const shown = isStatus(object) ? object : objectInForm(accepted, object, { ...call, clock: parts.clock });
    sendAnswer(call, accepted, shown, code);
  };

  function showList(call: ResourceCall, list: ReturnType<typeof pageOfObjects>): void {
    const accepted = acceptedBy(call.request, listForms);
    sendAnswer(call, accepted, listInForm(accepted, list, { ...call, clock: parts.clock }));
  }

  async function deleteCollection(call: ResourceCall, { api, store }: Parts): Promise<void> {
    const { resource, request, query } = call;
    const options = deleteOptions((await readRequestBody(request, resource.custom !== undefined)).value, query);
    acceptedBy(request, listForms);
    const listed = pageOfObjects(store, placeOf(call));
    for (const { metadata } of listed.items) {
      api.delete({ resource, namespace: metadata.namespace ?? "", name: metadata.name }, options);
    }
    showList(call, listed);
  }
}

function isMisplaced({ placed, name, strayed, verb }: ResourceRequest, { namespaced, custom }: ResourceKind): boolean {
  if (strayed || (placed && !namespaced)) return true;
  if (!namespaced || placed) return false;
  // All namespaces of a built-in kind can only be read.
  return name !== "" || (custom !== undefined && verb !== "list" && verb !== "watch");
}

const placeOf = ({ resource, info, query }: ResourceCall) => ({ resource, namespace: info.namespace, query });

function targetOf({ namespace, name, subresource }: ResourceRequest, resource: ResourceKind): ObjectTarget {
  const place = { resource, namespace: resource.namespaced ? namespace : "", name };
  if (subresource === undefined) return place;
  if (subresource === "scale" && resource.scale !== undefined) return { ...place, subresource };
  if (subresource === "status" && resource.hasStatus) return { ...place, subresource };
  throw resource.custom === undefined ? unknownResource() : notFoundError(resource, name);
}

interface Changed {
  readonly object: KubernetesObject | StatusAnswer;
  readonly code?: number;
}

/** After the request: read, written or deleted. */
async function changed(call: ResourceCall, { api }: Parts, target: ObjectTarget): Promise<Changed> {
  const { info, resource, query, request, response } = call;
  const custom = resource.custom !== undefined && target.subresource !== "scale";
  const read = async (kind: "CreateOptions" | "UpdateOptions") => {
    const { dryRun, fieldValidation } = writeOptions(kind, query);
    const { value, duplicates } = await readRequestBody(request, custom);
    const { accept, warn } = await acceptance(target, fieldValidation, duplicates);
    return { dryRun, accepted: accept(value), warn };
  };
  switch (info.verb) {
    case "create": {
      const { dryRun, accepted, warn } = await read("CreateOptions");
      const object = api.create(target, accepted, dryRun);
      warn(response);
      return { object, code: 201 };
    }
    case "update": {
      const { dryRun, accepted, warn } = await read("UpdateOptions");
      if (target.subresource === undefined) requireVersion(resource, accepted, info.name);
      const object = api.update(target, accepted, dryRun);
      warn(response);
      return { object };
    }
    case "patch": {
      const mediaType = mediaTypeOf(request);
      const { dryRun, fieldValidation } = writeOptions("PatchOptions", query, mediaType === applyMediaType);
      requirePatchType(mediaType, resource.custom !== undefined);
      const { value, duplicates } = await readPatch(request);
      const { acceptPatched, warn } = await acceptance(target, fieldValidation, duplicates);
      const object = api.patch(target, value, mediaType, { dryRun, accept: acceptPatched(value, mediaType) });
      warn(response);
      return { object };
    }
    case "delete":
      return { object: api.delete(target, deleteOptions((await readRequestBody(request, custom)).value, query)) };
    default:
      return { object: api.get(target) };
  }
}

const isStatus = (object: KubernetesObject | StatusAnswer): object is StatusAnswer => object.kind === "Status";

/** The real server picks 30 to 60 minutes. */
const watchSeconds = 30 * 60;

function watch({ resource, info, query, request, response }: ResourceCall, { store, clock }: Parts): void {
  const { as } = acceptedBy(request, objectForms);
  const wholeObjects = query.get("includeObject") === "Object";
  startWatch(
    store,
    {
      resource,
      namespace: resource.namespaced ? info.namespace : "",
      matches: matcherOf({ resource, query }),
      resourceVersion: query.get("resourceVersion") ?? "",
      bookmarks: isSet(query, "allowWatchBookmarks"),
      sendInitialEvents: isSet(query, "sendInitialEvents"),
      timeoutMs: Number(query.get("timeoutSeconds") ?? watchSeconds) * 1_000,
      show: (object, first) =>
        as === "Table"
          ? tableOf(resource, [object], { now: clock.now(), definitions: first, wholeObjects })
          : { ...object, apiVersion: groupVersion(resource) },
    },
    response,
  );
}
