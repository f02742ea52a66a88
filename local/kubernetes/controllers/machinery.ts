import type { Clock } from "../../clock";
import { type Fields, type KubernetesObject, type OwnerReference, isFields } from "../resources/object";
import type { Registry } from "../resources/registry";
import { type Resource, builtIn, groupVersion, namespaces } from "../resources/kinds";
import type { Store } from "../resources/store";

interface Condition {
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason?: string;
  readonly message?: string;
}

/** The list with one condition set; its lastTransitionTime moves with its status alone. */
export function setCondition(conditions: unknown, at: string, condition: Condition): Fields[] {
  const list = Array.isArray(conditions) ? conditions.filter(isFields) : [];
  const before = list.find(({ type }) => type === condition.type);
  const lastTransitionTime = before?.["status"] === condition.status ? before["lastTransitionTime"] : at;
  const next = { ...condition, lastTransitionTime };
  return before === undefined ? [...list, next] : list.map((each) => (each === before ? next : each));
}

export function isConditionTrue(object: { readonly status?: Fields }, type: string): boolean {
  const conditions = object.status?.["conditions"];
  return (
    Array.isArray(conditions) &&
    conditions.filter(isFields).some((condition) => condition["type"] === type && condition["status"] === "True")
  );
}

/** Keys of objects to look at, each at most once in line, one after another. */
export function createWorkQueue(clock: Clock, reconcile: (key: string) => void): (key: string) => void {
  const waiting = new Set<string>();
  return (key) => {
    if (waiting.has(key)) return;
    waiting.add(key);
    clock.after(0, () => {
      waiting.delete(key);
      reconcile(key);
    });
  };
}

export function keyOf({ metadata }: { metadata: { namespace?: string; name: string } }): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}

export function splitKey(key: string): { namespace: string; name: string } {
  const [namespace = "", name = ""] = key.split("/");
  return { namespace, name };
}

export function controllerOf({ metadata }: KubernetesObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find((reference) => reference.controller === true);
}

export function ownedBy(owner: KubernetesObject): OwnerReference {
  const { apiVersion, kind, metadata } = owner;
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true, blockOwnerDeletion: true };
}

export function dependentsOf(store: Store, resource: Resource, owner: KubernetesObject): KubernetesObject[] {
  return store
    .list(resource, owner.metadata.namespace ?? "")
    .filter((object) => controllerOf(object)?.uid === owner.metadata.uid);
}

/** Deletes what a deleted object owned, and all that stood in a deleted namespace. */
export function collectGarbage(parts: {
  readonly store: Store;
  readonly registry: Registry;
  readonly remove: (resource: Resource, object: KubernetesObject) => void;
}): () => void {
  const { store, registry, remove } = parts;
  return store.subscribe(({ type, resource, object }) => {
    if (type !== "DELETED") return;
    for (const kind of registry.all().filter(({ namespaced }) => namespaced)) {
      const orphans =
        resource === namespaces ? store.list(kind, object.metadata.name) : dependentsOf(store, kind, object);
      for (const orphan of orphans) remove(kind, orphan);
    }
  });
}

/** The kind of an owner among those served. */
export function resourceOfOwner(registry: Registry, reference: OwnerReference): Resource | undefined {
  return [...builtIn, ...registry.all()].find(
    (resource) => resource.kind === reference.kind && groupVersion(resource) === reference.apiVersion,
  );
}
