import type { Pod, Scale } from "../k8s/objects";
import type { EpochMs } from "../k8s/time";
import type {
  Cluster,
  ScaleBatch,
  ObservedTarget,
  ServiceAnswer,
  ServiceRequest,
  ObjectReference,
} from "../model/ports/cluster";
import type { RecordedEvent } from "../model/stored/event-log";
import { reviewAccess, type AccessAttributes, type AccessReview, reviewSelf, type UserInfo } from "./api/access-review";
import type { ApiClient, ApiObject } from "./api/api-client";
import { type DiscoveredApi, type Discovery, groupOf } from "./api/discovery";
import { type ListedObject, listObjects, type ObjectList } from "./api/pages";
import { metricsApis, type MetricsApis } from "./api/metrics-apis";
import { listOwnedPods, listPods, type OwnedPod } from "./api/pods";
import { putScale, type ScaleTarget } from "./api/scales/scale";
import { openScaleReads } from "./api/scales/scale-reads";
import { listWorkers, setDeletionCost } from "./api/workers";
import type { ServiceProxy } from "./api/services/service-proxy";
import { recordTargetEvent } from "./api/target-events";
import { isMap } from "../k8s/map";
import { shown } from "../model/check/problem";
import { Fault } from "../model/fault";

/** Every call rejects with a Fault whose message can be shown as it is. */
export interface TargetCluster extends MetricsApis {
  getScale(target: ScaleTarget, signal: AbortSignal, batch?: ScaleBatch): Promise<Scale>;
  putScale(target: ScaleTarget, scale: Scale, signal: AbortSignal): Promise<Scale>;
  listPods(namespace: string, selector: string, signal: AbortSignal): Promise<readonly Pod[]>;
  listOwnedPods(namespace: string, selector: string, signal: AbortSignal): Promise<readonly OwnedPod[]>;
  readonly getObject: Cluster["getObject"];
  listObjects(list: ObjectList, signal: AbortSignal): Promise<readonly ListedObject[]>;
  getService(request: ServiceRequest, signal: AbortSignal): Promise<ServiceAnswer>;
  /** To a ready pod. */
  readonly connectService: Cluster["connectService"];
  recordEvent(target: ObservedTarget, event: RecordedEvent, signal: AbortSignal): Promise<void>;
  reviewAccess(attributes: AccessAttributes, signal: AbortSignal): Promise<AccessReview>;
  reviewSelf(signal: AbortSignal): Promise<UserInfo>;
  readonly listWorkers: Cluster["listWorkers"];
  readonly setDeletionCost: Cluster["setDeletionCost"];
  readonly getPod: Cluster["getPod"];
  readonly discovery: Discovery;
}

export interface Services {
  readonly getService: ServiceProxy;
  readonly connectService: Cluster["connectService"];
  readonly getPod: Cluster["getPod"];
}

export interface TargetClusterDeps extends DiscoveredApi {
  readonly services: Services;
  readonly now: () => EpochMs;
}

export function targetCluster({ api, discovery, services, now }: TargetClusterDeps): TargetCluster {
  const scales = openScaleReads({ api, discovery, now });
  return {
    ...metricsApis({ api, discovery }),
    getScale: scales.get,
    async putScale(target, scale, signal) {
      const written = await putScale({ api, discovery }, target, scale, signal);
      scales.written(target, written);
      return written;
    },
    getObject: (reference, signal) => getObject(api, reference, signal),
    listPods: (namespace, selector, signal) => listPods(api, namespace, selector, signal),
    listOwnedPods: (namespace, selector, signal) => listOwnedPods(api, namespace, selector, signal),
    listObjects: (list, signal) => listObjects(api, list, signal),
    recordEvent: (target, event, signal) => recordTargetEvent({ api, discovery }, target, event, signal),
    listWorkers: (query, signal) => listWorkers(api, query, signal),
    setDeletionCost: (cost, signal) => setDeletionCost(api, cost, signal),
    ...services,
    reviewAccess: (attributes, signal) => reviewAccess(api, attributes, signal),
    reviewSelf: (signal) => reviewSelf(api, signal),
    discovery,
  };
}

/** At most 1.5 MiB in etcd, and more as JSON. */
const MAX_BYTES = 3 * 1024 * 1024;

/** Rejects with a Fault. */
export async function getObject(
  api: ApiClient,
  { apiVersion, resource, namespace, name }: ObjectReference,
  signal: AbortSignal,
): Promise<ApiObject> {
  const group = groupOf(apiVersion);
  const segments = [...apiVersion.split("/"), "namespaces", namespace, resource, name].map(encodeURIComponent);
  const path = `/${group === "" ? "api" : "apis"}/${segments.join("/")}`;
  const subject = { verb: "get", group, resource, namespace, name, path } as const;
  const object = await api(
    { method: "GET", subject, large: true, maxBytes: MAX_BYTES, kinds: "any", failureKey: path },
    signal,
  );
  const { metadata } = object;
  if (!isMap(metadata) || metadata["name"] !== name)
    throw new Fault("badAnswer", `${path}: expected the object ${name}, got ${shown(object)}`);
  return object;
}
