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

/** A slot of a shard, or a wake of some of its HPAs. */
export interface SyncRun {
  readonly message: SlotMessage;
  /** Once for the whole run. */
  readonly now: EpochMs;
  /** At a wake, the current slot. */
  readonly slot: SlotTime;
  readonly time: SyncRunTime;
  readonly records: Records;
  readonly cluster: Cluster;
  readonly scales: ScaleBatch;
  readonly options: Options;
  readonly observer: Observer;
  readonly reporter: Reporter;
}

export interface SyncRunTime {
  /** Fires at `readsEnd`. */
  readonly reads: AbortSignal;
  /** Shortly before the end of the slot. */
  readonly readsEnd: EpochMs;
  /** Fires at the end of the invocation: a scale write that has begun may be recorded after its slot. */
  readonly writes: AbortSignal;
  now(): EpochMs;
  /** Check right before each effect: a run may have been paused. */
  inTime(): boolean;
  /** The slot is over: what has just happened may belong to another slot's time. */
  isOver(): boolean;
}

/** Rejects with a Fault. */
export interface Records {
  /** The slot or wake that writes the state after `before`. */
  writerId(before: State): WriterId;
  /** Conditional on `state.version - 1`. */
  putState(key: HpaKey, state: State): Promise<Written>;
  putDecision(key: HpaKey, record: DecisionRecord): Promise<void>;
  /** The values before this run. Undefined: nothing beyond the state, or unreadable. */
  shown(key: HpaKey): Promise<LatestValues | undefined>;
  document(key: HpaKey): Promise<unknown>;
  /** The shard has finished this slot or a newer one, or no longer has the HPA. */
  isOvertaken(key: HpaKey): Promise<boolean>;
  /** If a thousand scale at once, they must not all have an intent and no result at the end. */
  withPermit<T>(write: () => Promise<T>): Promise<T>;
}

export type WriterId = Pick<State, "slot" | "wake">;
