import type { CrossVersionObjectReference, MetricIdentifier } from "../../k8s/hpa";
import type { ExternalMetricValue, MetricValue, Pod, PodMetrics, Scale } from "../../k8s/objects";
import type { ClusterEntry } from "../entry/entries";
import type { RecordedEvent } from "../stored/event-log";

/** Found by group and kind. As upstream, ebb ignores the version in apiVersion. */
export interface Target extends CrossVersionObjectReference {
  readonly namespace: string;
}

export interface ObservedTarget extends Target {
  readonly uid: string;
  readonly resourceVersion?: string;
}

/** Targets whose scales one request may read together. */
export interface ScaleBatch {
  readonly targets: readonly Target[];
}

/**
 * Every call is bounded by `signal` and its own timeout. It rejects with a Fault whose message can be shown as it is
 * (the API server's own words, if any).
 */
export interface Cluster {
  /** As stored at the time of the call; with `batch`, of the batch's first call or later. A batch has one signal. */
  getScale(target: Target, signal: AbortSignal, batch?: ScaleBatch): Promise<Scale>;
  /** Conditional on scale.metadata.resourceVersion. Fault "conflict" when it changed, "lost" when no answer came. */
  putScale(target: Target, scale: Scale, signal: AbortSignal): Promise<Scale>;
  /** `selector` "" means all pods of the namespace. */
  listPods(namespace: string, selector: string, signal: AbortSignal): Promise<readonly Pod[]>;
  getObject(reference: ObjectReference, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>>;
  podMetrics(namespace: string, selector: string, signal: AbortSignal): Promise<readonly PodMetrics[]>;
  podsMetric(query: PodsMetricQuery, signal: AbortSignal): Promise<readonly MetricValue[]>;
  objectMetric(query: ObjectMetricQuery, signal: AbortSignal): Promise<readonly MetricValue[]>;
  externalMetric(query: ExternalMetricQuery, signal: AbortSignal): Promise<readonly ExternalMetricValue[]>;
  /** Through the API server's proxy. A status other than 200 is an answer too. */
  getService(request: ServiceRequest, signal: AbortSignal): Promise<ServiceAnswer>;
  /** To a ready pod, through the API server's port forwarding. */
  connectService(request: ServiceStreamRequest, signal: AbortSignal): Promise<ServiceStream>;
  /** Writes a core/v1 Event on the target. */
  recordEvent(target: ObservedTarget, event: RecordedEvent, signal: AbortSignal): Promise<void>;
}

export interface ObjectReference {
  /** "v1", "apps/v1" */
  readonly apiVersion: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

export interface ServicePort {
  readonly namespace: string;
  readonly service: string;
  readonly port: number | string;
  /** The API server does not check the service's certificate. */
  readonly scheme: "http" | "https";
}

export interface ServiceRequest extends ServicePort, Prioritized {
  /** With the query string. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxBytes: number;
}

export interface ServiceAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export interface ServiceStreamRequest extends Omit<ServicePort, "scheme">, Prioritized {
  /** The pod that must answer. Absent: any ready pod. */
  readonly member?: ServiceMember;
}

/** As a member of the service advertises itself: `kafka-0.brokers.shop.svc`, or a pod's IP. */
export interface ServiceMember {
  readonly host: string;
  readonly port: number;
}

/** It has no half-closed state: ending it closes it. */
export interface ServiceStream extends NodeJS.ReadWriteStream {
  readonly bytesRead: number;
  readonly destroyed: boolean;
  destroy(error?: Error): this;
  /** As for a socket. */
  ref(): this;
  unref(): this;
}

/** While an endpoint is busy, the lowest number goes first. Default 0. */
export interface Prioritized {
  readonly priority?: number;
}

export interface PodsMetricQuery extends Prioritized {
  readonly namespace: string;
  readonly metric: MetricIdentifier;
  readonly selector: string;
}

export interface ObjectMetricQuery extends Prioritized {
  readonly namespace: string;
  readonly metric: MetricIdentifier;
  readonly describedObject: CrossVersionObjectReference;
}

export interface ExternalMetricQuery extends Prioritized {
  readonly namespace: string;
  readonly metric: MetricIdentifier;
}

/** Connections, discovery and tokens outlive an invocation. Rejects with a Fault. */
export interface Clusters {
  connect(entry: ClusterEntry, signal: AbortSignal): Promise<Cluster>;
}
