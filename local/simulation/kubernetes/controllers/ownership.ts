import type { KubernetesObject, OwnerReference } from "../object";
import type { Resource } from "../resources";
import { builtIn, groupVersion, namespaces } from "../resources";
import type { Store } from "../store";
import type { Registry } from "../registry";

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
