import type { ClusterEntry, SourceEntry } from "../entry/entries";
import type { HpaKey } from "../hpa-key";
import type { EventLog, RecordedEvent } from "../stored/event-log";
import type { Idle, PollerLease } from "../stored/idle";
import type { QueueIndex } from "../stored/queue-index";
import type { Latest } from "../stored/latest";
import type { DecisionRecord, Shard, ShardRange, State } from "../stored/state";

/** An item that a user wrote: usable, or why it is not (naming the field). `missing`: there is none. */
export type Entry<T> = { readonly key: string } & (
  { readonly value: T } | { readonly invalid: string; readonly missing?: true }
);

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
  /** Replaces the index of a shard, as putLatest does. False: it does not fit, and nothing was written. */
  putIndex(shard: ShardRange, index: QueueIndex, signal: AbortSignal): Promise<boolean>;
  /** The shard's index, read consistently; undefined: there is none that can be read. */
  index(shard: Pick<ShardRange, "cluster" | "from">, signal: AbortSignal): Promise<QueueIndex | undefined>;
  /** The states of these HPAs, read consistently. Those that cannot be read are missing. */
  states(cluster: string, keys: readonly HpaKey[], signal: AbortSignal): Promise<ReadonlyMap<HpaKey, State>>;
  /** An item that cannot be read is as none. */
  pollerLease(signal: AbortSignal): Promise<PollerLease | undefined>;
  /**
   * Conditional on the version of `before`; undefined: there was no lease that can be read. False when another writer
   * was first.
   */
  replacePollerLease(before: PollerLease | undefined, after: PollerLease, signal: AbortSignal): Promise<boolean>;
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
