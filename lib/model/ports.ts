import type { HpaKey } from "./hpa-key";
import type { Idle, WatchLease } from "./idle";
import type { Latest } from "./latest";
import type { ClusterEntry, SourceEntry } from "./entry/entries";
import type { CrossVersionObjectReference, MetricIdentifier } from "../k8s/hpa";
import type { ExternalMetricValue, MetricResponse, MetricValue, PodMetrics, Pod, Scale } from "../k8s/objects";
import type { EventLog, RecordedEvent } from "./event-log";
import type { EpochMs } from "../k8s/time";
import type { FailureLine, ScaledLine, SyncCounts, TickCounts } from "./report";
import type { Right } from "./right";
import type { DecisionRecord, Places, Shard, ShardRange, State } from "./state";
import type { QueueMessage } from "./messages";

/** The object that is scaled. Found by group and kind. As upstream, ebb ignores the version in apiVersion. */
export interface Target extends CrossVersionObjectReference {
  readonly namespace: string;
}

/** A target as the cluster showed it. */
export interface SeenTarget extends Target {
  readonly uid: string;
  readonly resourceVersion?: string;
}

/** Targets whose scales are read at the same time, so that one request may read many. */
export interface ScaleTurn {
  readonly targets: readonly Target[];
}

/**
 * One target cluster. Every call is bounded by `signal` and by its own timeout. It rejects with a Fault whose message
 * can be shown as it is (the API server's own words, if it gave any).
 */
export interface Cluster {
  /**
   * As it is stored at the time of the call; with `turn`, at the time of the turn's first call or later. All calls of a
   * turn have one signal.
   */
  getScale(target: Target, signal: AbortSignal, turn?: ScaleTurn): Promise<Scale>;
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
  recordEvent(target: SeenTarget, event: RecordedEvent, signal: AbortSignal): Promise<void>;
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

export interface ServiceRequest extends ServicePort, Ranked {
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

export interface ServiceStreamRequest extends Omit<ServicePort, "scheme">, Ranked {
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

/** A query's place among those of its HPA. While an endpoint is busy, queries of lower rank go first. Default 0. */
interface Ranked {
  readonly rank?: number;
}

export interface PodsMetricQuery extends Ranked {
  readonly namespace: string;
  readonly metric: MetricIdentifier;
  readonly selector: string;
}

export interface ObjectMetricQuery extends Ranked {
  readonly namespace: string;
  readonly metric: MetricIdentifier;
  readonly describedObject: CrossVersionObjectReference;
}

export interface ExternalMetricQuery extends Ranked {
  readonly namespace: string;
  readonly metric: MetricIdentifier;
}

/** Connects to a cluster. Connections, discovery and tokens outlive an invocation. Rejects with a Fault. */
export interface Clusters {
  connect(entry: ClusterEntry, signal: AbortSignal): Promise<Cluster>;
}

/**
 * What to read. The labels of the metric's selector override the parameters of the source's entry. Labels are text; an
 * entry's parameters are any JSON.
 */
export interface SourceQuery extends Ranked {
  /** The HPA that asks, or the first of those that do: what its queries cost beyond an answer is its own delay. */
  readonly asker?: string;
  readonly metricName: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** What its operands read, by name, for a kind that is made of other sources. */
  readonly operands?: Readonly<Record<string, SourceReading>>;
  /** Those of the last reading that had some. */
  readonly places?: Places;
}

/** A source's answer to a query: values, or the reason why it has no values. */
export type SourceReading = MetricResponse<ExternalMetricValue> & {
  /** What the next reading must know. The table keeps it, so it is the same for a new process. */
  readonly places?: Places;
  /** The request was beyond the service's rate. Nothing was read, so it is due again with the next slot. */
  readonly isThrottled?: boolean;
};

/** A kind of metric source outside the cluster ("sqs", "cloudwatch"). */
export interface MetricSource {
  /** How long a reading is kept before the query may be asked again, in ms. 0: ask in every slot. */
  keepMs(query: SourceQuery): number;
  /** Starts the reads of one turn. Queries that result in the same request share it. */
  open(turn: SourceTurn): SourceReader;
}

export interface SourceTurn {
  readonly now: EpochMs;
  readonly signal: AbortSignal;
  readonly cluster: AskingCluster;
}

/** The cluster whose HPAs ask. */
export interface AskingCluster {
  /** Its sources use only secrets that are named for it. */
  readonly name: string;
  /** Rejects with a Fault. */
  readonly api: () => Promise<Cluster>;
}

export interface SourceReader {
  /** Resolves when this query's own request is answered. Never rejects: a failure is `{error}`. */
  read(query: SourceQuery): Promise<SourceReading>;
}

/** By kind. */
export type MetricSources = Readonly<Record<string, KnownSource>>;

export interface KnownSource extends MetricSource {
  /** An External metric that has the kind's name is read from here without a SOURCE entry. */
  readonly isBuiltIn: boolean;
  /** Its values may be off for a moment, so that zero needs a second reading. */
  readonly isApproximate?: boolean;
  /** What a query is made of, for a kind that is calculated from other sources. Throws a Fault "badEntry". */
  readonly operands?: (query: SourceQuery) => readonly Operand[];
  /** What a query with these parameters needs from its cluster. */
  readonly rights?: (parameters: SourceQuery["parameters"]) => readonly Right[];
}

/** A metric that another one is made of: its name there, and how an External metric would name it. */
export interface Operand {
  readonly name: string;
  readonly metric: MetricIdentifier;
}

/** An item that a user wrote: usable, or why it is not (naming the field). */
export type Entry<T> = { readonly key: string } & ({ readonly value: T } | { readonly invalid: string });

/** An HPA's entry as the table has it. Not validated yet. */
export interface ListedHpa {
  readonly key: HpaKey;
  readonly document: unknown;
}

/** Everything that one sync of a shard starts from. */
export interface ShardContents {
  readonly cluster: Entry<ClusterEntry>;
  readonly sources: readonly Entry<SourceEntry>[];
  /** HPA documents as they are in the table, by "namespace/name". Not validated yet. */
  readonly hpas: readonly ListedHpa[];
  readonly states: Readonly<Record<string, State>>;
  /** Why STATE items cannot be read, by key. These items are never overwritten. */
  readonly brokenStates: Readonly<Record<string, string>>;
  /** What the HPAs and states take in this process, in bytes. */
  readonly memory: number;
}

/** What a later sync of the range may start from, as long as nobody changes it. */
export type LoadedHpas = Pick<ShardContents, "hpas" | "states" | "memory">;

export type Written = { readonly ok: true } | { readonly ok: false; readonly current: State | undefined };

/** The table. Rejects with a Fault. */
export interface Store {
  clusters(signal: AbortSignal): Promise<readonly Entry<ClusterEntry>[]>;
  shards(signal: AbortSignal): Promise<readonly Shard[]>;
  /** The shards of one cluster, in key order. */
  shardsOf(cluster: string, signal: AbortSignal): Promise<readonly Shard[]>;
  shard(range: Pick<ShardRange, "cluster" | "from">, signal: AbortSignal): Promise<Shard | undefined>;
  /** Creates the shard. False when one with its key exists. */
  createShard(shard: Shard, signal: AbortSignal): Promise<boolean>;
  /** Conditional on the version of `before`. False when another writer was first. `after` null deletes the shard. */
  replaceShard(before: Shard, after: Shard | null, signal: AbortSignal): Promise<boolean>;
  /** With `known`, reads what may have changed beside it: the cluster's entry and its sources. */
  load(range: ShardRange, signal: AbortSignal, known?: LoadedHpas): Promise<ShardContents>;
  /** Of the range's HPAs, in order, without what their entries hold. */
  hpaKeys(range: ShardRange, signal: AbortSignal): Promise<readonly HpaKey[]>;
  /** The current HPA document; undefined when it is gone. */
  document(cluster: string, key: HpaKey, signal: AbortSignal): Promise<unknown>;
  /**
   * Conditional on the stored version being `state.version - 1`. A conflict with the caller's own lost write counts as
   * written.
   */
  putState(cluster: string, key: HpaKey, state: State, signal: AbortSignal): Promise<Written>;
  /** Conditional on the version. False when the version has changed. */
  deleteState(cluster: string, key: HpaKey, version: number, signal: AbortSignal): Promise<boolean>;
  /**
   * Replaces what the HPAs of a shard show, also by shards that were merged into it. What does not fit into an item is
   * left out, the largest first: those HPAs show their states.
   */
  putLatest(shard: ShardRange, latest: Latest, signal: AbortSignal): Promise<void>;
  /** What the HPAs of a range show beyond their states. One that does not fit its state is outdated: latest.ts */
  latest(range: ShardRange, signal: AbortSignal): Promise<Latest>;
  /** Replaces the watched HPAs of a shard, as putLatest does. */
  putIdle(shard: ShardRange, idle: Idle, signal: AbortSignal): Promise<void>;
  /** The watched HPAs of a range, as its shards wrote them last. */
  idle(range: ShardRange, signal: AbortSignal): Promise<Idle>;
  /** The states of these HPAs, read consistently. Those that cannot be read are missing. */
  states(cluster: string, keys: readonly HpaKey[], signal: AbortSignal): Promise<ReadonlyMap<HpaKey, State>>;
  /** An item that cannot be read is as none. */
  watchLease(signal: AbortSignal): Promise<WatchLease | undefined>;
  /**
   * Conditional on the version of `before`; undefined: there was no lease that can be read. False when another writer
   * was first.
   */
  replaceWatchLease(before: WatchLease | undefined, after: WatchLease, signal: AbortSignal): Promise<boolean>;
  putDecision(cluster: string, key: HpaKey, record: DecisionRecord, signal: AbortSignal): Promise<void>;
  /** Deletes the events of a deleted HPA, and its latest decisions. False: there may be more decisions. */
  deleteRecords(cluster: string, key: HpaKey, signal: AbortSignal): Promise<boolean>;
  /** The last hour's events of the HPAs in a range, by key. HPAs without events may be missing. */
  events(range: ShardRange, signal: AbortSignal): Promise<readonly HpaEvents[]>;
  /** The stored events of these HPAs. HPAs without stored events are missing. */
  eventLogs(cluster: string, keys: readonly HpaKey[], signal: AbortSignal): Promise<ReadonlyMap<HpaKey, DecodedEvents>>;
  /** Conditional on the stored version being `before` (0: nothing is stored). */
  replaceEvents(
    hpa: { readonly cluster: string; readonly key: HpaKey },
    before: number,
    after: StoredEvents,
    signal: AbortSignal,
  ): Promise<{ readonly ok: true } | { readonly ok: false; readonly current: DecodedEvents | undefined }>;
}

export interface HpaEvents {
  readonly key: HpaKey;
  /** Ordered by their last occurrence, latest last. */
  readonly events: readonly RecordedEvent[];
  /** Why the item cannot be read. If set, `events` is empty. */
  readonly broken?: string;
}

export interface StoredEvents {
  /** Grows with each write. */
  readonly version: number;
  readonly log: EventLog;
}

/** The stored events of an HPA, or why they cannot be read. */
export type DecodedEvents = { readonly value: StoredEvents } | { readonly broken: string };

/**
 * Where ticks send slots and table changes send wakes: SQS, or a queue in this process. Rejects with a Fault if any
 * message was not accepted.
 */
export interface SlotQueue {
  /** `delaySeconds`: whole seconds, 0 to 900. */
  send(
    messages: readonly { readonly message: QueueMessage; readonly delaySeconds: number }[],
    signal: AbortSignal,
  ): Promise<void>;
}

/**
 * What people and dashboards see: one line for each scaling and each new failure, and counts for each sync. What stays
 * the same gets no line.
 */
export interface Reporter {
  scaled(line: ScaledLine): void;
  /** Reports a failure that is new or changed. Without `key`, it is the shard's failure. */
  failed(line: FailureLine): void;
  recovered(line: Pick<FailureLine, "cluster" | "key">): void;
  synced(counts: SyncCounts): void;
  ticked(counts: TickCounts): void;
}
