import type { DecisionRecord, Explained } from "../../lib/model/state";
import type { Digest } from "../../lib/core/explain/digest";
import type { Account } from "./account";
import { lastSyncOf, type Standing } from "./standing";

/** What `-o json` and `-o yaml` print: the same account as data, every moment in UTC. */
export function explanationJson(standing: Standing, { summary, halt, decision, moves, remarks }: Account): object {
  const lastSynced = lastSyncOf(standing);
  return {
    cluster: standing.cluster.key,
    namespace: standing.namespace,
    name: standing.name,
    summary,
    ...(halt === undefined ? {} : { halted: halt }),
    ...(lastSynced === undefined ? {} : { lastSynced: instant(lastSynced) }),
    ...(decision === undefined ? {} : { decision: decisionJson(decision) }),
    next: moves.map(({ at, from, to }) => ({ at: instant(at), from, to })),
    notes: remarks,
  };
}

export function recordJson(record: DecisionRecord, digest: Digest): object {
  const dryRun = record.dryRun === true ? { dryRun: true } : {};
  return { ...decisionJson({ ...record, ...digest }), ...dryRun };
}

function decisionJson({ at, from, desiredReplicas, proposed, metrics, holds, obstacle, steps }: Explained & Digest) {
  return {
    at: instant(at),
    from,
    desiredReplicas,
    proposed,
    metrics,
    held: holds.map((hold) => ({
      ...hold,
      ...("lastSeen" in hold ? { lastSeen: hold.lastSeen === null ? null : instant(hold.lastSeen) } : {}),
      ...("until" in hold ? { until: hold.until === null ? null : instant(hold.until) } : {}),
    })),
    ...(obstacle === undefined ? {} : { obstacle }),
    steps,
  };
}

function instant(at: number): string {
  return new Date(at).toISOString();
}
