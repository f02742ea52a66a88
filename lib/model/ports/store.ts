import type { ClusterEntry, SourceEntry } from "../entry/entries";
import type { HpaKey } from "../hpa-key";
import type { EventLog, RecordedEvent } from "../stored/event-log";
import type { Idle, PollerLease } from "../stored/idle";
import type { QueueIndex } from "../stored/queue-index";
import type { Latest } from "../stored/latest";
import type { Shard, ShardRange } from "../stored/shard";
import type { DecisionRecord, State } from "../stored/state";

export type Entry<T> = { readonly key: string } & (
  { readonly value: T } | { readonly invalid: string; readonly missing?: true }
);

export interface ListedHpa {
  readonly key: HpaKey;
  readonly document: unknown;
}

export interface ShardContents {
  readonly cluster: Entry<ClusterEntry>;
  readonly sources: readonly Entry<SourceEntry>[];
  readonly hpas: readonly ListedHpa[];
  readonly states: Readonly<Record<string, State>>;
  /** By key. These items are never overwritten. */
  readonly brokenStates: Readonly<Record<string, string>>;
  /** In bytes. */
  readonly memory: number;
}

/** A later sync may start from these, as long as nobody changes them. */
export type LoadedHpas = Pick<ShardContents, "hpas" | "states" | "memory">;

/** `mayBeApplied`: the write may have been applied, and another written on top of it. */
export type Written =
  { readonly ok: true } | { readonly ok: false; readonly current: State | undefined; readonly mayBeApplied?: true };

/** Rejects with a Fault. */
export interface Store {
  clusters(signal: AbortSignal): Promise<readonly Entry<ClusterEntry>[]>;
  shards(signal: AbortSignal): Promise<readonly Shard[]>;
  /** In key order. */
  shardsOf(cluster: string, signal: AbortSignal): Promise<readonly Shard[]>;
  shard(range: Pick<ShardRange, "cluster" | "from">, signal: AbortSignal): Promise<Shard | undefined>;
  /** False if it exists. */
  createShard(shard: Shard, signal: AbortSignal): Promise<boolean>;
  /** Conditional on the version of `before`. `after` null deletes. */
  replaceShard(before: Shard, after: Shard | null, signal: AbortSignal): Promise<boolean>;
  /** With `known`, reads only the cluster's entry and its sources. */
  load(range: ShardRange, signal: AbortSignal, known?: LoadedHpas): Promise<ShardContents>;
  hpaKeys(range: ShardRange, signal: AbortSignal): Promise<readonly HpaKey[]>;
  document(cluster: string, key: HpaKey, signal: AbortSignal): Promise<unknown>;
  putState(cluster: string, key: HpaKey, state: State, signal: AbortSignal): Promise<Written>;
  /** Conditional on the version. */
  deleteState(cluster: string, key: HpaKey, version: number, signal: AbortSignal): Promise<boolean>;
  /** Also replaces the values of shards merged into it. Leaves out what does not fit, the largest first. */
  putLatest(shard: ShardRange, latest: Latest, signal: AbortSignal): Promise<void>;
  /** They may not match their states: withLatest. */
  latest(range: ShardRange, signal: AbortSignal): Promise<Latest>;
  /** Resolves to the HPAs that do not fit into an item. */
  putIdle(shard: ShardRange, idle: Idle, signal: AbortSignal): Promise<readonly HpaKey[]>;
  idle(range: ShardRange, signal: AbortSignal): Promise<Idle>;
  /** False: it does not fit, and nothing was written. */
  putIndex(shard: ShardRange, index: QueueIndex, signal: AbortSignal): Promise<boolean>;
  /** Read consistently. Undefined: no readable index. */
  index(shard: Pick<ShardRange, "cluster" | "from">, signal: AbortSignal): Promise<QueueIndex | undefined>;
  /** Read consistently. Unreadable states are missing. */
  states(cluster: string, keys: readonly HpaKey[], signal: AbortSignal): Promise<ReadonlyMap<HpaKey, State>>;
  /** An unreadable item counts as absent. */
  pollerLease(signal: AbortSignal): Promise<PollerLease | undefined>;
  /** Conditional on the version of `before`; undefined: no readable lease. */
  replacePollerLease(before: PollerLease | undefined, after: PollerLease, signal: AbortSignal): Promise<boolean>;
  putDecision(cluster: string, key: HpaKey, record: DecisionRecord, signal: AbortSignal): Promise<void>;
  /** For a deleted HPA. False: there may be more decisions. */
  deleteRecords(cluster: string, key: HpaKey, signal: AbortSignal): Promise<boolean>;
  /** The last hour's. HPAs without events may be missing. */
  events(range: ShardRange, signal: AbortSignal): Promise<readonly HpaEvents[]>;
  /** HPAs without any are missing. */
  eventLogs(cluster: string, keys: readonly HpaKey[], signal: AbortSignal): Promise<ReadonlyMap<HpaKey, DecodedEvents>>;
  /** Conditional on the version `before` (0: nothing is stored). */
  replaceEvents(
    hpa: { readonly cluster: string; readonly key: HpaKey },
    before: number,
    after: StoredEvents,
    signal: AbortSignal,
  ): Promise<{ readonly ok: true } | { readonly ok: false; readonly current: DecodedEvents | undefined }>;
}

export interface HpaEvents {
  readonly key: HpaKey;
  /** The latest last. */
  readonly events: readonly RecordedEvent[];
  readonly broken?: string;
}

export interface StoredEvents {
  readonly version: number;
  readonly log: EventLog;
}

export type DecodedEvents = { readonly value: StoredEvents } | { readonly broken: string };
