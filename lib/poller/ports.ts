import type { EpochMs } from "../k8s/time";
import type { Clusters } from "../model/ports/cluster";
import type { Reporter } from "../model/report";
import type { SlotQueue } from "../model/ports/slot-queue";
import type { Store } from "../model/ports/store";
import type { PollerPrices } from "./spending";
import type { PolledPorts } from "./polled-queries";

export interface PollerPorts extends PolledPorts {
  readonly store: Pick<Store, "clusters" | "shards" | "idle" | "states" | "pollerLease" | "replacePollerLease">;
  readonly clusters: Clusters;
  readonly queue: SlotQueue;
  readonly reporter: Pick<Reporter, "failed" | "recovered">;
}

export interface PollerContext {
  readonly now: () => EpochMs;
  /** Resolves at that moment, or when the signal fires. */
  readonly sleepUntil: (at: EpochMs, signal: AbortSignal) => Promise<void>;
  /** When the invocation must have ended. */
  readonly deadline: EpochMs;
  readonly signal: AbortSignal;
  /** $ a month. */
  readonly budget: number;
  readonly prices: PollerPrices;
}

export interface PollerCounts {
  /** nothing: no HPA at zero wants it. taken: another invocation polls. overBudget: it may not read now. */
  readonly outcome: "watched" | "nothing" | "taken" | "overBudget";
  readonly polls: number;
  readonly reads: number;
  readonly woken: number;
}
