import type { CrossVersionObjectReference, MetricIdentifier } from "../../k8s/hpa";
import type { ExternalMetricValue, MetricValue, Pod, PodMetrics, Scale } from "../../k8s/objects";
import type { ClusterEntry } from "../entry/entries";
import type { RecordedEvent } from "../stored/event-log";

/** The object that is scaled. Found by group and kind. As upstream, ebb ignores the version in apiVersion. */
export interface Target extends CrossVersionObjectReference {
  readonly namespace: string;
}

/** A target as the cluster showed it. */
export interface ObservedTarget extends Target {
  readonly uid: string;
  readonly resourceVersion?: string;
}

/** Targets whose scales are read at the same time, so that one request may read many. */
export interface ScaleBatch {
  readonly targets: readonly Target[];
}

/**
 * One target cluster. Every call is bounded by `signal` and by its own timeout. It rejects with a Fault whose message
 * can be shown as it is (the API server's own words, if it gave any).
 */
export interface Cluster {
  /**
   * As it is stored at the time of the call; with `batch`, at the time of the batch's first call or later. All calls of
   * a batch have one signal.
   */
  getScale(target: Target, signal: AbortSignal, batch?: ScaleBatch): Promise<Scale>;
  /** Conditional on scale.metadata.resourceVersion. Fault "conflict" when it changed, "lost" when no answer came. */
  putScale(target: Target, scale: Scale, signal: AbortSignal): Promise<Scale>;
  /** `selector` is a string; "" means all pods of the namespace. */
  listPods(namespace: string, selector: string, signal: AbortSignal): Promise<readonly Pod[]>;
  /** The whole object. */
  getObject(reference: ObjectReference, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>>;
  podMetrics(namespace: string, selector: string, signal: AbortSignal): Promise<readonly PodMetrics[]>;
  podsMetric(query: PodsMetricQuery, signal: AbortSignal): Promise<readonly MetricValue[]>;
  objectMetric(query: ObjectMetricQuery, signal: AbortSignal): Promise<readonly MetricValue[]>;
  externalMetric(query: ExternalMetricQuery, signal: AbortSignal): Promise<readonly ExternalMetricValue[]>;
  /** Asks a service of the cluster through the API server's proxy. A status other than 200 is an answer too. */
  getService(request: ServiceRequest, signal: AbortSignal): Promise<ServiceAnswer>;
  /** Connects to a ready pod of a service through the API server's port forwarding. */
  connectService(request: ServiceStreamRequest, signal: AbortSignal): Promise<ServiceStream>;
  /**
   * Writes an event of the target's HPA on the target, as a core/v1 Event. Without the right to do so: Fault
   * "forbidden".
   */
  recordEvent(target: ObservedTarget, event: RecordedEvent, signal: AbortSignal): Promise<void>;
}

/** An object as its path names it. */
export interface ObjectReference {
  /** "v1", "apps/v1" */
  readonly apiVersion: string;
  /** Plural: "deployments". */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** A service in a cluster, and its port's number or name. */
export interface ServicePort {
  readonly namespace: string;
  readonly service: string;
  readonly port: number | string;
  /** What the service speaks. The API server does not check its certificate. */
  readonly scheme: "http" | "https";
}

export interface ServiceRequest extends ServicePort, Prioritized {
  /** With the query. */
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
  /** The one that is meant, of the cluster that the service's pods form. Absent: any of them. */
  readonly member?: ServiceMember;
}

/** Where a member of a cluster says that another one is: `kafka-0.brokers.shop.svc`, or a pod's IP. */
export interface ServiceMember {
  readonly host: string;
  readonly port: number;
}

/** Bytes to a pod and back. It has no half-closed state: ending it closes it. */
export interface ServiceStream extends NodeJS.ReadWriteStream {
  readonly bytesRead: number;
  readonly destroyed: boolean;
  destroy(error?: Error): this;
  /** Whether it keeps the process running, as for a socket. */
  ref(): this;
  unref(): this;
}

/**
 * A query's position among those of its HPA. While an endpoint is busy, queries with a lower priority number go first.
 * Default 0.
 */
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

/** Connects to a cluster. Connections, discovery and tokens outlive an invocation. Rejects with a Fault. */
export interface Clusters {
  connect(entry: ClusterEntry, signal: AbortSignal): Promise<Cluster>;
}
