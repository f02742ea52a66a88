import type { EpochMs } from "../k8s/time";

/** Options of every kind of source. */
export interface SourceOptions {
  /** The clock of the limiters; by default the machine's. */
  readonly now?: () => EpochMs;
  /** The time limit of one request, whatever its SDK does. */
  readonly limitMs?: number;
}
