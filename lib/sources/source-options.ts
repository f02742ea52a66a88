import type { EpochMs } from "../k8s/time";

/** What every kind of source may be opened with. */
export interface SourceOptions {
  /** For what a lane remembers; the machine's clock by default. */
  readonly now?: () => EpochMs;
  /** For one request, whatever its SDK does. */
  readonly limitMs?: number;
}
