import type { HpaStatus } from "../../k8s/hpa";
import type { ExternalMetricValue, MetricResponse } from "../../k8s/objects";
import type { History, HpaEvent } from "../situation";
import type { EpochMs } from "../../k8s/time";
import type { IdleRef } from "./idle";
import type { IndexRecord } from "./index-record";
import type { MetricMemory } from "../metric/metric-rules";
import type { Step } from "../step";

/** The table's STATE item. */
export interface State {
  /** Grows by one with each write, which is conditional on the version before: version.ts */
  readonly version: number;
  /** The slot of the last write. A slot has at most one effect on a target. */
  readonly slot: EpochMs;
  /** The last writer, if it was a wake. */
  readonly wake?: Wake;
  /** Open intents are for the object with this UID only. */
  readonly targetUid?: string;
  readonly status: HpaStatus;
  /** null: never synced. */
  readonly history: History | null;
  /** The last span is open: each heartbeat of the shard observes it again. */
  readonly open: boolean;
  /** `at` of the decision that closed a span which another run of its slot may have observed: last-observed.ts */
  readonly closedAt?: EpochMs;
  /** A scale write that may have happened. The next sync settles it. */
  readonly intent?: Intent;
  /**
   * Intents that `intent` replaced while their writes could still be applied. All have its resourceVersion, so at most
   * one is applied. The latest is first; of equal sizes, only the oldest is kept.
   */
  readonly earlier?: readonly Intent[];
  /** More intents of this resourceVersion, not kept one by one. docs/decisions/0080-many-open-intents.md */
  readonly earlierSizes?: IntentSizes;
  /** The target's resourceVersion at the last zero that ebb ended: docs/decisions/0081-a-cluster-that-is-put-back.md */
  readonly lastZero?: string;
  /** The target's selector as last seen. Other HPAs of the namespace read it, to find overlapping selectors. */
  readonly selector?: string;
  /** At the last write of this state. Later numbers: latest.ts */
  readonly decision?: Explained;
  /** The last DECISION item, so that only a change writes another. */
  readonly recorded?: Recorded;
  /** The last sync's warnings. Only new ones are reported. */
  readonly warnings?: readonly HpaEvent[];
  /** The first of the syncs in a row that ended with warnings. */
  readonly failingSince?: EpochMs;
  /** By query: it is not sent again before the reading's period is over. */
  readonly readings?: Readonly<Record<string, CachedReading>>;
  /** Memory of the metrics' rules, by metric. docs/decisions/0042-rules-of-a-metric.md */
  readonly memory?: Readonly<Record<string, MetricMemory>>;
  /** Its own period at the last sync; absent: the cluster's. */
  readonly syncPeriodSeconds?: number;
  /** A metric's rule waits for the next slot's reading, whatever its period. */
  readonly confirming?: true;
}

export interface Explained {
  readonly at: EpochMs;
  /** null: the scale was not read. */
  readonly from: number | null;
  readonly desiredReplicas: number;
  readonly steps: readonly Step[];
  /** metadata.generation of the entry, if it has one. */
  readonly generation?: number;
}

/**
 * The table's DECISION item: each scaling, and each change of what limits the size; of a dry run, also changes of the
 * size that it wants and finds.
 */
export interface DecisionRecord extends Explained {
  /** null: nothing was written. */
  readonly scaleTo: number | null;
  readonly events: readonly HpaEvent[];
  readonly dryRun?: true;
}

export interface Wake {
  /** The instant that serves as its slot. */
  readonly at: EpochMs;
  /** false: it has begun and has no result yet. */
  readonly done: boolean;
}

export interface Intent {
  readonly from: number;
  readonly to: number;
  readonly at: EpochMs;
  /** The scale's resourceVersion that the write carries. While the scale has it, the write can still be applied. */
  readonly resourceVersion: string;
  /** With `behavior`, an applied scale counts in the rate limits. */
  readonly countsAsEvent: boolean;
  /** The event's message ("New size: 4; reason: …"). */
  readonly message: string;
  /** The ScaledToZero condition once applied. */
  readonly scaledToZero: boolean;
  /** For the sync that finds it applied. */
  readonly steps?: readonly Step[];
}

/** Some sizes from `least` to `most` were intended and may still be applied. None is zero. */
export interface IntentSizes {
  readonly least: number;
  readonly most: number;
  readonly countsAsEvent: boolean;
}

export interface Recorded {
  readonly at: EpochMs;
  readonly desiredReplicas: number;
  readonly limitedBy: readonly string[];
  /** The size that a dry run found. Absent: no dry run, or the scale was not read. */
  readonly found?: number;
  /** Until when its records are paid for, a minute each: lib/sync/hpa/decision-recording.ts */
  readonly paidUntil?: EpochMs;
}

/** By partition, say: its committed offset, and since when. */
export type CommittedOffsets = Readonly<Record<string, { readonly at: string; readonly since: EpochMs }>>;

export interface CachedReading {
  readonly response: MetricResponse<ExternalMetricValue>;
  readonly readAt: EpochMs;
  /** Kept without the response for a query that is sent in every slot. */
  readonly places?: CommittedOffsets;
}

/** Keys from `from` (inclusive; "" is the start) to `to` (exclusive; null is the end). */
export interface ShardRange {
  readonly cluster: string;
  readonly from: string;
  readonly to: string | null;
}

/** When HPAs with longer periods were last observed. */
export interface OwnPeriods {
  /**
   * The shard's heartbeat. If the shard has another, an older version of ebb moved it, which synced every HPA in every
   * slot.
   */
  readonly heartbeat: EpochMs;
  /** By class: the last finished sync in which it was due. */
  readonly seen: Readonly<Record<string, EpochMs>>;
}

/** The table's SHARD item. */
export interface Shard extends ShardRange {
  readonly version: number;
  /** The last finished slot. It only grows. */
  readonly slot: EpochMs;
  /** When the last finished sync began: it observed every open span in the range. */
  readonly heartbeat: EpochMs;
  /** Lagging HPAs, and when each was last observed. They go first. */
  readonly behind: Readonly<Record<string, EpochMs>>;
  /** Absent: no HPA of the range has a longer period. */
  readonly ownPeriods?: OwnPeriods;
  /** HPAs with shorter periods, in seconds. The tick wakes them between slots. */
  readonly shorterPeriods?: Readonly<Record<string, number>>;
  /** Why the whole shard was not synced (a bad cluster entry, a clock that went back), as last reported. */
  readonly failure?: string;
  /** The slot that wrote the LATEST item last; absent: the item is empty. */
  readonly latest?: EpochMs;
  /** Absent: no HPA is watched. */
  readonly idle?: IdleRef;
  /** queue-index.ts */
  readonly index?: IndexRecord;
  /** HPA entries that the last sync found. The tick splits and merges shards by this. */
  readonly entries: number;
  /** Mean working time of the last syncs without waiting, in ms. The tick uses it likewise. */
  readonly workedMs?: number;
  /** Metric queries of the last sync, each HPA at most its share in a shard of the smallest size. */
  readonly queries?: number;
  /** The size of this item, if a slot could not finish because it is too large. */
  readonly itemBytes?: number;
  /** HPAs that the alarm for failing HPAs counts; absent: none. lib/sync/slot/count-failing.ts */
  readonly failing?: number;
  /** Which states the heartbeat is about, and since when they are unchanged: confirmed.ts */
  readonly confirmed?: Confirmed;
}

/** What the last finished sync knew of its HPAs. docs/protocol.md */
export interface Confirmed {
  /** Valid only for this version of the shard. */
  readonly version: number;
  /** Loads of slots before this moment may be outdated. */
  readonly changed: EpochMs;
  /** A sum over the states' keys and versions, without unsettled ones. */
  readonly states: number;
  /** Absent: none. */
  readonly unsettled?: readonly Unsettled[];
}

/** States that a wake or an unanswered write may change. Loads until `until` may meet the change. */
export interface Unsettled {
  readonly until: EpochMs;
  /** Hashes of their keys. Absent: any state of the shard. */
  readonly keys?: readonly number[];
}
