import type { HorizontalPodAutoscaler } from "../../k8s/hpa";
import type { EpochMs } from "../../k8s/time";
import type { FoundSource } from "../metric/found-source";
import type { HpaKey } from "../hpa-key";
import type { MetricRules } from "../metric/metric-rules";

/** The data that the poller needs of an HPA at zero that wants a fast wake. docs/protocol.md */
export interface IdleHpa {
  /** With only the External metrics that our sources read. */
  readonly hpa: HorizontalPodAutoscaler;
  readonly sources: readonly FoundSource[];
  readonly rules: readonly MetricRules[];
  /** When it was scaled last: it identifies the zero. */
  readonly since?: string;
}

/** The table's IDLE item. */
export type Idle = Readonly<Record<HpaKey, IdleHpa>>;

export interface IdleRef {
  readonly hash: string;
  readonly at: EpochMs;
}

/** Conditional writes allow one poller at a time. */
export interface PollerLease {
  readonly version: number;
  readonly holder: string;
  /** A newer minute's poller takes over. */
  readonly minute: EpochMs;
  readonly until: EpochMs;
  /** The poller that waits for `until`; the holder no longer renews. */
  readonly next?: { readonly holder: string; readonly minute: EpochMs };
  readonly spending: PollerSpending;
  /** Absent: every query had an answer. */
  readonly unread?: Unread;
  /** Its ARN. */
  readonly role?: string;
  readonly waits?: ZeroWaits;
}

/** Zeros with work that their last wake did not end. */
export interface ZeroWaits {
  /** By a hash of the zero: when it may be woken again. */
  readonly zeros: Readonly<Record<string, { readonly until: EpochMs; readonly waitMs: number }>>;
  /** There are more. */
  readonly more?: true;
  /** Hashes of their namespaces. Absent: any may have more. */
  readonly beyond?: readonly string[];
}

export interface Unread {
  readonly queries: readonly UnreadQuery[];
  readonly more?: number;
}

export interface UnreadQuery {
  readonly id: string;
  readonly cluster: string;
  readonly hpa: HpaKey;
  readonly metric: string;
  readonly error: string;
  /** The first failed reading, and how many in a row. */
  readonly since: EpochMs;
  readonly readings: number;
}

/** In $ a month (UTC). */
export interface PollerSpending {
  /** "2026-11" */
  readonly month: string;
  readonly spent: number;
  /** The budget slows the poller, and that was reported. */
  readonly slowed?: true;
}
