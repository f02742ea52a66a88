import type { EpochMs } from "../k8s/time";

export interface SourceOptions {
  /** For the limiters; by default the machine's clock. */
  readonly now?: () => EpochMs;
  readonly limitMs?: number;
}
