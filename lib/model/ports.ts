import type { ClusterEntry, SourceEntry } from "./entries";
import type { CrossVersionObjectReference, MetricIdentifier } from "../k8s/hpa";
import type { ExternalMetricValue, MetricResponse, MetricValue, PodMetrics, Pod, Scale } from "../k8s/objects";
import type { EventLog, RecordedEvent } from "./event-log";
import type { EpochMs } from "../k8s/time";
import type { FailureLine, ScaledLine, SyncCounts, TickCounts } from "./report";
import type { DecisionRecord, Shard, ShardRange, State } from "./state";
import type { QueueMessage } from "./messages";

/** The object whose scale is read and written. Found by group and kind; the version in apiVersion is ignored, as upstream does. */
export interface Target extends CrossVersionObjectReference {
  readonly namespace: string;
}

/** A target as it was seen. */
export interface SeenTarget extends Target {
  readonly uid: string;
  readonly resourceVersion?: string;
}

/**
 * One target cluster. Every call is bounded by `signal` and by a timeout of its own, and rejects with a Fault whose message can
 * be shown as it is (the API server's own words where it gave any).
 */
export interface Cluster {
  getScale(target: Target, signal: AbortSignal): Promise<Scale>;
  /** Conditional on scale.metadata.resourceVersion; Fault "conflict" when it moved, "lost" when the answer never came. */
  putScale(target: Target, scale: Scale, signal: AbortSignal): Promise<Scale>;
  /** `selector` in string form; "" is all pods of the namespace. */
  listPods(namespace: string, selector: string, signal: AbortSignal): Promise<readonly Pod[]>;
  podMetrics(namespace: string, selector: string, signal: AbortSignal): Promise<readonly PodMetrics[]>;
  podsMetric(query: PodsMetricQuery, signal: AbortSignal): Promise<readonly MetricValue[]>;
  objectMetric(query: ObjectMetricQuery, signal: AbortSignal): Promise<readonly MetricValue[]>;
  externalMetric(query: ExternalMetricQuery, signal: AbortSignal): Promise<readonly ExternalMetricValue[]>;
  /** Shows an event of the target's HPA on the target, as a core/v1 Event; Fault "forbidden" where that is not granted. */
  recordEvent(target: SeenTarget, event: RecordedEvent, signal: AbortSignal): Promise<void>;
}

export interface PodsMetricQuery {
  readonly namespace: string;
  readonly metric: MetricIdentifier;
  readonly selector: string;
}

export interface ObjectMetricQuery {
  readonly namespace: string;
  readonly metric: MetricIdentifier;
  readonly describedObject: CrossVersionObjectReference;
}

export interface ExternalMetricQuery {
  readonly namespace: string;
  readonly metric: MetricIdentifier;
}

/** Gives the connection to a cluster; connections, discovery and tokens outlive an invocation. Rejects with a Fault. */
export interface Clusters {
  connect(entry: ClusterEntry, signal: AbortSignal): Promise<Cluster>;
}

/**
 * What to read: a source's parameters, its entry's, overridden by the metric's selector labels. Labels are text; an entry holds anything that
 * JSON has.
 */
export interface SourceQuery {
  readonly metricName: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** What a source says of a query: values, or why there are none. */
export type SourceReading = MetricResponse<ExternalMetricValue>;

/** A kind of metric source outside the cluster ("sqs", "cloudwatch"). */
export interface MetricSource {
  /** How long a reading must be kept before this query may be asked again, in ms; 0: ask every slot. */
  keepMs(query: SourceQuery): number;
  /** Begins the reads of one turn. Queries of a turn that come to the same request share it. */
  open(turn: { readonly now: EpochMs; readonly signal: AbortSignal }): SourceReader;
}

export interface SourceReader {
  /** Resolves as soon as this query's own request is answered; never rejects: what failed is `{error}`. */
  read(query: SourceQuery): Promise<SourceReading>;
}

/** By kind. */
export type MetricSources = Readonly<Record<string, MetricSource>>;

/** An item that a user wrote: usable, or why not (naming the field). */
export type Entry<T> = { readonly key: string } & ({ readonly value: T } | { readonly invalid: string });

/** Everything that one sync of a shard starts from. */
export interface ShardContents {
  readonly cluster: Entry<ClusterEntry>;
  readonly sources: readonly Entry<SourceEntry>[];
  /** HPA documents as they stand in the table, by "namespace/name"; not yet validated. */
  readonly hpas: readonly { readonly key: string; readonly document: unknown }[];
  readonly states: Readonly<Record<string, State>>;
  /** STATE items that cannot be read, by key. They are never overwritten. */
  readonly brokenStates: Readonly<Record<string, string>>;
}

export type Written = { readonly ok: true } | { readonly ok: false; readonly current: State | undefined };

/** The table. Rejects with a Fault. */
export interface Store {
  clusters(signal: AbortSignal): Promise<readonly Entry<ClusterEntry>[]>;
  shards(signal: AbortSignal): Promise<readonly Shard[]>;
  /** The shards of one cluster, in key order. */
  shardsOf(cluster: string, signal: AbortSignal): Promise<readonly Shard[]>;
  shard(range: Pick<ShardRange, "cluster" | "from">, signal: AbortSignal): Promise<Shard | undefined>;
  /** Creates the shard unless one with its key stands. */
  createShard(shard: Shard, signal: AbortSignal): Promise<boolean>;
  /** Conditional on the version of `before`; false when somebody else wrote first. `after` null deletes it. */
  replaceShard(before: Shard, after: Shard | null, signal: AbortSignal): Promise<boolean>;
  load(range: ShardRange, signal: AbortSignal): Promise<ShardContents>;
  /** The HPA document as it stands now; undefined when it is gone. */
  document(cluster: string, key: string, signal: AbortSignal): Promise<unknown>;
  /** Conditional on `state.version - 1` standing in the table. A conflict with one's own lost write counts as written. */
  putState(cluster: string, key: string, state: State, signal: AbortSignal): Promise<Written>;
  /** Conditional on the version; false when it has moved on. */
  deleteState(cluster: string, key: string, version: number, signal: AbortSignal): Promise<boolean>;
  putDecision(cluster: string, key: string, record: DecisionRecord, signal: AbortSignal): Promise<void>;
  /** Deletes the events of an HPA that is gone, and its latest decisions; false: there may be more of them. */
  deleteRecords(cluster: string, key: string, signal: AbortSignal): Promise<boolean>;
  /** The events of the last hour of the HPAs in a range, by key; those without any may be missing. */
  events(range: ShardRange, signal: AbortSignal): Promise<readonly HpaEvents[]>;
  /** What stands of these HPAs' events; those of which nothing does are missing. */
  eventLogs(
    cluster: string,
    keys: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, StandingEvents>>;
  /** Conditional on the version `before` standing (0: nothing). */
  replaceEvents(
    hpa: { readonly cluster: string; readonly key: string },
    before: number,
    after: StoredEvents,
    signal: AbortSignal,
  ): Promise<{ readonly ok: true } | { readonly ok: false; readonly current: StandingEvents | undefined }>;
}

export interface HpaEvents {
  readonly key: string;
  /** By the moment of their last occurrence, latest last. */
  readonly events: readonly RecordedEvent[];
  /** Why the item cannot be read; then there are no events. */
  readonly broken?: string;
}

export interface StoredEvents {
  /** Grows with each write. */
  readonly version: number;
  readonly log: EventLog;
}

/** What stands of an HPA's events, or why it cannot be read. */
export type StandingEvents = { readonly value: StoredEvents } | { readonly broken: string };

/** Where ticks put slots and wakes their messages: SQS, or a queue in this process. Rejects with a Fault when any message was not accepted. */
export interface SlotQueue {
  /** `delaySeconds`: whole seconds, 0 to 900. */
  send(
    messages: readonly { readonly message: QueueMessage; readonly delaySeconds: number }[],
    signal: AbortSignal,
  ): Promise<void>;
}

/** What people and dashboards hear: one line for each scaling and each new failure, none for what stayed; counts for each sync. */
export interface Reporter {
  scaled(line: ScaledLine): void;
  /** Called when an HPA's failure (or a shard's, then without `key`) is new or says something new. */
  failed(line: FailureLine): void;
  recovered(line: Pick<FailureLine, "cluster" | "key">): void;
  synced(counts: SyncCounts): void;
  ticked(counts: TickCounts): void;
}
