import type { HorizontalPodAutoscaler } from "../../k8s/hpa";
import type { EpochMs } from "../../k8s/time";
import type { FoundSource } from "../metric/found-source";
import type { HpaKey } from "../hpa-key";
import type { MetricRules } from "../metric/metric-rules";

/**
 * An HPA at zero that wants a fast wake, with only what the poller needs to read and weigh its metrics.
 * docs/protocol.md
 */
export interface IdleHpa {
  /** Has only External metrics that one of our sources reads. */
  readonly hpa: HorizontalPodAutoscaler;
  /** One for each of these metrics. */
  readonly sources: readonly FoundSource[];
  /** One for each of these metrics. */
  readonly rules: readonly MetricRules[];
  /** When it was scaled last: to the poller, an HPA that was up meanwhile is another one. */
  readonly since?: string;
}

/** The table's IDLE item: a shard's HPAs at zero. */
export type Idle = Readonly<Record<HpaKey, IdleHpa>>;

/** A SHARD item's reference to its IDLE item. */
export interface IdleRef {
  /** Hash of the item's content. */
  readonly hash: string;
  /** The slot that wrote it last. */
  readonly at: EpochMs;
}

/** The table's one LEASE item. Writes are conditional on the version before, so at most one poller reads at a time. */
export interface PollerLease {
  readonly version: number;
  /** One name for each invocation. */
  readonly holder: string;
  /** The minute that started the holder. A poller of a newer minute takes over. */
  readonly minute: EpochMs;
  /** The holder stops reading at this moment. */
  readonly until: EpochMs;
  /** The poller that waits for `until`. With it, the holder no longer renews. */
  readonly next?: { readonly holder: string; readonly minute: EpochMs };
  readonly spending: PollerSpending;
  /** Absent: every query had an answer. */
  readonly unread?: Unread;
  /** ARN of the role that it reads with. */
  readonly role?: string;
  /** Absent: its wakes ended all zeros that had work. */
  readonly waits?: ZeroWaits;
}

/** Zeros that had work and that their last wake did not end. */
export interface ZeroWaits {
  /** By a hash of the zero: when it may be woken again, and the wait until then. */
  readonly zeros: Readonly<Record<string, { readonly until: EpochMs; readonly waitMs: number }>>;
  /** There are more than these. */
  readonly more?: true;
}

/** Queries without an answer in the last invocation. */
export interface Unread {
  readonly queries: readonly UnreadQuery[];
  /** The number of queries left out. */
  readonly more?: number;
}

export interface UnreadQuery {
  /** Hash of the query. */
  readonly id: string;
  readonly cluster: string;
  /** One of the HPAs at zero that need it, and its metric. */
  readonly hpa: HpaKey;
  readonly metric: string;
  readonly error: string;
  /** The first failed reading, and how many failed in a row. */
  readonly since: EpochMs;
  readonly readings: number;
}

/** Cost of polling in a month (UTC), in $. */
export interface PollerSpending {
  /** "2026-11" */
  readonly month: string;
  readonly spent: number;
  /** The budget slowed the poller this month, and that was reported. */
  readonly slowed?: true;
}
