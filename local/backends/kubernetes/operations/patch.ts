import { isJsonObject, type JsonObject } from "../resources/object";
import { badRequest, StatusError, unsupportedMediaType } from "../resources/status";

/** Server-side apply. */
export const applyMediaType = "application/apply-patch+yaml";

const mediaTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
};

/** As on the real server, custom kinds have no strategic merge. */
export function patchObject(object: JsonObject, patch: unknown, mediaType: string, custom: boolean): JsonObject {
  requirePatchType(mediaType, custom);
  if (mediaType === mediaTypes.json) return applyJsonPatch(object, patch);
  if (mediaType === mediaTypes.merge && isJsonObject(patch)) return mergePatch(object, patch);
  if (mediaType === mediaTypes.strategic && isJsonObject(patch)) return strategicMerge(object, patch);
  throw badRequest(`expected a JSON object as the patch, got ${JSON.stringify(patch ?? null).slice(0, 60)}`);
}

const noServerSideApply =
  "expected a patch of another type than apply, which the embedded API server does not have: " +
  "use `kubectl apply` without --server-side";

export const isStrategic = (mediaType: string): boolean => mediaType === mediaTypes.strategic;

/** @throws 415 */
export function requirePatchType(mediaType: string, custom: boolean): void {
  const { json, merge, strategic } = mediaTypes;
  if ([json, merge, ...(custom ? [] : [strategic])].includes(mediaType)) return;
  if (mediaType === applyMediaType) throw new StatusError(415, "UnsupportedMediaType", noServerSideApply, {});
  if (custom) throw unsupportedMediaType([json, merge]);
  throw new StatusError(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});
}

/** RFC 7386. */
export function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  // In a Map, a key "__proto__" is an ordinary key.
  const merged = new Map(Object.entries(target));
  for (const [key, value] of Object.entries(patch)) {
    const current = merged.get(key);
    if (value === null) merged.delete(key);
    else if (isJsonObject(value)) merged.set(key, mergePatch(isJsonObject(current) ? current : {}, value));
    else merged.set(key, value);
  }
  return Object.fromEntries(merged);
}

// patchMergeKey in the Go types of the served kinds.
const mergeKeys: Readonly<Record<string, string>> = {
  containers: "name",
  initContainers: "name",
  volumes: "name",
  env: "name",
  ports: "containerPort",
  volumeMounts: "mountPath",
  conditions: "type",
  ownerReferences: "uid",
};

/** Lists merge by key; `$patch` and `$retainKeys` are directives. */
function strategicMerge(target: JsonObject, patch: JsonObject): JsonObject {
  if (patch["$patch"] === "replace") return withoutDirectives(patch);
  const retained = patch["$retainKeys"];
  const kept = Object.entries(target).filter(([key]) => !Array.isArray(retained) || retained.includes(key));
  const merged = new Map(kept);
  for (const [key, value] of Object.entries(withoutDirectives(patch))) {
    const current = merged.get(key);
    const mergeKey = mergeKeys[key];
    if (value === null) merged.delete(key);
    else if (isJsonObject(value)) merged.set(key, strategicMerge(isJsonObject(current) ? current : {}, value));
    else if (Array.isArray(value) && mergeKey !== undefined) merged.set(key, mergeList(current, value, mergeKey));
    else merged.set(key, value);
  }
  return Object.fromEntries(merged);
}

function withoutDirectives(patch: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(patch).filter(([key]) => !key.startsWith("$")));
}

function mergeList(current: unknown, patch: readonly unknown[], mergeKey: string): unknown[] {
  const items: JsonObject[] = Array.isArray(current) ? current.filter(isJsonObject) : [];
  let merged = patch.some((item) => isJsonObject(item) && item["$patch"] === "replace") ? [] : items;
  for (const item of patch.filter(isJsonObject)) {
    const isSame = (other: JsonObject): boolean => other[mergeKey] === item[mergeKey];
    if (item["$patch"] === "delete") merged = merged.filter((other) => !isSame(other));
    else if (item["$patch"] === "replace") continue;
    else if (!merged.some(isSame)) merged = [...merged, withoutDirectives(item)];
    else merged = merged.map((other) => (isSame(other) ? strategicMerge(other, item) : other));
  }
  return merged;
}

/** RFC 6902: add, replace, remove, test. */
function applyJsonPatch(object: JsonObject, patch: unknown): JsonObject {
  if (!Array.isArray(patch)) throw badRequest("error decoding patch: expected a list of operations");
  const result = structuredClone(object);
  for (const operation of patch as unknown[]) applyOperation(result, operation);
  return result;
}

function applyOperation(root: JsonObject, operation: unknown): void {
  if (!isJsonObject(operation) || typeof operation["path"] !== "string") {
    throw badRequest("error decoding patch: an operation needs op and path");
  }
  const keys = operation["path"].split("/").slice(1);
  const names = keys.map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
  const last = names.pop() ?? "";
  const parent = names.reduce<unknown>((value, name) => memberOf(value, name), root);
  if (!isJsonObject(parent) && !Array.isArray(parent)) {
    throw badRequest(`the path ${operation["path"]} of the patch does not exist`);
  }
  switch (operation["op"]) {
    case "test":
      if (JSON.stringify(memberOf(parent, last)) !== JSON.stringify(operation["value"])) {
        throw badRequest(`testing value ${operation["path"]} failed`);
      }
      return;
    case "remove":
      if (Array.isArray(parent)) parent.splice(Number(last), 1);
      else Reflect.deleteProperty(parent, last);
      return;
    case "add":
    case "replace":
      setMember(parent, last, operation["value"], operation["op"] === "add");
      return;
    default:
      throw badRequest(`unexpected kind of operation: ${JSON.stringify(operation["op"])}`);
  }
}

function memberOf(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value[Number(name)] as unknown;
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function setMember(parent: JsonObject | unknown[], name: string, value: unknown, insert: boolean): void {
  if (!Array.isArray(parent)) {
    Object.defineProperty(parent, name, { value, writable: true, enumerable: true, configurable: true });
  } else if (insert) parent.splice(name === "-" ? parent.length : Number(name), 0, value);
  else parent[Number(name)] = value;
}
