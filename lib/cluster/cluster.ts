import type { Pod, Scale } from "../k8s/objects";
import type { EpochMs } from "../k8s/time";
import type { Cluster, ScaleTurn, SeenTarget, ServiceAnswer, ServiceRequest } from "../model/ports/cluster";
import type { RecordedEvent } from "../model/stored/event-log";
import { reviewAccess, type AccessAttributes, type AccessReview } from "./api/access-review";
import type { ApiClient } from "./api/api-client";
import type { Discovery } from "./api/discovery";
import { type ListedObject, listObjects, type ObjectList } from "./api/list-objects";
import { metricsApis, type MetricsApis } from "./api/metrics-apis";
import { getObject } from "./api/objects";
import { listOwnedPods, listPods, type OwnedPod } from "./api/pods";
import { putScale, type ScaleTarget } from "./api/scales/scale";
import { reviewSelf, type UserInfo } from "./api/self-review";
import { openScaleReads } from "./api/scales/scale-reads";
import type { ServiceProxy } from "./api/services/service-proxy";
import { recordTargetEvent } from "./api/target-events";

/**
 * One target cluster: what ebb reads, writes and may do there. Every call rejects with a Fault whose message can be
 * shown as it is.
 */
export interface TargetCluster extends MetricsApis {
  getScale(target: ScaleTarget, signal: AbortSignal, turn?: ScaleTurn): Promise<Scale>;
  putScale(target: ScaleTarget, scale: Scale, signal: AbortSignal): Promise<Scale>;
  listPods(namespace: string, selector: string, signal: AbortSignal): Promise<readonly Pod[]>;
  listOwnedPods(namespace: string, selector: string, signal: AbortSignal): Promise<readonly OwnedPod[]>;
  /** One object, whole. */
  readonly getObject: Cluster["getObject"];
  listObjects(list: ObjectList, signal: AbortSignal): Promise<readonly ListedObject[]>;
  /** Asks a service of the cluster through the API server's proxy. */
  getService(request: ServiceRequest, signal: AbortSignal): Promise<ServiceAnswer>;
  /** Connects to a ready pod of a service through the API server's port forwarding. */
  readonly connectService: Cluster["connectService"];
  /** Writes an event of the target's HPA on the target. */
  recordEvent(target: SeenTarget, event: RecordedEvent, signal: AbortSignal): Promise<void>;
  /** Whether the API server would allow an action. */
  reviewAccess(attributes: AccessAttributes, signal: AbortSignal): Promise<AccessReview>;
  /** Whom the API server takes ebb for. */
  reviewSelf(signal: AbortSignal): Promise<UserInfo>;
  /** What the API server serves. */
  readonly discovery: Discovery;
}

/** How services are reached through the API server. */
export interface Services {
  readonly getService: ServiceProxy;
  readonly connectService: Cluster["connectService"];
}

export interface TargetClusterDeps {
  readonly api: ApiClient;
  readonly discovery: Discovery;
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
    ...services,
    reviewAccess: (attributes, signal) => reviewAccess(api, attributes, signal),
    reviewSelf: (signal) => reviewSelf(api, signal),
    discovery,
  };
}
