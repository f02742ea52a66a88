import type { HpaKey } from "../hpa-key";
import type { IndexedQueues } from "../stored/queue-index";
import type { Shard, ShardRange } from "../stored/shard";

export type IndexedShard = Pick<Shard, "cluster" | "from" | "to" | "version" | "index">;

/** Not validated. */
export interface HpaMetrics {
  readonly key: HpaKey;
  /** Only names and queue labels of `spec.metrics`. */
  readonly document: unknown;
  readonly bytes: number;
}

/** Reads are consistent, unless noted, and reject with a Fault. */
export interface QueueReads {
  /** From an index that lags a little. */
  clusters(signal: AbortSignal): Promise<readonly string[]>;
  /** Unreadable shards are missing. */
  shards(cluster: string | undefined, signal: AbortSignal): Promise<readonly IndexedShard[]>;
  indexes(cluster: string, signal: AbortSignal): AsyncIterable<IndexedQueues & { readonly from: string }>;
  /** By `from`. Missing: unreadable, or another hash than the shard's. */
  indexed(
    cluster: string,
    requested: readonly IndexRequest[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, IndexedKeys>>;
  /** In no order, without missing entries and those too large to sync. */
  hpas(cluster: string, keys: readonly HpaKey[], signal: AbortSignal): Promise<readonly HpaMetrics[]>;
  /** The `spec` by name. */
  sources(cluster: string, names: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, unknown>>;
  sourcesNaming(
    cluster: string,
    queues: readonly string[],
    signal: AbortSignal,
  ): AsyncIterable<ReadonlyMap<string, unknown>>;
  candidates(range: ShardRange, requested: QueueRequest, signal: AbortSignal): AsyncIterable<readonly HpaKey[]>;
}

export interface IndexRequest {
  readonly from: string;
  readonly hash: string;
  readonly hashes: readonly number[];
}

export interface IndexedKeys {
  /** They read a queue or prefix with one of the hashes. */
  readonly named: readonly HpaKey[];
  /** They read too many queues to name. */
  readonly more: readonly HpaKey[];
}

export interface QueueRequest {
  readonly queues: readonly string[];
  /** Undefined: too many, so all metrics count. */
  readonly sources: readonly string[] | undefined;
}

export const mostRequestedQueues = 8;
export const mostRequestedSources = 32;
