import type { EpochMs } from "../../k8s/time";

/** A SHARD item's knowledge of its INDEX item. docs/decisions/0079-the-index-of-a-shard.md */
export interface IndexRecord {
  /** Valid only for this version of the shard. */
  readonly version: number;
  /** Every writer since this version of the shard has kept the record. */
  readonly since: number;
  /** Absent: do not use the item. */
  readonly mark?: IndexRef;
  /** Queues of HPAs that changed since. They are looked up among the entries. */
  readonly lacks?: readonly MissingQueue[];
}

/**
 * The queue's hash; a hash of queue and HPA key, since the index may name the queue for other HPAs only; and the end of
 * the slot in which it was found.
 */
export type MissingQueue = readonly [queue: number, pair: number, until: EpochMs];

export interface IndexRef {
  readonly hash: string;
  /** Hash of the range that the item covers. */
  readonly range: number;
  /** The slot that wrote the item. */
  readonly at: EpochMs;
}
