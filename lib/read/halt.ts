import type { HorizontalPodAutoscaler } from "../k8s/hpa";
import { present } from "../k8s/map";
import type { EpochMs } from "../k8s/time";
import { isPaused, readOperations } from "../model/entry/annotations";
import { type HpaFacts, hpaPeriodOf, periodOf } from "./hpa-facts";
import { shardHealth } from "./shard-health";

export type Halt =
  | { readonly reason: "InvalidEntry"; readonly errors: readonly string[] }
  | { readonly reason: "InvalidCluster"; readonly problem: string }
  | { readonly reason: "BrokenState"; readonly problem: string }
  | { readonly reason: "Paused"; readonly until?: EpochMs; readonly replicas?: number }
  | { readonly reason: "NeverSynced"; readonly cause: NeverSynced };

export type NeverSynced =
  /** `due`: a young cluster's first sync. */
  | { readonly kind: "noShard"; readonly due?: EpochMs }
  | { readonly kind: "shardFails"; readonly failure: string }
  /** Without `lastSlot`: no slot ever finished. */
  | { readonly kind: "shardLate"; readonly lastSlot?: EpochMs }
  /** Without `due`: its age is unknown. */
  | { readonly kind: "new"; readonly periodMs: number; readonly due?: EpochMs }
  /** Its shard is synced in time, and was when this was due. */
  | { readonly kind: "missed"; readonly due: EpochMs };

/** Undefined: metrics decide. */
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
    return { reason: "Paused", ...until, ...present({ replicas }) };
  }
  return state === undefined ? { reason: "NeverSynced", cause: whyNeverSynced(facts, entry.hpa, now) } : undefined;
}

function whyNeverSynced(facts: HpaFacts, hpa: HorizontalPodAutoscaler, now: EpochMs): NeverSynced {
  const { cluster, shard } = facts;
  const health = shardHealth(shard, cluster, now);
  const periodMs = hpaPeriodOf(facts);
  switch (health.kind) {
    case "missing":
      return { kind: "noShard" };
    case "notYet": {
      const { due } = health;
      return shard === undefined ? { kind: "noShard", due } : { kind: "new", periodMs, due };
    }
    case "fails":
      return { kind: "shardFails", failure: health.failure };
    case "late": {
      const { lastSlot, failure } = health;
      if (failure !== undefined) return { kind: "shardFails", failure };
      return { kind: "shardLate", ...present({ lastSlot }) };
    }
    case "inTime": {
      const createdAt = Date.parse(hpa.metadata.creationTimestamp ?? "");
      if (Number.isNaN(createdAt)) return { kind: "new", periodMs };
      // The first slot begins within a period, and may take one.
      const due = createdAt + 2 * periodOf(cluster);
      return now < due ? { kind: "new", periodMs, due } : { kind: "missed", due };
    }
  }
}
