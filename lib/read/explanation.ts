import { type Digest, isDryRunScaling } from "../core/explain/digest";
import { minReplicas } from "../core/gate";
import type { HorizontalPodAutoscaler, ScalingRules } from "../k8s/hpa";
import { present } from "../k8s/map";
import { type EpochMs, minuteMs, parseInstant } from "../k8s/time";
import { zeroRuleOf } from "../model/entry/zero-rule";
import { readOperations } from "../model/entry/annotations";
import type { HpaState } from "../model/hpa-states";
import { withLastObserved } from "../model/stored/last-observed";
import type { DecisionRecord, Explained, Intent, State } from "../model/stored/state";
import { type DigestedDecision, digested, optionsOf, unreadMetrics } from "./decisions";
import { haltOf, type Halt } from "./halt";
import { type HpaFacts, hpaPeriodOf, lastSyncOf, periodOf } from "./hpa-facts";
import { remarksOf, type Remark } from "./remarks";
import { statesNow } from "./states-now";
import type { ZeroByActivity } from "../core/idle";
import { restrain } from "../core/restrain";
import { countRescale, remember } from "../core/history";
import type { History, Options } from "../model/situation";

export interface Explanation {
  /** The present ones, the most urgent first. */
  readonly states?: readonly HpaState[];
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
  | { readonly kind: "sparing"; readonly isForCosts: boolean }
  | { readonly kind: "waking"; readonly slots: number }
  /** `blind`: they keep the size from going down. */
  | { readonly kind: "steady"; readonly blind: readonly string[] };

export function explanationOf(facts: HpaFacts, now: EpochMs): Explanation {
  const { entry, state } = facts;
  const remarks = remarksOf(facts, now);
  const states = statesNow(facts, now);
  const halt = haltOf(facts, now);
  if (halt !== undefined) return { states, halt, moves: [], remarks };
  if (state?.intent !== undefined) return { states, unsettled: state.intent, moves: [], remarks };
  if ("errors" in entry || state?.decision === undefined) return { states, moves: [], remarks };
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
  return { states, decision, moves, next: nextOf(decision, moves, entry.hpa), remarks };
}

export function explanationOfRecord(facts: HpaFacts, record: DecisionRecord): Explanation {
  const decision = { ...digested(facts, record), isDryRun: record.dryRun === true, isPast: true };
  return { decision, moves: [], remarks: [] };
}

/** A dry run leaves the size, so only its first move can come true. */
function movesAfter(facts: HpaFacts, hpa: HorizontalPodAutoscaler, decision: DigestedDecision): readonly Move[] {
  const { proposed, desiredReplicas, obstacle, slotsToZero = 0, idle } = decision;
  const { state } = facts;
  const at = lastSyncOf(facts);
  if (state === undefined || state.history === null || at === undefined) return [];
  if (obstacle !== undefined || isDryRunScaling(decision) || sparingIn(decision) !== undefined) return [];
  const zeroRule = zeroRuleOf(hpa);
  const periodMs = hpaPeriodOf(facts);
  // Unreadable metrics of pods do not hold a zero.
  if (proposed === null && zeroRule !== undefined && typeof idle?.until === "number" && desiredReplicas > 0)
    return [{ at: Math.max(idle.until, at + periodMs), from: desiredReplicas, to: 0 }];
  if (proposed === null || (zeroRule !== undefined && idle?.isZero === true)) return [];
  const history = withLastObserved(state, { lastObserved: at }).history ?? state.history;
  // A waiting rule has its reading in the next slot.
  const confirmedMs = slotsToZero * Math.min(periodMs, periodOf(facts.cluster));
  const after = { history, replicas: desiredReplicas, proposed, at, zeroFrom: at + confirmedMs };
  const ofZero = zeroRule && { idle: { from: zeroRule.from, zeroAt: zeroAtOf(decision, at, periodMs) } };
  const moves = forecast({ hpa, options: optionsOf(facts), ...after, ...ofZero, periodMs });
  return decision.isDryRun ? moves.slice(0, 1) : moves;
}

/** With `ebb.dev/zero`. Undefined: not while the metrics stay as they are. */
function zeroAtOf({ idle, holds }: Digest, at: EpochMs, periodMs: number): EpochMs | undefined {
  const slots = holds.flatMap((hold) => (hold.by === "confirm" ? [hold.slotsToZero] : []));
  return slots[0] === undefined ? (idle?.until ?? undefined) : at + slots[0] * periodMs;
}

function nextOf(decision: DigestedDecision, moves: readonly Move[], hpa: HorizontalPodAutoscaler): Next {
  const { obstacle, isDryRun, proposed, desiredReplicas } = decision;
  if (isDryRunScaling(decision)) return { kind: "dryRun", to: desiredReplicas };
  if (obstacle !== undefined) return { kind: "afterObstacle", reason: obstacle.reason };
  const sparing = sparingIn(decision);
  if (sparing !== undefined) return { kind: "sparing", isForCosts: sparing.isForCosts === true };
  const [first] = moves;
  if (first !== undefined) return { kind: "moves", first, last: moves.at(-1) ?? first, isDryRun };
  const blind = unreadMetrics(decision);
  if (proposed === null) return { kind: "blind", metrics: blind };
  if (proposed === 0 && decision.slotsToWake !== undefined) return { kind: "waking", slots: decision.slotsToWake };
  if (proposed > hpa.spec.maxReplicas) return { kind: "bounded", by: "maxReplicas" };
  if (proposed < minReplicas(hpa)) return { kind: "bounded", by: "minReplicas" };
  return { kind: "steady", blind };
}

function sparingIn({ holds }: Digest) {
  return holds.find((hold) => hold.by === "busy");
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

export interface Outlook {
  readonly hpa: HorizontalPodAutoscaler;
  readonly options: Options;
  readonly history: History;
  readonly replicas: number;
  /** The size that the metrics ask for, before anything holds it back. */
  readonly proposed: number;
  readonly at: EpochMs;
  readonly periodMs: number;
  /** When the target may go to zero. Absent: at once. */
  readonly zeroFrom?: EpochMs;
  /** With `ebb.dev/zero`: the least size above zero, and when zero follows. Absent `zeroAt`: not while this lasts. */
  readonly idle?: { readonly from: number; readonly zeroAt?: EpochMs | undefined };
}

/** `at`: the earliest moment. The sync is up to a period later. */
interface Move {
  readonly at: EpochMs;
  readonly from: number;
  readonly to: number;
}

/** No policy needs more moves within an hour, the longest window. */
const mostMoves = 500;

/**
 * The moves while the metrics ask for the same size. Runs the stages whenever a recommendation leaves its window, or a
 * scale event its policy's period.
 *
 *     7 ──── 5 ──── 3 (now)      the windows of 7 and of 5 end one after the other: two moves
 *     └─ window ─┘→5
 *            └─ window ─┘→3
 */
export function forecast(outlook: Outlook): readonly Move[] {
  const moves: Move[] = [];
  let { history, replicas, at } = outlook;
  for (;;) {
    const move = firstMove({ ...outlook, history, replicas, at });
    if (move === undefined || moves.length === mostMoves) return moves;
    moves.push(move);
    const { hpa, proposed, options } = outlook;
    history = countRescale(remember(history, proposed, move.at, options), move, hpa.spec.behavior);
    replicas = move.to;
    at = move.at;
  }
}

function firstMove(outlook: Outlook): Move | undefined {
  for (const at of turningPoints(outlook)) {
    const { replicas: from, proposed, zeroFrom = at } = outlook;
    const zeroHold = at < zeroFrom ? { name: "", slotsToZero: 1 } : undefined;
    const idle = outlook.idle && idleAt(outlook.idle);
    const { replicas: to } = restrain(proposed, { ...outlook, current: from, zeroHold, idle }, at);
    if (to !== from) return { at, from, to };
  }
  return undefined;
}

function idleAt({ from, zeroAt }: NonNullable<Outlook["idle"]>): ZeroByActivity {
  return { from, work: zeroAt === undefined ? "work" : "none", zeroAt, activity: undefined };
}

function turningPoints({ hpa, options, history, at, periodMs, zeroFrom = at, idle }: Outlook): readonly EpochMs[] {
  const next = at + periodMs;
  const { behavior } = hpa.spec;
  const down = behavior?.scaleDown?.stabilizationWindowSeconds ?? options.downscaleStabilizationSeconds;
  const up = behavior?.scaleUp?.stabilizationWindowSeconds ?? 0;
  // Without `behavior`, the window's first moment counts.
  const last = behavior === undefined ? 1 : 0;
  const released = history.recommendations.flatMap((span) => [span.at + up * 1000, span.at + down * 1000 + last]);
  const periods = [...periodsOf(behavior?.scaleUp), ...periodsOf(behavior?.scaleDown)];
  const expired = [...history.scaleUpEvents, ...history.scaleDownEvents].flatMap((event) =>
    [event.at, event.foundAt ?? event.at].flatMap((from) => periods.map((seconds) => from + seconds * 1000)),
  );
  const later = [...released, ...expired, zeroFrom, idle?.zeroAt ?? at].filter((moment) => moment > next);
  return [...new Set([next, ...later])].sort((a, b) => a - b);
}

function periodsOf(rules: ScalingRules | undefined): readonly number[] {
  return (rules?.policies ?? []).map(({ periodSeconds }) => periodSeconds);
}
