import type { Options } from "../../model/situation";
import type { EpochMs } from "../../k8s/time";
import type { State } from "../../model/state";
import type { Observe } from "../observe/observe";
import type { Cluster, Reporter, Store } from "../../model/ports";
import type { Stamp } from "../act/remember";
import type { SlotMessage } from "../../model/messages";

/** What all HPAs of one sync share. */
export interface Sync {
  readonly store: Store;
  readonly reporter: Reporter;
  readonly cluster: Cluster;
  readonly message: SlotMessage;
  /** Under what the state that follows this one is written. */
  readonly stamp: (before: State) => Stamp;
  readonly options: Options;
  /** The decision's clock: read once, the same for every HPA of the sync. */
  readonly now: EpochMs;
  readonly observe: Observe;
  /** Ends with the slot: what was read for it is worth nothing afterwards. */
  readonly reads: AbortSignal;
  /** Ends with the invocation: a scale that was begun may still be recorded after its slot. */
  readonly writes: AbortSignal;
  /** The slot still has time: a new effect may begin. Asked right before each, so that a run that was paused does not act on old news. */
  readonly inTime: () => boolean;
  /** Asks the table whether the shard has finished this slot or a newer one, or is gone. */
  readonly isOvertaken: () => Promise<boolean>;
  /** The slot is over: what happened just now may have happened in another slot's time. */
  readonly isOver: () => boolean;
  /**
   * Bounds how many HPAs write at a time: whoever begins comes to its end. A thousand that scale at once must not all stand announced and
   * unfinished when time runs out.
   */
  readonly inTurn: <T>(write: () => Promise<T>) => Promise<T>;
  /** An HPA has asked for its metrics, or needs none. */
  readonly asked: () => void;
}
