import type { EpochMs } from "../../k8s/time";
import type { HpaKey } from "../../model/hpa-key";
import type { PeriodClass } from "../../model/stored/own-period";
import type { State } from "../../model/stored/state";
import type { ReadEntry } from "./read-entry";

export interface HpaTask {
  readonly key: HpaKey;
  /** `entry` is its decoded form. */
  readonly document: unknown;
  readonly entry: ReadEntry;
  readonly state: State | undefined;
  /** The state's. Undefined: due in every slot. */
  readonly periodClass: PeriodClass | undefined;
  /** When the shard last observed the open span. */
  readonly lastObserved: EpochMs;
  /** Until when another run may have observed the closed span. */
  readonly closedSpanObserved: EpochMs | undefined;
  /** An earlier run may still write. */
  readonly mayHaveConcurrentRun: boolean;
  /** Another run of the slot may observe the open span without writing the state. */
  readonly hasConcurrentReader: boolean;
}
