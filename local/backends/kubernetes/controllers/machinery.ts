import type { Clock } from "../../../clock";
import type { Random } from "../../../random";
import type { Api } from "../operations/api";
import {
  type JsonObject,
  type KubernetesObject,
  type OwnerReference,
  isJsonObject,
  listAt,
  timestamp,
} from "../resources/object";
import type { Registry } from "../resources/registry";
import { events, namespaces, type ResourceKind } from "../resources/kinds";
import type { ObjectStore } from "../resources/store";

export interface ControllerParts {
  readonly store: ObjectStore;
  readonly api: Api;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly random: Random;
  readonly recordEvent: RecordEvent;
}

interface Condition {
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason?: string;
  readonly message?: string;
}

/** lastTransitionTime moves only with the status. */
export function setCondition(conditions: unknown, at: string, condition: Condition): JsonObject[] {
  const list = Array.isArray(conditions) ? conditions.filter(isJsonObject) : [];
  const before = list.find(({ type }) => type === condition.type);
  const lastTransitionTime = before?.["status"] === condition.status ? before["lastTransitionTime"] : at;
  const next = { ...condition, lastTransitionTime };
  return before === undefined ? [...list, next] : list.map((each) => (each === before ? next : each));
}

export function isConditionTrue(object: { readonly status?: JsonObject }, type: string): boolean {
  return listAt(object, "status.conditions").some((each) => each["type"] === type && each["status"] === "True");
}

/** A waiting key is queued only once. */
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

export function controllerOf({ metadata }: KubernetesObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find((reference) => reference.controller === true);
}

export function ownedBy(owner: KubernetesObject): OwnerReference {
  const { apiVersion, kind, metadata } = owner;
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true, blockOwnerDeletion: true };
}

export function dependentsOf(store: ObjectStore, resource: ResourceKind, owner: KubernetesObject): KubernetesObject[] {
  return store
    .list(resource, owner.metadata.namespace ?? "")
    .filter((object) => controllerOf(object)?.uid === owner.metadata.uid);
}

/** Deletes objects whose owner or namespace was deleted. */
export function collectGarbage(parts: {
  readonly store: ObjectStore;
  readonly registry: Registry;
  readonly remove: (resource: ResourceKind, object: KubernetesObject) => void;
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

export type RecordEvent = (
  object: KubernetesObject,
  event: { readonly reason: string; readonly message: string; readonly component: string },
) => void;

/** The real server keeps events for an hour. */
const keptEvents = 200;

export function createEventRecorder(parts: { store: ObjectStore; clock: Clock; random: Random }): RecordEvent {
  const { store, clock, random } = parts;
  return (object, { reason, message, component }) => {
    const { name, namespace = "default", uid, resourceVersion } = object.metadata;
    const at = timestamp(clock.now());
    store.put(events, {
      kind: "Event",
      apiVersion: "v1",
      metadata: {
        name: `${name}.${random.uuid().replaceAll("-", "").slice(0, 16)}`,
        ...{ namespace, uid: random.uuid(), resourceVersion: "", creationTimestamp: at },
      },
      involvedObject: { kind: object.kind, apiVersion: object.apiVersion, namespace, name, uid, resourceVersion },
      ...{ type: "Normal", reason, message, count: 1, firstTimestamp: at, lastTimestamp: at, eventTime: null },
      ...{ source: { component }, reportingComponent: component, reportingInstance: "" },
    });
    const oldestFirst = store
      .list(events, "")
      .sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion));
    for (const old of oldestFirst.slice(0, -keptEvents)) store.remove(events, old);
  };
}
