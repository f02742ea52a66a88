import { monthSeconds } from "../../../lib/model/prices";
import type { BilledRead } from "../../../lib/sources/description";

export interface Plan {
  readonly clusters: readonly PlannedCluster[];
  readonly syncMemory: number;
  /** Queues of HPAs at zero. */
  readonly watched?: number;
  readonly syncPollers?: number;
}

export interface PlannedCluster {
  readonly hpas: number;
  readonly periodSeconds: number;
  /** Reads that several HPAs share count once. */
  readonly reads: readonly PlannedRead[];
  /** Absent: no HPA has a period of its own. */
  readonly ownPeriods?: OwnPeriods;
}

export interface OwnPeriods {
  /** The average: HPAs with longer periods rest in some slots. */
  readonly hpasPerSlot: number;
  readonly shorter: number;
  /** Per minute: messages, the HPAs that they wake, and the HPAs in the namespaces of these. */
  readonly wakes: { readonly messages: number; readonly hpas: number; readonly loaded: number };
}

/** Such as the queues of sqs. */
export interface PlannedRead extends Omit<BilledRead, "key" | "keptSeconds"> {
  readonly source: string;
  readonly count: number;
  readonly everySeconds: number;
}

/** No value changes, or those of every HPA change all the time. */
export type Load = "atRest" | "moving";

/** A larger shard splits. */
const hpasPerShard = 1_000;

export function shardsOf({ hpas }: PlannedCluster): number {
  return Math.max(1, Math.ceil(hpas / hpasPerShard));
}

export function hpasOf(plan: Pick<Plan, "clusters">): number {
  return sumOf(plan, ({ hpas }) => hpas);
}

export function slotsOf({ periodSeconds }: PlannedCluster): number {
  return monthSeconds / periodSeconds;
}

export function decisionsOf(cluster: PlannedCluster): number {
  const { hpas, ownPeriods } = cluster;
  const woken = ((ownPeriods?.wakes.hpas ?? 0) * monthSeconds) / 60;
  return (ownPeriods?.hpasPerSlot ?? hpas) * slotsOf(cluster) + woken;
}

export function sumOf({ clusters }: Pick<Plan, "clusters">, of: (cluster: PlannedCluster) => number): number {
  return clusters.reduce((sum, cluster) => sum + of(cluster), 0);
}
