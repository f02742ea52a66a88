import type { HpaStatus } from "../k8s/hpa";
import type { ExternalMetricValue, MetricResponse } from "../k8s/objects";
import type { History, HpaEvent } from "./situation";
import type { EpochMs } from "../k8s/time";
import type { Step } from "./step";

/** What an HPA's sync remembers between slots: the table's STATE item, as data. */
export interface State {
  /** Grows by one with each write; every write is conditional on the version it was computed from. 0: never written. */
  readonly version: number;
  /** The slot of the last write. A slot has at most one effect on a target. */
  readonly slot: EpochMs;
  /** The wake that wrote last, unless a slot has written since: docs/decisions/0014-wakes.md */
  readonly wake?: Wake;
  /** Which object was the target last: the open intents are for it alone. */
  readonly targetUid?: string;
  readonly status: HpaStatus;
  /** null: never synced. */
  readonly history: History | null;
  /** The last run is still open: every finished slot of the shard (its heartbeat) saw the same recommendation again. */
  readonly open: boolean;
  /** A scale write that may or may not have happened; settled by the next sync from what the cluster shows. */
  readonly intent?: Intent;
  /**
   * Intents that `intent` took the place of while their own writes could still land: all on its resourceVersion, so one
   * lands at most; latest first, the oldest of each size.
   */
  readonly earlier?: readonly Intent[];
  /** The target's selector as last seen: how other HPAs of the namespace learn of it, as upstream's controller does. */
  readonly selector?: string;
  /** Why the size is what it is, as of the last write of this state: the numbers in it may be a minute old. */
  readonly decision?: Explained;
  /** What the last DECISION item said, so that only a change makes another. */
  readonly recorded?: Recorded;
  /** What the last sync warned of; a warning is reported when it was not here before. */
  readonly warnings?: readonly HpaEvent[];
  /** Readings that may not be repeated before their period is over, by query. */
  readonly readings?: Readonly<Record<string, KeptReading>>;
}

/** What a decision came to, and by which steps. */
export interface Explained {
  readonly at: EpochMs;
  /** The size that it was decided from; null: the scale was not read. */
  readonly from: number | null;
  readonly desiredReplicas: number;
  readonly steps: readonly Step[];
}

/**
 * A decision that is kept: the table's DECISION item. Scalings; and what a dry run would have done, or what holds the
 * size, when that changes.
 */
export interface DecisionRecord extends Explained {
  /** The size that was written to the scale; null: none. */
  readonly scaleTo: number | null;
  readonly events: readonly HpaEvent[];
  readonly dryRun?: true;
}

/** A sync of this HPA alone, between the slots, because its entry changed. */
export interface Wake {
  /** The instant that is its slot. */
  readonly at: EpochMs;
  /** false: it has begun, and nothing has come of it yet. */
  readonly done: boolean;
}

export interface Intent {
  readonly from: number;
  readonly to: number;
  readonly at: EpochMs;
  /** The scale's resourceVersion that the write carries: while it stands, the write can still land. */
  readonly resourceVersion: string;
  /** With `behavior`, an applied scale counts in the rate limits. */
  readonly countsAsEvent: boolean;
  /** Why, in the words of the event ("New size: 4; reason: …"). */
  readonly message: string;
  /** What the ScaledToZero condition becomes once applied. */
  readonly scaledToZero: boolean;
  /** How it was decided, for whoever finds that it was applied. */
  readonly steps?: readonly Step[];
}

export interface Recorded {
  readonly at: EpochMs;
  readonly desiredReplicas: number;
  /** Of the steps that were limited, by what. */
  readonly limitedBy: readonly string[];
}

export interface KeptReading {
  readonly response: MetricResponse<ExternalMetricValue>;
  readonly readAt: EpochMs;
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

/** The table's SHARD item. */
export interface Shard extends ShardRange {
  readonly version: number;
  /** The last slot that was finished; slots only grow. */
  readonly slot: EpochMs;
  /** The moment of the last finished sync: every open run in the range was last seen then. */
  readonly heartbeat: EpochMs;
  /** HPAs that the last slots did not reach, and when each was last seen; they go first. */
  readonly behind: Readonly<Record<string, EpochMs>>;
  /** What kept the whole shard from being synced (a bad cluster entry, a clock that went back), as last reported. */
  readonly failure?: string;
  /** How many HPA entries the last sync found in the range: the tick splits and merges by it. */
  readonly entries: number;
}
