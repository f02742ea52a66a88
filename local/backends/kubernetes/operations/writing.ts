import { isDeepStrictEqual } from "node:util";
import { present } from "../../../../lib/k8s/map";
import { withServerDefaults } from "./defaults";
import { fieldAt, type KubernetesObject, textAt } from "../resources/object";
import { namespaces, pods, type ResourceKind } from "../resources/kinds";
import { badRequest, conflictError, forbiddenError, invalidError, modified } from "../resources/status";

export interface ObjectDeleteOptions {
  readonly dryRun?: boolean;
  readonly orphans?: boolean;
  readonly gracePeriodSeconds?: number;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** The whole object, or a subresource. */
export interface Part {
  readonly resource: ResourceKind;
  readonly subresource?: "status" | "scale";
}

/** A write may change only the status, everything but the status, or everything. */
export function merge(
  { resource, subresource }: Part,
  before: KubernetesObject,
  next: KubernetesObject,
): KubernetesObject {
  const { resourceVersion = "", uid } = next.metadata;
  const name = before.metadata.name;
  if (uid !== undefined) requireUid(resource, before, uid);
  if (resourceVersion !== "" && resourceVersion !== before.metadata.resourceVersion) throw modified(resource, name);
  if (subresource === "status") return { ...before, ...("status" in next && { status: next["status"] ?? {} }) };

  const { namespace, creationTimestamp, generation, deletionTimestamp, deletionGracePeriodSeconds } = before.metadata;
  const fixed = {
    ...present({ namespace }),
    uid: before.metadata.uid,
    creationTimestamp,
    resourceVersion: before.metadata.resourceVersion,
    ...present({ generation, deletionTimestamp, deletionGracePeriodSeconds }),
  };
  const { status: _ignored, ...rest } = next;
  const kept = resource.hasStatus ? { ...rest, ...present({ status: before.status }) } : next;
  return withServerDefaults(resource, { ...kept, metadata: { ...next.metadata, ...fixed } });
}

// Built-in kinds count changes of their spec; custom kinds, changes outside metadata (and outside status, if that is a
// subresource).
export function withGeneration(
  resource: ResourceKind,
  before: KubernetesObject,
  after: KubernetesObject,
): KubernetesObject {
  if (before.metadata.generation === undefined) return after;
  const counted = ({ metadata: _metadata, status, ...rest }: KubernetesObject): unknown =>
    resource.hasStatus ? rest : { ...rest, status };
  if (isDeepStrictEqual(counted(before), counted(after))) return after;
  return { ...after, metadata: { ...after.metadata, generation: before.metadata.generation + 1 } };
}

export function checkPreconditions(
  { group, kind }: ResourceKind,
  { metadata }: KubernetesObject,
  options: ObjectDeleteOptions,
): void {
  const resource = { group, kind, plural: kind };
  if (options.uid !== undefined && options.uid !== metadata.uid) {
    const because = `the UID in the precondition (${options.uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`;
    throw conflictError(resource, metadata.name, because);
  }
  if (options.resourceVersion !== undefined && options.resourceVersion !== metadata.resourceVersion) {
    const because = `the ResourceVersion in the precondition (${options.resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`;
    throw conflictError(resource, metadata.name, because);
  }
}

const lasting = ["default", "kube-system", "kube-public"];

/** Upstream: apiserver, pkg/admission/plugin/namespace/lifecycle. */
export function requireDeletable(resource: ResourceKind, name: string): void {
  if (resource !== namespaces || !lasting.includes(name)) return;
  throw forbiddenError(resource, name, "this namespace may not be deleted");
}

// Only a pod with a node ends slowly: the node deletes it at the end.
export function gracePeriod(resource: ResourceKind, object: KubernetesObject, options: ObjectDeleteOptions): number {
  const phase = textAt(object, "status.phase");
  if (resource !== pods || textAt(object, "spec.nodeName") === undefined) return 0;
  if (phase === "Succeeded" || phase === "Failed") return 0;
  const own = fieldAt(object, "spec.terminationGracePeriodSeconds");
  return options.gracePeriodSeconds ?? (typeof own === "number" ? own : 30);
}

/** Protects a new object of the same name, which has another UID. */
export function requireUid(resource: ResourceKind, { metadata }: KubernetesObject, uid: string): void {
  if (uid === metadata.uid) return;
  const kind = resource.custom === undefined ? resource.plural : `${resource.group}/${resource.plural}`;
  const key = ["/registry", kind, metadata.namespace, metadata.name].filter((part) => part !== undefined).join("/");
  const because =
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ` +
    `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid}`;
  throw conflictError(resource, metadata.name, because);
}

export function checkPlace(
  body: unknown,
  { name, namespace = "" }: Pick<KubernetesObject["metadata"], "name" | "namespace">,
) {
  const given = textAt(body, "metadata.name") ?? "";
  if (given === "") {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  if (given !== name) {
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
  }
  if ((textAt(body, "metadata.namespace") ?? namespace) !== namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
}

export function requireVersion(resource: ResourceKind, body: unknown, name: string): void {
  if (resource.custom === undefined || (textAt(body, "metadata.resourceVersion") ?? "") !== "") return;
  throw invalidError({ group: resource.group, kind: resource.plural }, name, [
    { field: "metadata.resourceVersion", type: "Invalid", value: 0, detail: "must be specified for an update" },
  ]);
}
