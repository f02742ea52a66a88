import type { EpochMs } from "../k8s/time";

/** A run's clock, and the signal that ends its calls. */
export interface RunTime {
  readonly now: () => EpochMs;
  readonly signal: AbortSignal;
}

export interface BoundedRunTime extends RunTime {
  /** Nothing new starts after this moment. The rest of the time is for recording. */
  readonly deadline: EpochMs;
}
