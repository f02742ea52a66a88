import { isDeepStrictEqual } from "node:util";
import type { KubernetesObject } from "./object";
import type { ResourceKind } from "./kinds";

export type ChangeType = "ADDED" | "MODIFIED" | "DELETED";

export interface StoreChange {
  readonly type: ChangeType;
  readonly resource: ResourceKind;
  readonly object: KubernetesObject;
  /** Before the change. */
  readonly before?: KubernetesObject;
  readonly resourceVersion: number;
}

/** Like etcd: one growing version for all objects. */
export interface ObjectStore {
  get(resource: ResourceKind, namespace: string, name: string): KubernetesObject | undefined;
  /** "" lists all namespaces. */
  list(resource: ResourceKind, namespace: string): KubernetesObject[];
  /** At an earlier resourceVersion; undefined: changes since are gone. */
  listAt(resource: ResourceKind, namespace: string, resourceVersion: number): KubernetesObject[] | undefined;
  /** If nothing changed, keeps the old object and version. */
  put(resource: ResourceKind, object: KubernetesObject): KubernetesObject;
  remove(resource: ResourceKind, object: KubernetesObject): KubernetesObject;
  resourceVersion(): number;
  /** Oldest first; undefined: some are gone. */
  since(resourceVersion: number): readonly StoreChange[] | undefined;
  /** Calls at once with every change. @returns a function that unsubscribes */
  subscribe(listener: (change: StoreChange) => void): () => void;
  /** From a snapshot. */
  restore(resource: ResourceKind, object: KubernetesObject): void;
  /** The next version is larger: a deleted object may have had this one. */
  continueFrom(resourceVersion: number): void;
}

/** For watches that resume. The real server keeps a few minutes. */
const rememberedChanges = 2_000;

const kindKey = ({ group, plural }: ResourceKind): string => `${plural}.${group}`;
const objectKey = (namespace: string, name: string): string => `${namespace}/${name}`;

export const keyOf = ({ metadata }: KubernetesObject): string => objectKey(metadata.namespace ?? "", metadata.name);

function listed(objects: ReadonlyMap<string, KubernetesObject>, namespace: string): KubernetesObject[] {
  return [...objects.entries()]
    .filter(([, object]) => namespace === "" || object.metadata.namespace === namespace)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, object]) => object);
}

export function createObjectStore(): ObjectStore {
  const kinds = new Map<string, Map<string, KubernetesObject>>();
  const listeners = new Set<(change: StoreChange) => void>();
  let changes: StoreChange[] = [];
  let version = 1;
  let forgottenUntil = 0;

  const objectsOf = (resource: ResourceKind): Map<string, KubernetesObject> => {
    const key = kindKey(resource);
    const objects = kinds.get(key) ?? new Map<string, KubernetesObject>();
    kinds.set(key, objects);
    return objects;
  };
  const stamp = (object: KubernetesObject): KubernetesObject => {
    version += 1;
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
  };
  const announce = (change: StoreChange): void => {
    changes.push(change);
    if (changes.length > 2 * rememberedChanges) {
      forgottenUntil = changes[rememberedChanges - 1]?.resourceVersion ?? forgottenUntil;
      changes = changes.slice(rememberedChanges);
    }
    for (const listener of [...listeners]) listener(change);
  };

  const continueFrom = (resourceVersion: number): void => {
    version = Math.max(version, resourceVersion);
    forgottenUntil = version;
  };

  const since: ObjectStore["since"] = (resourceVersion) =>
    resourceVersion < forgottenUntil ? undefined : changes.filter((change) => change.resourceVersion > resourceVersion);

  return {
    get: (resource, namespace, name) => objectsOf(resource).get(objectKey(namespace, name)),
    list: (resource, namespace) => listed(objectsOf(resource), namespace),
    listAt(resource, namespace, resourceVersion) {
      const missed = since(resourceVersion);
      if (missed === undefined) return undefined;
      const objects = new Map(objectsOf(resource));
      for (const { resource: changed, object, before } of [...missed].reverse()) {
        if (kindKey(changed) !== kindKey(resource)) continue;
        if (before === undefined) objects.delete(keyOf(object));
        else objects.set(keyOf(object), before);
      }
      return listed(objects, namespace);
    },
    put(resource, object) {
      const objects = objectsOf(resource);
      const before = objects.get(keyOf(object));
      if (before !== undefined && sameContent(before, object)) return before;
      const stored = stamp(object);
      objects.set(keyOf(object), stored);
      announce(
        before === undefined
          ? { type: "ADDED", resource, object: stored, resourceVersion: version }
          : { type: "MODIFIED", resource, object: stored, before, resourceVersion: version },
      );
      return stored;
    },
    remove(resource, object) {
      objectsOf(resource).delete(keyOf(object));
      const removed = stamp(object);
      announce({ type: "DELETED", resource, object: removed, before: object, resourceVersion: version });
      return removed;
    },
    resourceVersion: () => version,
    since,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    restore(resource, object) {
      objectsOf(resource).set(keyOf(object), object);
      continueFrom(Number(object.metadata.resourceVersion));
    },
    continueFrom,
  };
}

function sameContent(before: KubernetesObject, after: KubernetesObject): boolean {
  const version = before.metadata.resourceVersion;
  return isDeepStrictEqual(before, { ...after, metadata: { ...after.metadata, resourceVersion: version } });
}
