import type { EpochMs } from "../../../lib/k8s/time";
import type { DecisionRecord, Explained } from "../../../lib/model/stored/state";
import type { Digest } from "../../../lib/core/explain/digest";
import type { Explanation } from "../../../lib/read/explanation";
import { type HpaFacts, lastSyncOf } from "../../../lib/read/hpa-facts";
import { whyOf, describeRemark } from "./decision-table";
import type { Caller } from "../../shell/advice/caller";
import { haltNext, saidText } from "./next";
import { summaryOf } from "./summary";
import { utcTimes } from "../../shell/print/times";

/** For `-o json` and `-o yaml`; moments in UTC. */
export function explanationJson(
  facts: HpaFacts,
  explanation: Explanation,
  { now, caller }: { readonly now: EpochMs; readonly caller: Caller },
): object {
  const { halt, decision, moves, remarks, states } = explanation;
  const lastSynced = lastSyncOf(facts);
  const times = utcTimes(now);
  const summary = summaryOf(facts, explanation, times);
  return {
    cluster: facts.cluster.key,
    namespace: facts.namespace,
    name: facts.name,
    summary,
    ...(states && { states }),
    ...(halt && { halted: { reason: halt.reason, summary, next: saidText(haltNext(halt, facts, times), caller) } }),
    ...(lastSynced === undefined ? {} : { lastSynced: instant(lastSynced) }),
    ...(decision?.isDryRun === true ? { dryRun: true } : {}),
    ...(decision === undefined ? {} : { decision: decisionJson(decision) }),
    next: moves.map(({ at, from, to }) => ({ at: instant(at), from, to })),
    notes: remarks.map((remark) => saidText(describeRemark(remark, facts, times), caller)),
  };
}

export function recordJson(record: DecisionRecord, digest: Digest, now: EpochMs): object {
  const dryRun = record.dryRun === true ? { dryRun: true } : {};
  const why = whyOf(record, digest, utcTimes(now));
  return { ...decisionJson({ ...record, ...digest }), why, scaleTo: record.scaleTo, ...dryRun };
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
