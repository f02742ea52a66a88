import type { HpaKey } from "../hpa-key";
import type { IndexedQueues } from "../stored/queue-index";
import type { Shard, ShardRange } from "../stored/state";

export type IndexedShard = Pick<Shard, "cluster" | "from" | "to" | "version" | "index">;

/** Not validated. */
export interface HpaMetrics {
  readonly key: HpaKey;
  /** Has only the names and queue labels of `spec.metrics`. */
  readonly document: unknown;
}

/** Finds the HPAs that read a queue. Reads are consistent, unless noted, and reject with a Fault. */
export interface QueueReads {
  /** From an index that lags a little. */
  clusters(signal: AbortSignal): Promise<readonly string[]>;
  /** Undefined: of all clusters. Unreadable shards are missing. */
  shards(cluster: string | undefined, signal: AbortSignal): Promise<readonly IndexedShard[]>;
  /** Yields one index after another. */
  indexes(cluster: string, signal: AbortSignal): AsyncIterable<IndexedQueues & { readonly from: string }>;
  /** By `from` of the shard. Indexes that are unreadable, or have another hash than the shard says, are missing. */
  indexed(
    cluster: string,
    requested: readonly IndexRequest[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, IndexedKeys>>;
  /** In no particular order, without missing entries and those too large to sync. */
  hpas(cluster: string, keys: readonly HpaKey[], signal: AbortSignal): Promise<readonly HpaMetrics[]>;
  /** The `spec` by name. Missing entries are left out. */
  sources(cluster: string, names: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, unknown>>;
  /** The `spec` by name of SOURCE entries that may name one of the queues. */
  sourcesNaming(
    cluster: string,
    queues: readonly string[],
    signal: AbortSignal,
  ): AsyncIterable<ReadonlyMap<string, unknown>>;
  /** HPAs whose entries may read one of the queues, in key order. */
  candidates(range: ShardRange, requested: QueueRequest, signal: AbortSignal): AsyncIterable<readonly HpaKey[]>;
}

export interface IndexRequest {
  readonly from: string;
  /** The index's hash, according to its shard. */
  readonly hash: string;
  readonly hashes: readonly number[];
}

export interface IndexedKeys {
  /** HPAs that read a queue or prefix with one of the hashes. */
  readonly named: readonly HpaKey[];
  /** HPAs that read too many queues to name. */
  readonly more: readonly HpaKey[];
}

/** At most `mostRequestedQueues`. */
export interface QueueRequest {
  readonly queues: readonly string[];
  /** SOURCE entries that name one of the queues; undefined: too many, so all metrics count. */
  readonly sources: readonly string[] | undefined;
}

export const mostRequestedQueues = 8;
export const mostRequestedSources = 32;
