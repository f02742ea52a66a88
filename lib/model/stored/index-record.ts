import type { EpochMs } from "../../k8s/time";

/** What a SHARD item says of its INDEX item. docs/decisions/0079-the-index-of-a-shard.md */
export interface IndexRecord {
  /** The shard's version that this was written with. It says nothing about another version. */
  readonly version: number;
  /** Every writer since this version of the shard has kept the record. */
  readonly since: number;
  /** Absent: the item must not be used. */
  readonly mark?: IndexRef;
  /** What HPAs read that changed since. These queues are looked for among the entries. */
  readonly lacks?: readonly MissingQueue[];
}

/**
 * The hash of a queue; a hash of it with the HPA's key, since an index may name the queue for others alone; and the end
 * of the slot in which it was found.
 */
export type MissingQueue = readonly [queue: number, pair: number, until: EpochMs];

export interface IndexRef {
  readonly hash: string;
  /** A hash of the range that it is about. */
  readonly range: number;
  /** The slot that wrote the item. */
  readonly at: EpochMs;
}
