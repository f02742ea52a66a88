import type { EpochMs } from "../../k8s/time";
import type { HpaKey } from "../../model/hpa-key";
import type { PeriodClass } from "../../model/stored/own-period";
import type { State } from "../../model/stored/state";
import type { ReadEntry } from "./read-entry";

export interface HpaTask {
  /** "namespace/name". */
  readonly key: HpaKey;
  /** As the table has it. `entry` is its decoded form. */
  readonly document: unknown;
  readonly entry: ReadEntry;
  readonly state: State | undefined;
  /** Of the state. undefined: it is due in every slot. */
  readonly periodClass: PeriodClass | undefined;
  /** When the shard last saw this HPA's open span. */
  readonly lastObserved: EpochMs;
  /** Until when another run may have seen the span that the state closed. */
  readonly closedSpanObserved: EpochMs | undefined;
  /** An earlier run may still write. */
  readonly mayHaveConcurrentRun: boolean;
  /** Another run of the slot may see the open span without writing the state: the shard's heartbeat says so. */
  readonly hasConcurrentReader: boolean;
}
