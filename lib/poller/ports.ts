import type { EpochMs } from "../k8s/time";
import type { Clusters } from "../model/ports/cluster";
import type { Reporter } from "../model/report";
import type { SlotQueue } from "../model/ports/slot-queue";
import type { Store } from "../model/ports/store";
import type { PollerPrices } from "./pace";
import type { PolledPorts } from "./polled-queries";
import type { BoundedRunTime } from "../async/run-time";

export interface PollerPorts extends PolledPorts {
  readonly store: Pick<Store, "clusters" | "shards" | "idle" | "states" | "pollerLease" | "replacePollerLease">;
  readonly clusters: Clusters;
  readonly queue: SlotQueue;
  readonly reporter: Pick<Reporter, "failed" | "recovered">;
}

export interface PollerContext extends BoundedRunTime {
  readonly sleepUntil: (at: EpochMs, signal: AbortSignal) => Promise<void>;
  /** $ a month. */
  readonly budget: number;
  readonly prices: PollerPrices;
}

export interface PollerCounts {
  /** nothing: no HPA to poll. taken: another invocation polls. */
  readonly outcome: "watched" | "nothing" | "taken" | "overBudget";
  readonly polls: number;
  readonly reads: number;
  readonly woken: number;
}
