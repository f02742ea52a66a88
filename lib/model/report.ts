import type { EpochMs } from "../k8s/time";

export interface ScaledLine {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  readonly target: string;
  readonly from: number;
  readonly to: number;
  /** "SuccessfulRescale", "New size: 4; reason: …" */
  readonly reason: string;
  readonly message: string;
  readonly at: EpochMs;
}

export interface FailureLine {
  readonly cluster: string;
  /** Absent: the shard's failure, or that of several HPAs. */
  readonly key?: string;
  /** If more than one had it. */
  readonly hpas?: number;
  readonly reason: string;
  readonly message: string;
  /** Not new: it has lasted the deployment's failingMinutes. */
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
  readonly failing: number;
}

/** One line for each scaling and each new failure; what stays the same gets none. */
export interface Reporter {
  scaled(line: ScaledLine): void;
  failed(line: FailureLine): void;
  recovered(line: Pick<FailureLine, "cluster" | "key">): void;
  synced(counts: SyncCounts): void;
  ticked(counts: TickCounts): void;
}
