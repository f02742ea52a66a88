import { monthSeconds } from "../../../lib/model/prices";
import type { BilledRead } from "../../../lib/sources/billed";

/** What runs: what a bill is computed from. */
export interface Plan {
  readonly clusters: readonly PlannedCluster[];
  /** Of the function sync, in MB. */
  readonly syncMemory: number;
  /** Queues of HPAs at zero that the zero-scale poller reads all the time. */
  readonly watched?: number;
  /** Provisioned pollers of the slot queue that are always there. */
  readonly syncPollers?: number;
}

export interface PlannedCluster {
  readonly hpas: number;
  readonly periodSeconds: number;
  /** What AWS bills for reading metrics. What several HPAs read together counts once. */
  readonly reads: readonly PlannedRead[];
  /** Absent: no HPA has a period of its own. */
  readonly ownPeriods?: OwnPeriods;
}

export interface OwnPeriods {
  /** HPAs that a slot decides, on average: those with longer periods rest in the other slots. */
  readonly hpasPerSlot: number;
  /** How many have shorter periods than the cluster. */
  readonly shorter: number;
  /** Messages in a minute that wake them, how many HPAs they wake, and how many their namespaces have. */
  readonly wakes: { readonly messages: number; readonly hpas: number; readonly loaded: number };
}

/** So many things of a kind of source, such as the queues of sqs. */
export interface PlannedRead extends Omit<BilledRead, "key" | "keptSeconds"> {
  readonly source: string;
  readonly count: number;
  /** How often each is read. */
  readonly everySeconds: number;
}

/** Between rest (no value changes) and motion (the values of every HPA change all the time). */
export type Load = "atRest" | "moving";

/** A shard splits above this. */
const hpasPerShard = 1_000;

export function shardsOf({ hpas }: PlannedCluster): number {
  return Math.max(1, Math.ceil(hpas / hpasPerShard));
}

export function hpasOf(plan: Pick<Plan, "clusters">): number {
  return sumOf(plan, ({ hpas }) => hpas);
}

/** The slots of a month. */
export function slotsOf({ periodSeconds }: PlannedCluster): number {
  return monthSeconds / periodSeconds;
}

/** How often HPAs are decided in a month, in slots and in wakes. */
export function decisionsOf(cluster: PlannedCluster): number {
  const { hpas, ownPeriods } = cluster;
  const woken = ((ownPeriods?.wakes.hpas ?? 0) * monthSeconds) / 60;
  return (ownPeriods?.hpasPerSlot ?? hpas) * slotsOf(cluster) + woken;
}

/** Over all clusters. */
export function sumOf({ clusters }: Pick<Plan, "clusters">, of: (cluster: PlannedCluster) => number): number {
  return clusters.reduce((sum, cluster) => sum + of(cluster), 0);
}
