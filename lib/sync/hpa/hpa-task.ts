import type { EpochMs } from "../../k8s/time";
import type { HpaKey } from "../../model/hpa-key";
import type { PeriodClass } from "../../model/stored/own-period";
import type { State } from "../../model/stored/state";
import type { ReadEntry } from "./read-entry";

export interface HpaTask {
  readonly key: HpaKey;
  /** As in the table. `entry` is its decoded form. */
  readonly document: unknown;
  readonly entry: ReadEntry;
  readonly state: State | undefined;
  /** By the state. Undefined: due in every slot. */
  readonly periodClass: PeriodClass | undefined;
  /** When the shard last observed the open span. */
  readonly lastObserved: EpochMs;
  /** Until when another run may have observed the span that the state closed. */
  readonly closedSpanObserved: EpochMs | undefined;
  /** An earlier run may still write. */
  readonly mayHaveConcurrentRun: boolean;
  /** Another run of the slot may observe the open span by the heartbeat alone, without writing the state. */
  readonly hasConcurrentReader: boolean;
}
