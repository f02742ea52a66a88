import type { HpaStatus } from "../../k8s/hpa";
import type { ExternalMetricValue, MetricResponse } from "../../k8s/objects";
import type { History, HpaEvent } from "../situation";
import type { EpochMs } from "../../k8s/time";
import type { Activity } from "../activity";
import type { IdleRef } from "./idle";
import type { MetricMemory } from "../metric/metric-rules";
import type { Step } from "../step";

export interface State {
  /** Grows by one with each write: version.ts */
  readonly version: number;
  /** The slot of the last write. A slot has at most one effect on a target. */
  readonly slot: EpochMs;
  /** The wake that wrote last, unless a slot has written since. */
  readonly wake?: Wake;
  /** Open intents are for this object only. */
  readonly targetUid?: string;
  readonly status: HpaStatus;
  /** null: never synced. */
  readonly history: History | null;
  /** True: each heartbeat of the shard observes the last span again. */
  readonly open: boolean;
  /** `at` of the decision that closed a span which another run may have observed: last-observed.ts */
  readonly closedAt?: EpochMs;
  /** A scale write that may have happened. The next sync settles it. */
  readonly intent?: Intent;
  /**
   * Intents that were replaced while their writes could still be applied. At most one is: all have one resourceVersion.
   * The latest is first; of equal sizes, only the oldest is kept.
   */
  readonly earlier?: readonly Intent[];
  /** More such intents. docs/decisions/0080-many-open-intents.md */
  readonly earlierSizes?: IntentSizes;
  /** The target's resourceVersion at the last zero that ebb ended: docs/decisions/0081-a-cluster-that-is-put-back.md */
  readonly lastZero?: string;
  /** As last seen, for overlapping selectors. */
  readonly selector?: string;
  /** Later numbers: latest.ts */
  readonly decision?: Explained;
  /** The last DECISION item. */
  readonly recorded?: Recorded;
  readonly sparedSince?: EpochMs;
  /** Pods may have deletion costs that ebb set. */
  readonly deletionCosts?: true;
  /** Only new ones are reported. */
  readonly warnings?: readonly HpaEvent[];
  /** The first of the syncs in a row with warnings. */
  readonly failingSince?: EpochMs;
  /** By query. */
  readonly readings?: Readonly<Record<string, CachedReading>>;
  /** By metric. docs/decisions/0042-rules-of-a-metric.md */
  readonly memory?: Readonly<Record<string, MetricMemory>>;
  /** With `ebb.dev/zero`. docs/decisions/0090-zero-by-activity.md */
  readonly activity?: Activity;
  /** The own period at the last sync; absent: the cluster's. */
  readonly syncPeriodSeconds?: number;
  /** A rule waits for the next slot's reading, whatever the period. */
  readonly confirming?: true;
}

export interface Explained {
  readonly at: EpochMs;
  /** null: the scale was not read. */
  readonly from: number | null;
  readonly desiredReplicas: number;
  readonly steps: readonly Step[];
  /** The entry's metadata.generation. */
  readonly generation?: number;
}

/**
 * The table's DECISION item: scalings, and changes of what limits the size; in a dry run, also of the wanted and the
 * found size.
 */
export interface DecisionRecord extends Explained {
  /** null: nothing was written. */
  readonly scaleTo: number | null;
  readonly events: readonly HpaEvent[];
  readonly dryRun?: true;
}

export interface Wake {
  readonly at: EpochMs;
  /** false: no result yet. */
  readonly done: boolean;
}

export interface Intent {
  readonly from: number;
  readonly to: number;
  readonly at: EpochMs;
  /** While the scale has it, the write can still be applied. */
  readonly resourceVersion: string;
  /** With `behavior`, an applied scale counts in the rate limits. */
  readonly countsAsEvent: boolean;
  /** The event's message ("New size: 4; reason: …"). */
  readonly message: string;
  readonly scaledToZero: boolean;
  readonly steps?: readonly Step[];
}

/** Sizes that may still be applied. None is zero. */
export interface IntentSizes {
  readonly least: number;
  readonly most: number;
  readonly countsAsEvent: boolean;
}

export interface Recorded {
  readonly at: EpochMs;
  readonly desiredReplicas: number;
  readonly limitedBy: readonly string[];
  /** The size that a dry run found. */
  readonly found?: number;
  /** lib/sync/hpa/decision-recording.ts */
  readonly paidUntil?: EpochMs;
}

export type CommittedOffsets = Readonly<Record<string, { readonly at: string; readonly since: EpochMs }>>;

export interface CachedReading {
  readonly response: MetricResponse<ExternalMetricValue>;
  readonly readAt: EpochMs;
  /** Kept without the response, for a query that is sent in every slot. */
  readonly places?: CommittedOffsets;
}

/** From `from` (inclusive) to `to` (exclusive; null is the end). */
export interface ShardRange {
  readonly cluster: string;
  readonly from: string;
  readonly to: string | null;
}

export interface OwnPeriods {
  readonly heartbeat: EpochMs;
  /** By class: the last finished sync in which it was due. */
  readonly seen: Readonly<Record<string, EpochMs>>;
}

export interface Shard extends ShardRange {
  readonly version: number;
  /** The last finished slot. It only grows. */
  readonly slot: EpochMs;
  /** When the last finished sync began. It observed every open span. */
  readonly heartbeat: EpochMs;
  /** Lagging HPAs, which go first, with their last observations. */
  readonly behind: Readonly<Record<string, EpochMs>>;
  readonly ownPeriods?: OwnPeriods;
  /** In seconds. The tick wakes them between slots. */
  readonly shorterPeriods?: Readonly<Record<string, number>>;
  /** Why no HPA was synced (a bad cluster entry, a clock that went back). */
  readonly failure?: string;
  /** The slot that wrote the LATEST item; absent: empty. */
  readonly latest?: EpochMs;
  readonly idle?: IdleRef;
  readonly index?: IndexRecord;
  /** The tick splits and merges shards by this. */
  readonly entries: number;
  /** Mean of the last syncs, without waiting. */
  readonly workedMs?: number;
  /** Metric queries of the last sync, each HPA at most its share of a smallest shard. */
  readonly queries?: number;
  /** The size of this item, if too large for a slot to finish. */
  readonly itemBytes?: number;
  /** lib/sync/slot/count-failing.ts */
  readonly failing?: number;
  /** The states that the heartbeat is about: confirmed.ts */
  readonly confirmed?: Confirmed;
}

/** Knowledge of the last finished sync. docs/protocol.md */
export interface Confirmed {
  readonly version: number;
  /** Loads before this moment may be outdated. */
  readonly changed: EpochMs;
  /** A sum over keys and versions, without unsettled states. */
  readonly states: number;
  readonly unsettled?: readonly Unsettled[];
}

/** A wake or an unanswered write may change these. Loads until `until` may meet the change. */
export interface Unsettled {
  readonly until: EpochMs;
  /** Hashes. Absent: any state. */
  readonly keys?: readonly number[];
}

/** A SHARD item's record of its INDEX item. docs/decisions/0079-the-index-of-a-shard.md */
export interface IndexRecord {
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
