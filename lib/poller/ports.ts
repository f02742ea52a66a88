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
  /** What watching may cost in a month, in $. */
  readonly budget: number;
  readonly prices: PollerPrices;
}

/** What one invocation did. */
export interface PollerCounts {
  /** nothing: no HPA is at zero that wants it. taken: another invocation reads. overBudget: it may not read now. */
  readonly outcome: "watched" | "nothing" | "taken" | "overBudget";
  readonly polls: number;
  /** Readings that were asked for. */
  readonly reads: number;
  readonly woken: number;
}
