import type { EpochMs } from "../k8s/time";

export interface ScaledLine {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  readonly target: string;
  readonly from: number;
  readonly to: number;
  /** The event's reason ("SuccessfulRescale") and message ("New size: 4; reason: …"). */
  readonly reason: string;
  readonly message: string;
  readonly at: EpochMs;
}

export interface FailureLine {
  readonly cluster: string;
  /** Absent if the failure is the shard's, or the same for several HPAs. */
  readonly key?: string;
  /** HPAs with this failure in this sync, if more than one. */
  readonly hpas?: number;
  readonly reason: string;
  readonly message: string;
  /** The failure is not new: it has lasted at least the deployment's failingMinutes. */
  readonly failingSince?: EpochMs;
  readonly at: EpochMs;
}

export interface SyncCounts {
  readonly cluster: string;
  readonly slot: EpochMs;
  readonly outcome: "synced" | "late" | "early" | "done" | "gone" | "fenced" | "overtaken";
  readonly hpas: number;
  readonly scaled: number;
  readonly failed: number;
  readonly behind: number;
  /** `lagMs`: from the slot's start to the sync's start. */
  readonly lagMs: number;
  readonly durationMs: number;
}

export interface TickCounts {
  readonly clusters: number;
  readonly shards: number;
  readonly messages: number;
  /** HPAs that have failed for long, by the last slots of their shards. */
  readonly failing: number;
}

/** One line for each scaling and each new failure, and counts for each sync. What stays the same gets no line. */
export interface Reporter {
  scaled(line: ScaledLine): void;
  /** The failure is new or changed. */
  failed(line: FailureLine): void;
  recovered(line: Pick<FailureLine, "cluster" | "key">): void;
  synced(counts: SyncCounts): void;
  ticked(counts: TickCounts): void;
}
