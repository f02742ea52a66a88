import type { HpaKey } from "../hpa-key";
import type { IndexedQueues } from "../stored/queue-index";
import type { Shard, ShardRange } from "../stored/state";

/** What a shard says of its index. */
export type IndexedShard = Pick<Shard, "cluster" | "from" | "to" | "version" | "index">;

/** An HPA's entry as it is in the table, with what finding its queues needs. Nothing in it is validated. */
export interface HpaMetrics {
  readonly key: HpaKey;
  /** With the names and the queue labels of `spec.metrics` alone. */
  readonly document: unknown;
}

/** The table, as a wake looks for the HPAs that read a queue. Every read is consistent, and rejects with a Fault. */
export interface QueueReads {
  /** The names of the clusters that have an entry, from an index that lags a little. */
  clusters(signal: AbortSignal): Promise<readonly string[]>;
  /** Of one cluster, or of all. Those that cannot be read are missing. */
  shards(cluster: string | undefined, signal: AbortSignal): Promise<readonly IndexedShard[]>;
  /** What the cluster's indexes name, one after another. */
  indexes(cluster: string, signal: AbortSignal): AsyncIterable<IndexedQueues & { readonly from: string }>;
  /**
   * What the indexes of these shards name for the hashes, by `from` of the shard. Those that cannot be read, or have
   * another hash than the shard says, are missing.
   */
  indexed(
    cluster: string,
    requested: readonly IndexRequest[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, IndexedKeys>>;
  /** The entries of these HPAs that exist, in no particular order, without those that are too large to be synced. */
  hpas(cluster: string, keys: readonly HpaKey[], signal: AbortSignal): Promise<readonly HpaMetrics[]>;
  /** The `spec` of these SOURCE entries, by their names. Those that do not exist are missing. */
  sources(cluster: string, names: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, unknown>>;
  /** The SOURCE entries that may name one of the queues, page by page: `spec` by name. */
  sourcesNaming(
    cluster: string,
    queues: readonly string[],
    signal: AbortSignal,
  ): AsyncIterable<ReadonlyMap<string, unknown>>;
  /** The HPAs of a range whose entries may read one of the queues, page by page in key order. */
  candidates(range: ShardRange, requested: QueueRequest, signal: AbortSignal): AsyncIterable<readonly HpaKey[]>;
}

/** A shard's index, and the hashes that are looked for. */
export interface IndexRequest {
  readonly from: string;
  /** Of the index that the shard means. */
  readonly hash: string;
  readonly hashes: readonly number[];
}

/** The HPAs of an index that may read a queue. */
export interface IndexedKeys {
  /** They read a queue or a prefix with one of the hashes. */
  readonly named: readonly HpaKey[];
  /** They read too many queues to name. */
  readonly more: readonly HpaKey[];
}

/** At most `mostAskedQueues`. */
export interface QueueRequest {
  readonly queues: readonly string[];
  /** The SOURCE entries that name one of them; undefined: so many that all metrics count. */
  readonly sources: readonly string[] | undefined;
}

/** A reader that looks for more asks several times. */
export const mostRequestedQueues = 8;
/** Beyond this, all metrics count. */
export const mostRequestedSources = 32;
