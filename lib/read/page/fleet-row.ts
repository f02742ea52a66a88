import type { EpochMs } from "../../k8s/time";
import type { HpaState, HoldKind } from "./words";

export interface FleetRow {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  readonly target?: string;
  readonly state: HpaState;
  readonly dryRun?: true;
  readonly hold?: { readonly by: HoldKind; readonly until?: EpochMs };
  readonly reason?: string;
  readonly size?: number;
  readonly asks?: number | null;
  readonly min?: number;
  readonly max?: number;
  readonly metrics: readonly FleetMetric[];
  readonly sources: readonly string[];
  readonly since?: EpochMs;
  /** Sizes of the last hour, each until the next. null: unknown. */
  readonly recent?: readonly (readonly [at: EpochMs, size: number | null])[];
}

export interface FleetMetric {
  readonly name: string;
  readonly current?: string;
  readonly target: string;
  readonly isAverage?: true;
}

export interface FleetCluster {
  readonly cluster: string;
  readonly health: "inTime" | "notYet" | "missing" | "late" | "fails";
  readonly failure?: string;
  readonly slot?: EpochMs;
  readonly periodMs: number;
  readonly shards: number;
  readonly behind: number;
  readonly unread?: { readonly message: string; readonly since: EpochMs };
}

/** In replica-hours: an HPA without zero keeps its minReplicas, and one at least. */
export interface FleetSaved {
  readonly today: number;
  readonly month: number;
  /** Nothing is known before. */
  readonly since: EpochMs;
  readonly dollarsPerHour: number;
}

export type FleetMessage =
  | { readonly type: "clusters"; readonly at: EpochMs; readonly clusters: readonly FleetCluster[] }
  | { readonly type: "rows"; readonly rows: readonly FleetRow[] }
  | { readonly type: "gone"; readonly rows: readonly Pick<FleetRow, "cluster" | "namespace" | "name">[] }
  | { readonly type: "loaded"; readonly at: EpochMs }
  | { readonly type: "saved"; readonly saved: FleetSaved }
  /** Without `problem`: it answers again. */
  | { readonly type: "table"; readonly problem?: { readonly message: string; readonly since: EpochMs } };
