import type { BilledRead } from "../../lib/sources/billed";

/** What runs: what a bill is computed from. */
export interface Plan {
  readonly clusters: readonly PlannedCluster[];
  /** Of the function sync, in MB. */
  readonly syncMemory: number;
  /** Queues of HPAs at zero that the idle watcher reads all the time. */
  readonly watched?: number;
}

export interface PlannedCluster {
  readonly hpas: number;
  readonly periodSeconds: number;
  /** What AWS bills for reading metrics. What several HPAs read together counts once. */
  readonly reads: readonly PlannedRead[];
}

/** So many things of a kind of source, such as the queues of sqs, each read every time. */
export interface PlannedRead extends Omit<BilledRead, "key"> {
  readonly source: string;
  readonly count: number;
}

/** Between rest (no value changes) and motion (the values of every HPA change all the time). */
export type Load = "atRest" | "moving";

/** A shard splits above this. */
const hpasPerShard = 1_000;

export function shardsOf({ hpas }: PlannedCluster): number {
  return Math.max(1, Math.ceil(hpas / hpasPerShard));
}

export function hpasOf({ clusters }: Pick<Plan, "clusters">): number {
  return clusters.reduce((sum, { hpas }) => sum + hpas, 0);
}
