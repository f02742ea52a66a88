import type { EpochMs } from "../../k8s/time";
import type { Clusters } from "../../model/ports/cluster";
import type { SlotQueue } from "../../model/ports/slot-queue";
import type { Store } from "../../model/ports/store";
import type { WatchPrices } from "./spending";
import type { WatchedPorts } from "./watched";

export interface WatchPorts extends WatchedPorts {
  readonly store: Pick<Store, "clusters" | "shards" | "idle" | "states" | "watchLease" | "replaceWatchLease">;
  readonly clusters: Clusters;
  readonly queue: SlotQueue;
}

export interface WatchContext {
  readonly now: () => EpochMs;
  /** Resolves at that moment, or when the signal fires. */
  readonly sleepUntil: (at: EpochMs, signal: AbortSignal) => Promise<void>;
  /** When the invocation must have ended. */
  readonly deadline: EpochMs;
  readonly signal: AbortSignal;
  /** What watching may cost in a month, in $. */
  readonly budget: number;
  readonly prices: WatchPrices;
}

/** What one invocation did. */
export interface WatchCounts {
  /** nothing: no HPA is at zero that wants it. taken: another invocation reads. overBudget: it may not read now. */
  readonly outcome: "watched" | "nothing" | "taken" | "overBudget";
  readonly rounds: number;
  /** Readings that were asked for. */
  readonly reads: number;
  readonly woken: number;
}
