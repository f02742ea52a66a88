import type { JsonObject, KubernetesObject } from "../resources/object";
import { fieldAt, isJsonObject, numberAt, withField } from "../resources/object";
import type { ResourceKind } from "../resources/kinds";
import { pods, statefulSets } from "../resources/kinds";
import { splitKey } from "../../../../lib/model/hpa-key";
import { isConditionTrue, dependentsOf, ownedBy } from "./machinery";
import type { ControllerParts } from "./machinery";

/** ReplicaSets, StatefulSets, custom kinds. */
export interface PodSetKind {
  readonly resource: ResourceKind;
  readonly statusSelector?: (object: KubernetesObject) => string;
}

export function reconcilePodSet(parts: ControllerParts, kind: PodSetKind, key: string): void {
  const { store } = parts;
  const [namespace, name] = splitKey(key);
  const object = store.get(kind.resource, namespace, name);
  if (object === undefined || object.metadata.deletionTimestamp !== undefined) return;
  const owned = dependentsOf(store, pods, object);
  const active = owned.filter(isActive);
  const wanted = numberAt(object, "spec.replicas") ?? 0;

  if (kind.resource === statefulSets) adjustOrdered(parts, object, { owned, active, wanted });
  else adjustAtOnce(parts, object, { active, wanted });
  const now = store.get(kind.resource, namespace, name);
  if (now !== undefined) {
    store.put(kind.resource, withStatus(kind, now, dependentsOf(store, pods, now).filter(isActive)));
  }
}

const isActive = (pod: KubernetesObject): boolean =>
  pod.metadata.deletionTimestamp === undefined &&
  pod.status?.["phase"] !== "Succeeded" &&
  pod.status?.["phase"] !== "Failed";

const isReady = (pod: KubernetesObject): boolean => isConditionTrue(pod, "Ready");

type PodsOf = {
  readonly active: readonly KubernetesObject[];
  readonly wanted: number;
};

function adjustAtOnce(parts: ControllerParts, object: KubernetesObject, { active, wanted }: PodsOf): void {
  for (let missing = wanted - active.length; missing > 0; missing -= 1) {
    createPod(parts, object, `${object.metadata.name}-${parts.random.suffix(5)}`);
  }
  // As upstream: first pods that are not ready, then the youngest.
  const dispensable = [...active].sort(
    (a, b) => Number(isReady(a)) - Number(isReady(b)) || Number(ageRank(b)) - Number(ageRank(a)),
  );
  for (const pod of dispensable.slice(0, Math.max(0, active.length - wanted))) deletePod(parts, object, pod);
}

const ageRank = (pod: KubernetesObject): number => Date.parse(pod.metadata.creationTimestamp);

// OrderedReady, one pod at a time: upwards when all pods below are ready, downwards when the pod above is gone.
function adjustOrdered(
  parts: ControllerParts,
  object: KubernetesObject,
  { owned, active, wanted }: PodsOf & { readonly owned: readonly KubernetesObject[] },
): void {
  const ordinal = (pod: KubernetesObject): number => Number(/\d+$/.exec(pod.metadata.name)?.[0] ?? 0);
  if (owned.length > active.length) return;
  const highest = [...active].sort((a, b) => ordinal(b) - ordinal(a))[0];
  if (highest !== undefined && ordinal(highest) >= wanted) return deletePod(parts, object, highest);
  if (!active.every(isReady)) return;
  const ordinals = new Set(active.map(ordinal));
  for (let next = 0; next < wanted; next += 1) {
    if (!ordinals.has(next)) return createPod(parts, object, `${object.metadata.name}-${next}`);
  }
}

function createPod({ api, recordEvent }: ControllerParts, object: KubernetesObject, name: string): void {
  const template = fieldAt(object, "spec.template");
  const metadata = fieldAt(template, "metadata");
  const pod = { ...(isJsonObject(template) ? template : {}), kind: "Pod", apiVersion: "v1" };
  const { namespace = "" } = object.metadata;
  api.create(
    { resource: pods, namespace },
    { ...pod, metadata: { ...(isJsonObject(metadata) ? metadata : {}), name, ownerReferences: [ownedBy(object)] } },
  );
  const component = `${object.kind.toLowerCase()}-controller`;
  recordEvent(object, { reason: "SuccessfulCreate", message: `Created pod: ${name}`, component });
}

function deletePod({ api, recordEvent }: ControllerParts, object: KubernetesObject, pod: KubernetesObject): void {
  const { name, namespace = "" } = pod.metadata;
  api.delete({ resource: pods, namespace, name });
  const component = `${object.kind.toLowerCase()}-controller`;
  recordEvent(object, { reason: "SuccessfulDelete", message: `Deleted pod: ${name}`, component });
}

function withStatus(kind: PodSetKind, object: KubernetesObject, active: readonly KubernetesObject[]): KubernetesObject {
  const ready = active.filter(isReady).length;
  const status: JsonObject = {
    replicas: active.length,
    ...(ready > 0 && { readyReplicas: ready, availableReplicas: ready }),
    observedGeneration: object.metadata.generation,
    ...(kind.statusSelector && { selector: kind.statusSelector(object) }),
  };
  return withField(object, "status", status);
}
