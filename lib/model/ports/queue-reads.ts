import type { HpaKey } from "../hpa-key";
import type { IndexedQueues, QueueIndex } from "../stored/queue-index";
import type { Shard, ShardRange } from "../stored/state";

/** What a shard says of its index. */
export type IndexedShard = Pick<Shard, "cluster" | "from" | "to" | "version" | "index">;

/** An HPA's entry as it is in the table, with what finding its queues needs. Nothing in it is validated. */
export interface HpaMetrics {
  readonly key: HpaKey;
  /** With `spec.metrics` alone. */
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
  /** A shard's index; undefined: there is none that can be read. */
  index(shard: Pick<ShardRange, "cluster" | "from">, signal: AbortSignal): Promise<QueueIndex | undefined>;
  /** The entries of these HPAs that exist, in no particular order. */
  hpas(cluster: string, keys: readonly HpaKey[], signal: AbortSignal): Promise<readonly HpaMetrics[]>;
  /** The `spec` of these SOURCE entries, by their names. Those that do not exist are missing. */
  sources(cluster: string, names: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, unknown>>;
  /** The entries of a range, page by page in key order, as they are asked for. */
  pages(range: ShardRange, signal: AbortSignal): AsyncIterable<readonly HpaMetrics[]>;
}
