import { type Digest, isDryRunScaling } from "../core/explain/digest";
import { forecast, type Move } from "../core/explain/forecast";
import { minReplicas } from "../core/gate";
import type { HorizontalPodAutoscaler } from "../k8s/hpa";
import { present } from "../k8s/map";
import { type EpochMs, minuteMs, parseInstant } from "../k8s/time";
import { readOperations } from "../model/entry/annotations";
import { withLastObserved } from "../model/stored/last-observed";
import type { DecisionRecord, Explained, Intent, State } from "../model/stored/state";
import { type DigestedDecision, digested, optionsOf, unreadMetrics } from "./decisions";
import { haltOf, type Halt } from "./halt";
import { type HpaFacts, hpaPeriodOf, lastSyncOf, periodOf } from "./hpa-facts";
import { remarksOf, type Remark } from "./remarks";

export interface Explanation {
  readonly halt?: Halt;
  /** A scaling that may have happened; the next sync finds out. */
  readonly unsettled?: Intent;
  readonly decision?: DigestedDecision;
  /** While the metrics ask for the same. In a dry run, only the first. */
  readonly moves: readonly Move[];
  readonly next?: Next;
  readonly remarks: readonly Remark[];
}

export type Next =
  /** A condition's reason. */
  | { readonly kind: "afterObstacle"; readonly reason: string }
  | { readonly kind: "dryRun"; readonly to: number }
  | { readonly kind: "moves"; readonly first: Move; readonly last: Move; readonly isDryRun: boolean }
  | { readonly kind: "blind"; readonly metrics: readonly string[] }
  | { readonly kind: "bounded"; readonly by: "maxReplicas" | "minReplicas" }
  | { readonly kind: "waking"; readonly slots: number }
  /** `blind`: they keep the size from going down. */
  | { readonly kind: "steady"; readonly blind: readonly string[] };

export function explanationOf(facts: HpaFacts, now: EpochMs): Explanation {
  const { entry, state } = facts;
  const remarks = remarksOf(facts, now);
  const halt = haltOf(facts, now);
  if (halt !== undefined) return { halt, moves: [], remarks };
  if (state?.intent !== undefined) return { unsettled: state.intent, moves: [], remarks };
  if ("errors" in entry || state?.decision === undefined) return { moves: [], remarks };
  const blindSince = blindSinceOf(state);
  const valuesAt = valuesAtOf(facts, state.decision.at);
  const said = digested(facts, state.decision);
  const decision: DigestedDecision = {
    ...said,
    isDryRun: isDryRun(said, entry.hpa),
    isPast: false,
    ...present({ blindSince, valuesAt }),
  };
  const moves = movesAfter(facts, entry.hpa, decision);
  return { decision, moves, next: nextOf(decision, moves, entry.hpa), remarks };
}

export function explanationOfRecord(facts: HpaFacts, record: DecisionRecord): Explanation {
  const decision = { ...digested(facts, record), isDryRun: record.dryRun === true, isPast: true };
  return { decision, moves: [], remarks: [] };
}

/** A dry run leaves the size, so only its first move can come true. */
function movesAfter(facts: HpaFacts, hpa: HorizontalPodAutoscaler, decision: DigestedDecision): readonly Move[] {
  const { proposed, desiredReplicas, obstacle, slotsToZero = 0 } = decision;
  const { state } = facts;
  const at = lastSyncOf(facts);
  if (state === undefined || state.history === null || at === undefined) return [];
  if (proposed === null || obstacle !== undefined || isDryRunScaling(decision)) return [];
  const history = withLastObserved(state, { lastObserved: at }).history ?? state.history;
  const periodMs = hpaPeriodOf(facts);
  // A waiting rule has its reading in the next slot.
  const confirmedMs = slotsToZero * Math.min(periodMs, periodOf(facts.cluster));
  const after = { history, replicas: desiredReplicas, proposed, at, zeroFrom: at + confirmedMs };
  const moves = forecast({ hpa, options: optionsOf(facts), ...after, periodMs });
  return decision.isDryRun ? moves.slice(0, 1) : moves;
}

function nextOf(decision: DigestedDecision, moves: readonly Move[], hpa: HorizontalPodAutoscaler): Next {
  const { obstacle, isDryRun, proposed, desiredReplicas } = decision;
  if (isDryRunScaling(decision)) return { kind: "dryRun", to: desiredReplicas };
  if (obstacle !== undefined) return { kind: "afterObstacle", reason: obstacle.reason };
  const [first] = moves;
  if (first !== undefined) return { kind: "moves", first, last: moves.at(-1) ?? first, isDryRun };
  const blind = unreadMetrics(decision);
  if (proposed === null) return { kind: "blind", metrics: blind };
  if (proposed === 0 && decision.slotsToWake !== undefined) return { kind: "waking", slots: decision.slotsToWake };
  if (proposed > hpa.spec.maxReplicas) return { kind: "bounded", by: "maxReplicas" };
  if (proposed < minReplicas(hpa)) return { kind: "bounded", by: "minReplicas" };
  return { kind: "steady", blind };
}

/** The entry may be newer: a decision that scaled was no dry run. */
function isDryRun(decision: Explained & Digest, { metadata }: HorizontalPodAutoscaler): boolean {
  if (isDryRunScaling(decision)) return true;
  const { from, desiredReplicas, proposed } = decision;
  const hasScaled = from !== desiredReplicas && proposed !== null;
  const operations = readOperations(metadata);
  return !hasScaled && "dryRun" in operations && operations.dryRun;
}

/** Undefined: the last sync's values. Moving values are written once a minute: lib/sync/slot/write-latest-values.ts */
export function valuesAtOf(facts: HpaFacts, at: EpochMs): EpochMs | undefined {
  const age = (lastSyncOf(facts) ?? at) - at;
  return age >= 1000 && age <= minuteMs + hpaPeriodOf(facts) ? at : undefined;
}

function blindSinceOf({ status }: State): EpochMs | undefined {
  const active = status.conditions?.find(({ type }) => type === "ScalingActive");
  if (active?.status !== "False" || active.lastTransitionTime === undefined) return undefined;
  return active.reason?.startsWith("FailedGet") === true ? parseInstant(active.lastTransitionTime) : undefined;
}
