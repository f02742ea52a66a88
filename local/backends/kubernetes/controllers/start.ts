import type { KubernetesObject } from "../resources/object";
import type { Registry } from "../resources/registry";
import type { ResourceKind } from "../resources/kinds";
import { deployments, pods, replicaSets, replicationControllers, statefulSets } from "../resources/kinds";
import { StatusError } from "../resources/status";
import { type StoreChange, keyOf } from "../resources/store";
import { reconcileDeployment } from "./deployments";
import type { ControllerParts } from "./machinery";
import { splitKey } from "../../../../lib/model/hpa-key";
import { collectGarbage, controllerOf, createEventRecorder, createWorkQueue } from "./machinery";
import type { PodTiming, RunPod } from "./pod-lifecycle";
import { startPodLifecycle } from "./pod-lifecycle";
import type { PodSetKind } from "./pod-sets";
import { reconcilePodSet } from "./pod-sets";

interface WorkloadOptions {
  readonly runPod: RunPod;
  readonly timing: PodTiming;
  /** Their status has a `selector`. */
  readonly customPodSets: readonly string[];
}

/** kube-controller-manager, scheduler and nodes, as far as an autoscaler sees them. */
export function startControllers(given: Omit<ControllerParts, "recordEvent">, options: WorkloadOptions): () => void {
  const parts: ControllerParts = { ...given, recordEvent: createEventRecorder(given) };
  const { store, api, registry, clock } = parts;

  const enqueueDeployment = createWorkQueue(clock, (key) =>
    recordingRefusals(parts, { resource: deployments, key }, () => reconcileDeployment(parts, key)),
  );
  const enqueuePodSet = createWorkQueue(clock, (kindAndKey) => {
    const [kindName = "", ...objectKey] = kindAndKey.split("|");
    const kind = podSetKind(registry, options, kindName);
    if (kind === undefined) return;
    const key = objectKey.join("|");
    recordingRefusals(parts, { resource: kind.resource, key }, () => reconcilePodSet(parts, kind, key));
  });
  const consider = (resource: ResourceKind, object: KubernetesObject): void => {
    if (resource === deployments) enqueueDeployment(keyOf(object));
    else if (podSetKind(registry, options, resource.kind)) enqueuePodSet(`${resource.kind}|${keyOf(object)}`);
  };
  const considerOwner = (object: KubernetesObject): void => {
    const owner = controllerOf(object);
    const namespace = object.metadata.namespace ?? "";
    if (owner?.kind === "Deployment") enqueueDeployment(`${namespace}/${owner.name}`);
    else if (owner !== undefined) enqueuePodSet(`${owner.kind}|${namespace}/${owner.name}`);
  };
  const look = ({ resource, object }: Pick<StoreChange, "resource" | "object">): void => {
    consider(resource, object);
    if (resource === pods || resource === replicaSets) considerOwner(object);
  };

  const stops = [
    startPodLifecycle({ ...parts, ...options }),
    collectGarbage({
      ...{ store, registry },
      remove: (resource, { metadata }) =>
        void api.delete({ resource, namespace: metadata.namespace ?? "", name: metadata.name }),
    }),
    store.subscribe(look),
  ];
  for (const resource of registry.all()) store.list(resource, "").forEach((object) => look({ resource, object }));
  return () => stops.forEach((stop) => stop());
}

// As upstream, an object that the API server refuses (an invalid template, a taken name) becomes an event.
function recordingRefusals(
  { store, recordEvent }: ControllerParts,
  { resource, key }: { readonly resource: ResourceKind; readonly key: string },
  reconcile: () => void,
): void {
  try {
    reconcile();
  } catch (error) {
    const [namespace, name] = splitKey(key);
    const object = store.get(resource, namespace, name);
    if (!(error instanceof StatusError) || object === undefined) throw error;
    const message = `Error creating: ${error.message}`;
    recordEvent(object, { reason: "FailedCreate", message, component: `${object.kind.toLowerCase()}-controller` });
  }
}

const builtInPodSets = [replicaSets, replicationControllers, statefulSets];

function podSetKind(registry: Registry, options: WorkloadOptions, kind: string): PodSetKind | undefined {
  const builtIn = builtInPodSets.find((resource) => resource.kind === kind);
  if (builtIn !== undefined) return { resource: builtIn };
  const resource = registry
    .all()
    .find((each) => each.kind === kind && options.customPodSets.includes(`${each.plural}.${each.group}`));
  return resource && { resource, statusSelector: (object) => `${kind.toLowerCase()}=${object.metadata.name}` };
}
