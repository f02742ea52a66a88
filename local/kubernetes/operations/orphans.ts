import type { KubernetesObject } from "../resources/object";
import type { Registry } from "../resources/registry";
import type { ObjectStore } from "../resources/store";

/** Frees what an object owns, so that it stays when the object is deleted: propagationPolicy Orphan. */
export function orphanDependents(
  { store, registry }: { readonly store: ObjectStore; readonly registry: Registry },
  { metadata: { uid, namespace = "" } }: KubernetesObject,
): void {
  for (const resource of registry.all()) {
    for (const dependent of store.list(resource, namespace)) {
      const { ownerReferences = [] } = dependent.metadata;
      const others = ownerReferences.filter((owner) => owner.uid !== uid);
      if (others.length === ownerReferences.length) continue;
      store.put(resource, { ...dependent, metadata: { ...dependent.metadata, ownerReferences: others } });
    }
  }
}
