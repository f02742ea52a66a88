import type { EpochMs } from "../k8s/time";
import { isPaused, readOperations } from "../model/entry/annotations";
import { type HpaFacts, isLate, periodOf } from "./hpa-facts";

/** Why nothing is decided for an HPA at the moment. */
export type Halt =
  | { readonly reason: "InvalidEntry"; readonly errors: readonly string[] }
  | { readonly reason: "InvalidCluster"; readonly problem: string }
  /** Its stored state cannot be read. */
  | { readonly reason: "BrokenState"; readonly problem: string }
  /** Without `until`: paused until somebody resumes it. `replicas`: the size that it keeps, if known. */
  | { readonly reason: "Paused"; readonly until?: EpochMs; readonly replicas?: number }
  | { readonly reason: "NeverSynced"; readonly cause: NeverSynced };

export type NeverSynced =
  | { readonly kind: "noShard" }
  | { readonly kind: "shardFails"; readonly failure: string }
  /** Without `lastSlot`: no slot of its shard ever finished. */
  | { readonly kind: "shardLate"; readonly lastSlot?: EpochMs }
  | { readonly kind: "new"; readonly periodMs: number };

/** What stops an HPA before any metric is considered; undefined: nothing. */
export function haltOf(facts: HpaFacts, now: EpochMs): Halt | undefined {
  const { cluster, entry, brokenState, state } = facts;
  if ("errors" in entry) return { reason: "InvalidEntry", errors: entry.errors };
  const operations = readOperations(entry.hpa.metadata);
  if ("errors" in operations) return { reason: "InvalidEntry", errors: operations.errors };
  if ("invalid" in cluster) return { reason: "InvalidCluster", problem: cluster.invalid };
  if (brokenState !== undefined) return { reason: "BrokenState", problem: brokenState };
  if (isPaused(operations, now)) {
    const replicas = state?.status.currentReplicas;
    const until = typeof operations.paused === "object" ? operations.paused : {};
    return { reason: "Paused", ...until, ...(replicas === undefined ? {} : { replicas }) };
  }
  return state === undefined ? { reason: "NeverSynced", cause: whyNeverSynced(facts, now) } : undefined;
}

function whyNeverSynced({ cluster, shard }: HpaFacts, now: EpochMs): NeverSynced {
  if (shard === undefined) return { kind: "noShard" };
  if (shard.failure !== undefined) return { kind: "shardFails", failure: shard.failure };
  const periodMs = periodOf(cluster);
  if (!isLate(shard, periodMs, now)) return { kind: "new", periodMs };
  return { kind: "shardLate", ...(shard.slot === 0 ? {} : { lastSlot: shard.slot }) };
}
