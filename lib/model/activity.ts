import type { EpochMs } from "../k8s/time";

/**
 * The memory of an HPA with `ebb.dev/zero`: work goes on (`working`), or was last seen at `lastWork`. It changes when
 * work begins and ends, so a burst costs two writes.
 */
export interface Activity {
  /** The last sync that found work and could read every External and Object metric. */
  readonly lastWork?: EpochMs;
  readonly working?: true;
  /** The last sync found work but made no recommendation, so the history does not say when it was. */
  readonly unobserved?: true;
}
