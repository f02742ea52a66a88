import { isMap } from "../../../../lib/k8s/map";

/** Never changed in place. */
export type JsonObject = Record<string, unknown>;

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface Metadata extends JsonObject {
  name: string;
  namespace?: string;
  uid: string;
  resourceVersion: string;
  generation?: number;
  creationTimestamp: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
}

export interface KubernetesObject extends JsonObject {
  apiVersion: string;
  kind: string;
  metadata: Metadata;
  spec?: JsonObject;
  status?: JsonObject;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return isMap(value);
}

const segments = (path: string): string[] => path.split(".").filter((segment) => segment !== "");

/** `path`: "spec.replicas", or ".spec.replicas", as in a CRD. */
export function fieldAt(object: unknown, path: string): unknown {
  let value = object;
  for (const segment of segments(path)) {
    if (!isJsonObject(value) || !Object.hasOwn(value, segment)) return undefined;
    value = value[segment];
  }
  return value;
}

export function numberAt(object: unknown, path: string): number | undefined {
  const value = fieldAt(object, path);
  return typeof value === "number" ? value : undefined;
}

export function textAt(object: unknown, path: string): string | undefined {
  const value = fieldAt(object, path);
  return typeof value === "string" ? value : undefined;
}

/** An empty object if there is none. */
export function objectAt(object: unknown, path: string): JsonObject {
  return jsonObjectOf(fieldAt(object, path));
}

/** An empty list if there is none. */
export function listAt(object: unknown, path: string): JsonObject[] {
  const value = fieldAt(object, path);
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** The copy shares everything outside `path`. */
export function withField<T extends JsonObject>(object: T, path: string, value: unknown): T {
  const [first, ...rest] = segments(path);
  if (first === undefined) return object;
  const inner = object[first];
  return {
    ...object,
    [first]: rest.length === 0 ? value : withField(isJsonObject(inner) ? inner : {}, rest.join("."), value),
  };
}

/** RFC 3339 in whole seconds. */
export function timestamp(now: number): string {
  return new Date(now).toISOString().replace(/\.\d+Z$/, "Z");
}

export const jsonObjectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
