import type { SourceQuery } from "../../../lib/model/ports/sources";
import { isFault } from "../../../lib/model/fault";
import type { BilledRead } from "../../../lib/sources/description";
import { descriptionOf } from "../../../lib/sources/descriptions";
import { monthSeconds } from "../../../lib/model/prices";

export interface RequestedSource extends Pick<SourceQuery, "metricName" | "parameters"> {
  readonly source: string;
  readonly periodSeconds: number;
}

export function plannedReads(asked: readonly RequestedSource[]): readonly PlannedRead[] {
  const distinct = new Map<string, Omit<PlannedRead, "count">>();
  for (const { source, periodSeconds, ...query } of asked) {
    for (const { key, keptSeconds, ...read } of billedFor(source, query)) {
      const id = JSON.stringify([source, read.what, key]);
      const often = Math.min(everySeconds(periodSeconds, keptSeconds), distinct.get(id)?.everySeconds ?? Infinity);
      distinct.set(id, { ...read, everySeconds: often, source });
    }
  }
  const counted = new Map<string, PlannedRead>();
  for (const read of distinct.values()) {
    const group = JSON.stringify([read.source, read.what, read.everySeconds]);
    const before = counted.get(group);
    counted.set(group, { ...before, ...read, count: (before?.count ?? 0) + 1 });
  }
  return [...counted.values()];
}

function billedFor(source: string, query: SourceQuery): readonly BilledRead[] {
  try {
    return descriptionOf(source)?.billedByAws?.(query) ?? [];
  } catch (error) {
    if (isFault(error, "badEntry")) return [];
    throw error;
  }
}

export interface MonthlyReads extends Omit<PlannedRead, "everySeconds"> {
  readonly times: number;
}

export function monthlyReads({ clusters }: Pick<Plan, "clusters">): readonly MonthlyReads[] {
  const found = new Map<string, MonthlyReads>();
  for (const cluster of clusters) {
    for (const { everySeconds: often, ...read } of cluster.reads) {
      const group = JSON.stringify([read.source, read.what]);
      const before = found.get(group);
      const times = (before?.times ?? 0) + (read.count * monthSeconds) / often;
      found.set(group, { ...before, ...read, count: (before?.count ?? 0) + read.count, times });
    }
  }
  return [...found.values()];
}

function everySeconds(periodSeconds: number, keptSeconds: number): number {
  return periodSeconds * Math.max(1, Math.ceil(keptSeconds / periodSeconds));
}

export interface Plan {
  readonly clusters: readonly PlannedCluster[];
  readonly syncMemory: number;
  readonly watched?: number;
  readonly syncPollers?: number;
  readonly notify?: boolean;
  readonly metrics?: boolean;
}

export interface PlannedCluster {
  readonly hpas: number;
  readonly periodSeconds: number;
  /** Reads that several HPAs share count once. */
  readonly reads: readonly PlannedRead[];
  /** Absent: no HPA has a period of its own. */
  readonly ownPeriods?: PlannedPeriods;
}

export interface PlannedPeriods {
  /** The average: HPAs with longer periods rest in some slots. */
  readonly hpasPerSlot: number;
  readonly shorter: number;
  /** Per minute: messages, the HPAs that they wake, and the HPAs in the namespaces of these. */
  readonly wakes: { readonly messages: number; readonly hpas: number; readonly loaded: number };
}

export interface PlannedRead extends Omit<BilledRead, "key" | "keptSeconds"> {
  readonly source: string;
  readonly count: number;
  readonly everySeconds: number;
}

/** No value changes, or those of every HPA change all the time. */
export type Load = "atRest" | "moving";

const hpasPerShard = 1_000;

export function shardCountOf({ hpas }: PlannedCluster): number {
  return Math.max(1, Math.ceil(hpas / hpasPerShard));
}

export function hpasOf(plan: Pick<Plan, "clusters">): number {
  return sumOf(plan, ({ hpas }) => hpas);
}

export function slotsOf({ periodSeconds }: PlannedCluster): number {
  return monthSeconds / periodSeconds;
}

export function shardSlotsOf(plan: Plan): number {
  return sumOf(plan, (cluster) => shardCountOf(cluster) * slotsOf(cluster));
}

export function decisionsOf(cluster: PlannedCluster): number {
  const { hpas, ownPeriods } = cluster;
  const woken = ((ownPeriods?.wakes.hpas ?? 0) * monthSeconds) / 60;
  return (ownPeriods?.hpasPerSlot ?? hpas) * slotsOf(cluster) + woken;
}

export function sumOf({ clusters }: Pick<Plan, "clusters">, of: (cluster: PlannedCluster) => number): number {
  return clusters.reduce((sum, cluster) => sum + of(cluster), 0);
}
