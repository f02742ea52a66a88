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

/** What the HPAs of one sync run share. A sync run is a slot of a shard, or a wake of some of its HPAs. */
export interface SyncRun {
  readonly message: SlotMessage;
  /** The decision's clock: read once, so it is the same for every HPA of the run. */
  readonly now: EpochMs;
  /** The slot under way: the run's own, or that of the moment of a wake. */
  readonly slot: SlotTime;
  readonly time: SyncRunTime;
  readonly records: Records;
  readonly cluster: Cluster;
  /** The targets of the run that are read together. */
  readonly scales: ScaleBatch;
  readonly options: Options;
  readonly observer: Observer;
  readonly reporter: Reporter;
}

export interface SyncRunTime {
  /** Fires at the end of the slot, because its readings are worthless afterwards. */
  readonly reads: AbortSignal;
  /** Fires at the end of the invocation: a scale write that has begun may still be recorded after its slot. */
  readonly writes: AbortSignal;
  /**
   * A new effect may begin. Asked right before each effect, so that a run that was paused does not act on an outdated
   * decision.
   */
  inTime(): boolean;
  /** The slot is over. What has just happened may belong to another slot's time. */
  isOver(): boolean;
}

/** The table, as the HPAs of one run read and write it. Every call rejects with a Fault. */
export interface Records {
  /** The slot or wake that writes the state after `before`. */
  writerId(before: State): WriterId;
  /** Conditional on the stored version being `state.version - 1`. */
  putState(key: HpaKey, state: State): Promise<Written>;
  putDecision(key: HpaKey, record: DecisionRecord): Promise<void>;
  /** What the HPA showed before this run; undefined: its state, or it cannot be read now. */
  shown(key: HpaKey): Promise<LatestValues | undefined>;
  /** The current HPA document; undefined when it is gone. */
  document(key: HpaKey): Promise<unknown>;
  /** The shard has finished this slot or a newer one, or the HPA has another shard by now. */
  isOvertaken(key: HpaKey): Promise<boolean>;
  /**
   * Bounds how many HPAs write at a time, so that an HPA that begins also finishes. If a thousand scale at once, they
   * must not all have an intent but no result when the time is up.
   */
  withPermit<T>(write: () => Promise<T>): Promise<T>;
}

/** What wrote a state: a slot, or a wake after the last slot. */
export type WriterId = Pick<State, "slot" | "wake">;
