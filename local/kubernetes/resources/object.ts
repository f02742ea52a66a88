import type { Random } from "../../random";
import { type Resource, groupVersion } from "./kinds";
import { badRequest } from "./status";

/** Objects as the API server holds them: JSON, of which only the metadata has a fixed form. Held objects are never changed in place. */
export type Fields = Record<string, unknown>;

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface Metadata extends Fields {
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

export interface KubernetesObject extends Fields {
  apiVersion: string;
  kind: string;
  metadata: Metadata;
  spec?: Fields;
  status?: Fields;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const segments = (path: string): string[] => path.split(".").filter((segment) => segment !== "");

/** The value at "spec.replicas" (a leading dot is allowed, as in a CRD's paths); undefined where nothing is. */
export function fieldAt(object: unknown, path: string): unknown {
  let value = object;
  for (const segment of segments(path)) {
    if (!isFields(value) || !Object.hasOwn(value, segment)) return undefined;
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

/** A list of objects; empty where there is none. */
export function listAt(object: unknown, path: string): Fields[] {
  const value = fieldAt(object, path);
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** A copy in which only the way to `path` is new. */
export function withField<T extends Fields>(object: T, path: string, value: unknown): T {
  const [first, ...rest] = segments(path);
  if (first === undefined) return object;
  const inner = object[first];
  return {
    ...object,
    [first]: rest.length === 0 ? value : withField(isFields(inner) ? inner : {}, rest.join("."), value),
  };
}

/** The API's time: RFC 3339 in whole seconds. */
export function timestamp(now: number): string {
  return new Date(now).toISOString().replace(/\.\d+Z$/, "Z");
}

export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

/** A request's body as an object of the kind that its URL names. */
export function decode(resource: Resource, body: unknown): KubernetesObject {
  if (!isFields(body)) {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${resource.kind}): couldn't get version/kind; json parse error: ` +
        `expected an object (${Buffer.from(JSON.stringify(body ?? ""))
          .toString("hex")
          .slice(0, 60)})`,
    );
  }
  const { apiVersion, kind } = fieldsOf(body);
  const expected = groupVersion(resource);
  if ((apiVersion ?? expected) !== expected || (kind ?? resource.kind) !== resource.kind) {
    throw badRequest(
      `the API version in the data (${String(apiVersion)}, Kind=${String(kind)}) does not match the expected API version ` +
        `(${expected}, Kind=${resource.kind})`,
    );
  }
  const metadata = fieldsOf(body["metadata"]);
  return {
    ...body,
    apiVersion: expected,
    kind: resource.kind,
    metadata: { ...metadata, name: textAt(body, "metadata.name") ?? "" } as KubernetesObject["metadata"],
  };
}

export function withName(object: KubernetesObject, random: Random): KubernetesObject {
  const prefix = textAt(object, "metadata.generateName");
  if (object.metadata.name !== "" || prefix === undefined) return object;
  return { ...object, metadata: { ...object.metadata, name: prefix + random.suffix(5) } };
}
