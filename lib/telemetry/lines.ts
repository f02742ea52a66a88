import type { EpochMs } from "../core/situation";

/** What is told of a scaling; structurally the shell's own line, of which telemetry knows only this. */
export interface ScaledLine {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  readonly target: string;
  readonly from: number;
  readonly to: number;
  readonly reason: string;
  readonly message: string;
  readonly at: EpochMs;
}

export interface FailureLine {
  readonly cluster: string;
  /** "namespace/name"; absent where a whole shard failed. */
  readonly key?: string;
  readonly reason: string;
  readonly message: string;
  readonly at: EpochMs;
}

export interface SyncCounts {
  readonly outcome: "synced" | "late" | "early" | "done" | "gone" | "fenced";
  readonly hpas: number;
  readonly scaled: number;
  readonly failed: number;
  readonly behind: number;
  readonly lagMs: number;
  readonly durationMs: number;
}

export interface TickCounts {
  readonly clusters: number;
  readonly shards: number;
  readonly messages: number;
}
