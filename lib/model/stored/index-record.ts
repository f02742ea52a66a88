import type { EpochMs } from "../../k8s/time";

/** A SHARD item's record of its INDEX item. docs/decisions/0079-the-index-of-a-shard.md */
export interface IndexRecord {
  /** Valid only for this version of the shard. */
  readonly version: number;
  /** Every writer since this version has kept the record. */
  readonly since: number;
  /** Absent: do not use the item. */
  readonly mark?: IndexRef;
  /** Queues of HPAs that changed since: looked up among the entries. */
  readonly lacks?: readonly MissingQueue[];
}

/**
 * Hashes of the queue, and of queue and HPA key, since the index may name the queue for others only; and the end of the
 * slot that found it.
 */
export type MissingQueue = readonly [queue: number, pair: number, until: EpochMs];

export interface IndexRef {
  readonly hash: string;
  readonly range: number;
  readonly at: EpochMs;
}
