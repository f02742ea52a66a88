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

export interface ScaleBatch {
  readonly targets: readonly Target[];
}

/** Calls are bounded by `signal` and their own timeouts, and reject with a Fault whose message can be shown. */
export interface Cluster {
  /** As stored during the call or, with `batch`, since its first call. A batch has one signal. */
  getScale(target: Target, signal: AbortSignal, batch?: ScaleBatch): Promise<Scale>;
  /** Conditional on the resourceVersion. Fault "conflict" when it changed, "lost" when no answer came. */
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
  connectService(request: ServiceStreamRequest, signal: AbortSignal): Promise<ServiceStream>;
  recordEvent(target: ObservedTarget, event: RecordedEvent, signal: AbortSignal): Promise<void>;
  listWorkers(query: WorkerQuery, signal: AbortSignal): Promise<WorkerPods>;
  /** Conditional on the pod's resourceVersion. */
  setDeletionCost(cost: DeletionCost, signal: AbortSignal): Promise<void>;
  getPod(request: PodRequest, signal: AbortSignal): Promise<ServiceAnswer>;
}

export interface WorkerQuery {
  readonly namespace: string;
  readonly selector: string;
  readonly annotation?: string;
}

export interface WorkerPods {
  readonly pods: readonly WorkerPod[];
  readonly unreadable: number;
}

export interface WorkerPod {
  readonly name: string;
  readonly resourceVersion: string;
  readonly phase?: string;
  readonly isReady: boolean;
  readonly isEnding: boolean;
  /** Or another controller. */
  readonly replicaSet?: string;
  /** The beginning of the query's annotation. */
  readonly mark?: string;
  readonly cost?: number;
  readonly isOwnCost?: boolean;
}

export interface DeletionCost {
  readonly namespace: string;
  readonly pod: Pick<WorkerPod, "name" | "resourceVersion">;
  /** null: none. */
  readonly cost: number | null;
  /** False: it is too late to send it. */
  readonly mayStart: () => boolean;
}

export interface PodRequest {
  readonly namespace: string;
  /** Kind and name of the HPA's target. */
  readonly workload: string;
  readonly pod: string;
  readonly port: number;
  readonly path: string;
  readonly maxBytes: number;
}

export interface ObjectReference {
  readonly apiVersion: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

export interface ServicePort {
  readonly namespace: string;
  readonly service: string;
  readonly port: number | string;
  /** The API server does not check its certificate. */
  readonly scheme: "http" | "https";
}

export interface ServiceRequest extends ServicePort, Prioritized {
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
  /** The pod that must answer. */
  readonly member?: ServiceMember;
}

/** As it advertises itself: `kafka-0.brokers.shop.svc`, or a pod's IP. */
export interface ServiceMember {
  readonly host: string;
  readonly port: number;
}

/** No half-closed state: ending it closes it. */
export interface ServiceStream extends NodeJS.ReadWriteStream {
  readonly bytesRead: number;
  readonly destroyed: boolean;
  destroy(error?: Error): this;
  ref(): this;
  unref(): this;
}

/** On a busy endpoint, the lowest number goes first. Default 0. */
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

/** Rejects with a Fault. */
export interface Clusters {
  connect(entry: ClusterEntry, signal: AbortSignal): Promise<Cluster>;
}
