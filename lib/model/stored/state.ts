import type { HpaStatus } from "../../k8s/hpa";
import type { ExternalMetricValue, MetricResponse } from "../../k8s/objects";
import type { History, HpaEvent } from "../situation";
import type { EpochMs } from "../../k8s/time";
import type { IdleRef } from "./idle";
import type { IndexRecord } from "./index-record";
import type { MetricMemory } from "../metric/metric-rules";
import type { Step } from "../step";

/** What an HPA's sync remembers between slots: the table's STATE item, as data. */
export interface State {
  /** Grows by one with each write. A write is conditional on the version that it started from: version.ts */
  readonly version: number;
  /** The slot of the last write. A slot has at most one effect on a target. */
  readonly slot: EpochMs;
  /** The wake that wrote last, unless a slot has written since: docs/protocol.md */
  readonly wake?: Wake;
  /** The UID of the last target. The open intents are for this object only. */
  readonly targetUid?: string;
  readonly status: HpaStatus;
  /** null: never synced. */
  readonly history: History | null;
  /** The last span is still open: every finished slot of the shard (its heartbeat) has the same recommendation. */
  readonly open: boolean;
  /** `at` of the decision that closed a span which another run of its slot may have seen: last-observed.ts */
  readonly closedAt?: EpochMs;
  /** A scale write that may or may not have happened. The next sync asks the cluster and settles it. */
  readonly intent?: Intent;
  /**
   * Intents that `intent` replaced while their writes could still be applied. All carry its resourceVersion, so at most
   * one is applied. The latest is first; of each size, the oldest.
   */
  readonly earlier?: readonly Intent[];
  /** Intents of this resourceVersion that are not kept one by one. docs/decisions/0080-many-open-intents.md */
  readonly earlierSizes?: IntentSizes;
  /** The target's resourceVersion at the last zero that ebb ended: docs/decisions/0081-a-cluster-that-is-put-back.md */
  readonly lastZero?: string;
  /** The target's selector as last seen. Other HPAs of the namespace read it here; upstream's controller also does. */
  readonly selector?: string;
  /** Why the size is what it is, at the last write of this state. Later numbers: latest.ts */
  readonly decision?: Explained;
  /** What the last DECISION item recorded, so that only a change writes another. */
  readonly recorded?: Recorded;
  /** The last sync's warnings. A warning is reported only if it was not here before. */
  readonly warnings?: readonly HpaEvent[];
  /** The first of the syncs in a row that ended with warnings. */
  readonly failingSince?: EpochMs;
  /** Readings by query. A query is not sent again before its reading's period is over. */
  readonly readings?: Readonly<Record<string, CachedReading>>;
  /** What the rules of its metrics remember, by metric. docs/decisions/0042-rules-of-a-metric.md */
  readonly memory?: Readonly<Record<string, MetricMemory>>;
  /** The period of its own that it was last synced with; absent: the cluster's. docs/protocol.md */
  readonly syncPeriodSeconds?: number;
  /** A rule of its metrics waits for the next slot's reading, whatever its period is. */
  readonly confirming?: true;
}

/** A decision's result, and the steps that led to it. */
export interface Explained {
  readonly at: EpochMs;
  /** The size before the decision; null: the scale was not read. */
  readonly from: number | null;
  readonly desiredReplicas: number;
  readonly steps: readonly Step[];
  /** The metadata.generation of the entry that it was made from, if the entry has one. */
  readonly generation?: number;
}

/**
 * A decision that is kept: the table's DECISION item. Each scaling is kept. What limits the size is kept when it
 * changes; of a dry run, so are the size that it wants and the size that it finds.
 */
export interface DecisionRecord extends Explained {
  /** The size that was written to the scale; null: nothing was written. */
  readonly scaleTo: number | null;
  readonly events: readonly HpaEvent[];
  readonly dryRun?: true;
}

/** A sync of this HPA alone, between the slots, because its entry changed. */
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
  /** The scale's resourceVersion that the write carries: while the scale has it, the write can still be applied. */
  readonly resourceVersion: string;
  /** With `behavior`, an applied scale counts in the rate limits. */
  readonly countsAsEvent: boolean;
  /** Why, in the words of the event ("New size: 4; reason: …"). */
  readonly message: string;
  /** What the ScaledToZero condition becomes once applied. */
  readonly scaledToZero: boolean;
  /** How it was decided, for the sync that finds it applied. */
  readonly steps?: readonly Step[];
}

/** Some of the sizes from `least` to `most` were intended, and any of them may still be applied. None is zero. */
export interface IntentSizes {
  readonly least: number;
  readonly most: number;
  /** Of any of them: an applied scale counts in the rate limits. */
  readonly countsAsEvent: boolean;
}

export interface Recorded {
  readonly at: EpochMs;
  readonly desiredReplicas: number;
  /** What limited each limited step. */
  readonly limitedBy: readonly string[];
  /** The size that a dry run found. Absent: it was no dry run, or the scale was not read. */
  readonly found?: number;
  /** Until when its records are paid for, at a minute each: lib/sync/hpa/decision-recording.ts. */
  readonly paidUntil?: EpochMs;
}

/** Where the parts of a query are, and since when: of a partition, what its consumers have committed. */
export type CommittedOffsets = Readonly<Record<string, { readonly at: string; readonly since: EpochMs }>>;

export interface CachedReading {
  readonly response: MetricResponse<ExternalMetricValue>;
  readonly readAt: EpochMs;
  /** For a query that is asked in every slot, this is kept and the response is not. */
  readonly places?: CommittedOffsets;
}

/**
 * A contiguous range of one cluster's HPAs in key order: `from` inclusive ("" is the start), `to` exclusive (null is
 * the end).
 */
export interface ShardRange {
  readonly cluster: string;
  readonly from: string;
  readonly to: string | null;
}

/** When HPAs were last seen that are not due in every slot. docs/protocol.md */
export interface OwnPeriods {
  /** The shard's heartbeat. If that is another, a version of ebb has moved it that synced every HPA in every slot. */
  readonly heartbeat: EpochMs;
  /** By class of HPAs: the moment of the last finished sync in which it was due. */
  readonly seen: Readonly<Record<string, EpochMs>>;
}

/** The table's SHARD item. */
export interface Shard extends ShardRange {
  readonly version: number;
  /** The last finished slot. It only grows. */
  readonly slot: EpochMs;
  /** The moment of the last finished sync: every open span in the range was last seen then. */
  readonly heartbeat: EpochMs;
  /** HPAs that the last slots did not reach, and when each was last seen; they go first. */
  readonly behind: Readonly<Record<string, EpochMs>>;
  /** Absent: no HPA of the range is synced less often than the slots come. */
  readonly ownPeriods?: OwnPeriods;
  /** HPAs that are synced more often than the slots come, in seconds. The tick wakes them in between. */
  readonly shorterPeriods?: Readonly<Record<string, number>>;
  /** What kept the whole shard from being synced (a bad cluster entry, a clock that went back), as last reported. */
  readonly failure?: string;
  /** The slot that wrote the shard's LATEST item last; absent: it holds nothing. */
  readonly latest?: EpochMs;
  /** What the shard's IDLE item holds; absent: no HPA is watched. */
  readonly idle?: IdleRef;
  /** What the shard's INDEX item says of its HPAs: queue-index.ts */
  readonly index?: IndexRecord;
  /** How many HPA entries the last sync found in the range. The tick uses it to split and merge shards. */
  readonly entries: number;
  /** How long a sync of the range works, without waiting, in ms: a mean of the last ones. The tick uses it likewise. */
  readonly workedMs?: number;
  /** How many metric queries its HPAs asked for last, each HPA at most what a shard of the smallest size has for it. */
  readonly queries?: number;
  /** What this item would have, if a slot could not be finished because that is too large. */
  readonly itemBytes?: number;
  /** How many of its HPAs the alarm for failing HPAs counts; absent: none. lib/sync/slot/count-failing.ts */
  readonly failing?: number;
  /** Which states the heartbeat is about, and since when they and the entries are unchanged: confirmed.ts */
  readonly confirmed?: Confirmed;
}

/** What the last finished sync of a shard knew of its HPAs. docs/protocol.md */
export interface Confirmed {
  /** The shard's version that this was written with. It says nothing about another version. */
  readonly version: number;
  /** What a slot before this moment loaded may have changed since. What a later one loaded has not. */
  readonly changed: EpochMs;
  /** A sum over the states' keys and versions, without those that are unsettled. */
  readonly states: number;
  /** States that somebody may change beside the slots. Absent: none. */
  readonly unsettled?: readonly Unsettled[];
}

/** States that a wake or an unanswered write may change, until what loads at that moment may meet the change. */
export interface Unsettled {
  readonly until: EpochMs;
  /** Hashes of their keys. Absent: any state of the shard. */
  readonly keys?: readonly number[];
}
