import type { HorizontalPodAutoscaler } from "../../k8s/hpa";
import type { EpochMs } from "../../k8s/time";
import type { FoundSource } from "../metric/found-source";
import type { HpaKey } from "../hpa-key";
import type { MetricRules } from "../metric/metric-rules";

/**
 * An HPA at zero that wants to be woken fast: what reading its metrics needs, and weighing what they say. It holds no
 * more than that. docs/protocol.md
 */
export interface IdleHpa {
  /** With its External metrics alone that one of our sources reads. */
  readonly hpa: HorizontalPodAutoscaler;
  /** Where each of these metrics is read from. */
  readonly sources: readonly FoundSource[];
  /** The rules of each. */
  readonly rules: readonly MetricRules[];
  /** When it was scaled last: an HPA that was up meanwhile is another one to the poller. */
  readonly since?: string;
}

/** The watched HPAs of a shard: the table's IDLE item, as data. */
export type Idle = Readonly<Record<HpaKey, IdleHpa>>;

/** What a SHARD item says of its IDLE item. */
export interface IdleRef {
  /** Of what the item holds. */
  readonly hash: string;
  /** The slot that wrote it last. */
  readonly at: EpochMs;
}

/**
 * Who watches now: the table's one LEASE item. Each write is conditional on the version before it, so at most one
 * poller reads at a time.
 */
export interface PollerLease {
  readonly version: number;
  /** The poller that reads; one name for each invocation. */
  readonly holder: string;
  /** The minute that started it. A poller of a newer minute takes over. */
  readonly minute: EpochMs;
  /** It reads no longer than this. */
  readonly until: EpochMs;
  /** The poller that waits for `until`. The holder renews nothing any more. */
  readonly next?: { readonly holder: string; readonly minute: EpochMs };
  readonly spending: PollerSpending;
  /** Absent: it read all that it asked for. */
  readonly unread?: Unread;
  /** The ARN of the role that it reads with, if it has one. */
  readonly role?: string;
  /** Absent: its wakes have ended all zeros that had work. */
  readonly waits?: ZeroWaits;
}

/** Zeros that had work and that their last wake did not end. */
export interface ZeroWaits {
  /** By a hash of the zero: when it may be woken again, and how long it waited for that. */
  readonly zeros: Readonly<Record<string, { readonly until: EpochMs; readonly waitMs: number }>>;
  /** There were more than these. */
  readonly more?: true;
}

/** The queries that no reading of the last invocation answered. */
export interface Unread {
  readonly queries: readonly UnreadQuery[];
  /** How many more there were. */
  readonly more?: number;
}

export interface UnreadQuery {
  /** Of the query: a hash. */
  readonly id: string;
  readonly cluster: string;
  /** One of the HPAs at zero that ask it, and its metric. */
  readonly hpa: HpaKey;
  readonly metric: string;
  readonly error: string;
  /** The first of the readings that failed, and how many did in a row. */
  readonly since: EpochMs;
  readonly readings: number;
}

/** What watching has cost in a month (UTC), in $. */
export interface PollerSpending {
  /** "2026-11" */
  readonly month: string;
  readonly spent: number;
  /** Its budget slowed it down this month, and that was reported. */
  readonly slowed?: true;
}
