import type { EpochMs } from "../../k8s/time";
import type { HpaKey } from "../../model/hpa-key";
import type { SlotMessage } from "../../model/messages";
import type { SlotTime } from "../../model/metric/metric-rules";
import type { Cluster, ScaleBatch } from "../../model/ports/cluster";
import type { Written } from "../../model/ports/store";
import type { Reporter } from "../../model/report";
import type { Options } from "../../model/situation";
import type { LatestValues } from "../../model/stored/latest";
import type { DecisionRecord, State } from "../../model/stored/state";
import type { Observer } from "../../readings/observe";

/** Shared by the HPAs of one sync run: a slot of a shard, or a wake of some of its HPAs. */
export interface SyncRun {
  readonly message: SlotMessage;
  /** The decision's clock: read once for the whole run. */
  readonly now: EpochMs;
  /** The run's own slot, or the current one at a wake. */
  readonly slot: SlotTime;
  readonly time: SyncRunTime;
  readonly records: Records;
  readonly cluster: Cluster;
  /** Targets that are read together. */
  readonly scales: ScaleBatch;
  readonly options: Options;
  readonly observer: Observer;
  readonly reporter: Reporter;
}

export interface SyncRunTime {
  /** Fires at the end of the slot: later readings are worthless. */
  readonly reads: AbortSignal;
  /** Fires at the end of the invocation: a scale write that has begun may still be recorded after its slot. */
  readonly writes: AbortSignal;
  /** Check right before each effect: a run that was paused must not act on an outdated decision. */
  inTime(): boolean;
  /** The slot is over: what has just happened may belong to another slot's time. */
  isOver(): boolean;
}

/** Rejects with a Fault. */
export interface Records {
  /** The writer of the state after `before`. */
  writerId(before: State): WriterId;
  /** Conditional on the stored version `state.version - 1`. */
  putState(key: HpaKey, state: State): Promise<Written>;
  putDecision(key: HpaKey, record: DecisionRecord): Promise<void>;
  /** The values before this run; undefined: none beyond its state, or unreadable. */
  shown(key: HpaKey): Promise<LatestValues | undefined>;
  /** Undefined: it is gone. */
  document(key: HpaKey): Promise<unknown>;
  /** The shard has finished this slot or a newer one, or the HPA has moved to another shard. */
  isOvertaken(key: HpaKey): Promise<boolean>;
  /**
   * Bounds concurrent writers, so that an HPA that begins also finishes: if a thousand scale at once, they must not all
   * have an intent and no result at the end.
   */
  withPermit<T>(write: () => Promise<T>): Promise<T>;
}

/** A slot, or a wake after the last slot. */
export type WriterId = Pick<State, "slot" | "wake">;
