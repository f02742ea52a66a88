import type { Operations } from "../../model/annotations";
import type { HorizontalPodAutoscaler } from "../../k8s/hpa";
import type { EpochMs } from "../../k8s/time";
import type { SlotMessage } from "../../model/messages";
import type { Cluster, Clusters, MetricSources, Reporter, SeenTarget, Store, Written } from "../../model/ports";
import type { HpaEvent, Options } from "../../model/situation";
import type { DecisionRecord, State } from "../../model/state";
import type { EventRecorder } from "../events/event-recorder";
import type { Observe } from "../observe/observe";

export interface SyncPorts {
  readonly store: Store;
  readonly clusters: Clusters;
  readonly sources: MetricSources;
  readonly reporter: Reporter;
  readonly events: EventRecorder;
}

/** The invocation that a sync runs in. */
export interface SyncContext {
  readonly now: () => EpochMs;
  /** When the invocation must have recorded everything. */
  readonly deadline: EpochMs;
  /** Aborts whatever still runs when the invocation ends. */
  readonly signal: AbortSignal;
}

/** What all HPAs of one turn share. A turn is a slot of a shard, or a wake of some of its HPAs. */
export interface Turn {
  readonly message: SlotMessage;
  /** The decision's clock: read once, the same for every HPA of the turn. */
  readonly now: EpochMs;
  readonly time: TurnTime;
  readonly records: Records;
  readonly cluster: Cluster;
  readonly options: Options;
  readonly observe: Observe;
  readonly reporter: Reporter;
}

export interface TurnTime {
  /** Ends with the slot: what was read for it is worth nothing afterwards. */
  readonly reads: AbortSignal;
  /** Ends with the invocation: a scale that was begun may still be recorded after its slot. */
  readonly writes: AbortSignal;
  /** A new effect may begin. Asked right before each one, so that a run that was paused does not act on old news. */
  inTime(): boolean;
  /** The slot is over: what happened just now may have happened in another slot's time. */
  isOver(): boolean;
}

/** The table, as the HPAs of one turn read and write it. Every call rejects with a Fault. */
export interface Records {
  /** Who writes the state that follows `before`. */
  stamp(before: State): Stamp;
  /** Conditional on `state.version - 1`, as the store's. */
  putState(key: string, state: State): Promise<Written>;
  putDecision(key: string, record: DecisionRecord): Promise<void>;
  /** The HPA document as it is now; undefined when it is gone. */
  document(key: string): Promise<unknown>;
  /** Whether the shard has finished this slot or a newer one, or is gone. */
  isOvertaken(): Promise<boolean>;
  /**
   * Bounds how many HPAs write at a time: an HPA that begins gets to its end. A thousand that scale at once must not all be announced and
   * unfinished when time runs out.
   */
  inTurn<T>(write: () => Promise<T>): Promise<T>;
}

/** Who has written a state: the slot, or after the last slot a wake. */
export type Stamp = Pick<State, "slot" | "wake">;

/** An HPA's entry: usable, or why not, field by field. */
export type ReadEntry =
  { readonly hpa: HorizontalPodAutoscaler; readonly operations: Operations } | { readonly errors: readonly string[] };

export interface HpaTask {
  /** "namespace/name". */
  readonly key: string;
  /** As the table holds it; `entry` is what it says. */
  readonly document: unknown;
  readonly entry: ReadEntry;
  readonly state: State | undefined;
  /** When the shard last saw this HPA's open run. */
  readonly lastSeen: EpochMs;
  /** A write of an earlier run may still be under way. */
  readonly contested: boolean;
}

export interface HpaResult {
  readonly key: string;
  /** The table holds what this turn decided (which may be: nothing new). */
  readonly recorded: boolean;
  readonly scaled: boolean;
  /** What is wrong now, and whether that is news. */
  readonly warnings: readonly HpaEvent[];
  readonly news?: HpaEvent;
  readonly recovered: boolean;
  /** Every event that this turn emits, as upstream's controller would: what stays wrong is emitted each time. */
  readonly events: readonly HpaEvent[];
  /** What it scales, where that was seen. */
  readonly target?: SeenTarget;
}
