import { pausedAnnotation, pausedUntilAnnotation } from "../model/entry/annotation-names";
import { isPaused, type Operations } from "../model/entry/annotations";
import type { HorizontalPodAutoscaler } from "../k8s/hpa";
import { formatSeconds, type EpochMs } from "../k8s/time";
import { setConditions, type Verdict, isTrue } from "./conditions";
import { zeroRuleOf } from "../model/entry/zero-rule";
import { currentReplicas, canReachZero, minReplicas } from "./gate";
import { noHistory } from "./history";
import type { Decision, HpaEvent, Situation } from "../model/situation";
import type { Step } from "../model/step";
import { undoScaling } from "./undo-scaling";

const PAUSED = "Paused";

/** The first sync after a pause reports its end. */
export const paused: Modifier = {
  instead: (found, operations, now) => (isPaused(operations, now) ? pausedDecision(found, operations, now) : undefined),
  prepare: ({ hpa }, _operations, now) => (wasPaused(hpa) ? withVerdict(hpa, resumed, now) : hpa),
  amend: (decision, { found }) =>
    wasPaused(found.hpa) ? { ...decision, events: [resumedEvent, ...decision.events] } : decision,
};

/** Makes no recommendation, which ends the open span. */
function pausedDecision(
  { hpa, scale, history, activity, sparedSince }: Situation,
  operations: Operations,
  now: EpochMs,
): Decision {
  const before = hpa.status ?? {};
  const { generation: observedGeneration = 0 } = hpa.metadata;
  const seen = "error" in scale ? {} : { currentReplicas: currentReplicas(scale) };
  const message = describe(operations);
  const verdict: Verdict = { type: "ScalingActive", status: "False", reason: PAUSED, message };
  const event: HpaEvent = { type: "Normal", reason: PAUSED, message };
  const step: Step = { stage: "gate", replicas: seen.currentReplicas ?? null, limitedBy: PAUSED, because: message };
  return {
    desiredReplicas: before.desiredReplicas ?? 0,
    scaleTo: null,
    status: {
      ...before,
      observedGeneration,
      ...seen,
      currentMetrics: [],
      conditions: setConditions(before.conditions ?? [], [verdict], now),
    },
    events: wasPaused(hpa) ? [] : [event],
    history: history ?? noHistory,
    recommendation: null,
    ...(activity && { activity }),
    ...(sparedSince !== undefined && { sparedSince }),
    steps: [step],
  };
}

function describe({ paused: pause }: Operations): string {
  return typeof pause === "boolean"
    ? `paused by the annotation ${pausedAnnotation}`
    : `paused until ${formatSeconds(pause.until)} by the annotation ${pausedUntilAnnotation}`;
}

/** Only the condition remembers a pause. */
export function wasPaused({ status }: Pick<HorizontalPodAutoscaler, "status">): boolean {
  return status?.conditions?.find(({ type }) => type === "ScalingActive")?.reason === PAUSED;
}

const resumed: Verdict = {
  type: "ScalingActive",
  status: "Unknown",
  reason: "Resumed",
  message: "resumed; no metric has been read since",
};

const resumedEvent: HpaEvent = { type: "Normal", reason: resumed.reason, message: "resumed" };

export type Unobserved = Pick<Situation, "hpa" | "scale" | "history" | "activity">;

export interface ModifiedSituation {
  readonly found: Situation;
  readonly prepared: Situation;
  readonly operations: Operations;
  readonly now: EpochMs;
}

export interface Modifier {
  /** Undefined: the stages decide. */
  readonly instead?: (found: Situation, operations: Operations, now: EpochMs) => Decision | undefined;
  /** The sync also uses this, to know what to observe. */
  readonly prepare: (known: Unobserved, operations: Operations, now: EpochMs) => HorizontalPodAutoscaler;
  readonly amend: (decision: Decision, modified: ModifiedSituation) => Decision;
}

export function withVerdict(hpa: HorizontalPodAutoscaler, verdict: Verdict, now: EpochMs): HorizontalPodAutoscaler {
  return { ...hpa, status: { ...hpa.status, conditions: setConditions(hpa.status?.conditions ?? [], [verdict], now) } };
}

const DRY_RUN = "DryRun";

const NOT_APPLIED = "not applied (dry run)";

export const dryRun: Modifier = {
  prepare: (known, operations, now) => {
    const zero = operations.dryRun ? adoptedZero(known) : undefined;
    return zero === undefined ? known.hpa : withVerdict(known.hpa, zero, now);
  },
  amend: (decision, modified) => (modified.operations.dryRun ? withoutEffect(decision, modified) : decision),
};

/** desiredReplicas stays. An event reports it only when it changes. */
function withoutEffect(decision: Decision, { prepared, now }: ModifiedSituation): Decision {
  const { scaleTo } = decision;
  if (scaleTo === null) return decision;
  const message = `the HPA controller would update the target scale to ${scaleTo}; ${NOT_APPLIED}`;
  const isRepeated = wantedBefore(prepared.hpa) === scaleTo;
  return undoScaling(
    prepared,
    decision,
    {
      verdict: { type: "AbleToScale", status: "True", reason: DRY_RUN, message },
      because: NOT_APPLIED,
      insteadOf: (rescaled) =>
        isRepeated
          ? undefined
          : { type: "Normal", reason: "DryRunRescale", message: `${rescaled.message}; ${NOT_APPLIED}` },
    },
    now,
  );
}

function wantedBefore({ status }: HorizontalPodAutoscaler): number | undefined {
  const able = status?.conditions?.find(({ type }) => type === "AbleToScale");
  return able?.reason === DRY_RUN ? status?.desiredReplicas : undefined;
}

/**
 * A zero of another controller counts as ours if our last recommendation was zero (`ebb.dev/zero`: if we last found
 * no work). Otherwise the HPA would stay at zero for good.
 *
 *     recommended  2 ─ 0 ─ 0 ─                   the other controller's window was shorter, or it synced first:
 *     replicas     2 ─ 2 ─ 0 ─                   from here on the zero is ours to wake
 */
function adoptedZero({ hpa, scale, history, activity }: Unobserved): Verdict | undefined {
  if ("error" in scale) return undefined;
  const { status } = hpa;
  const current = currentReplicas(scale);
  const isOurs = isTrue(status?.conditions, "ScaledToZero");
  if (current > 0) return isOurs ? wokenByAnother : undefined;
  const ran = (status?.currentReplicas ?? 0) > 0;
  const wasIdle = zeroRuleOf(hpa) !== undefined && activity?.lastWork !== undefined;
  const wantedZero = wasIdle || history?.recommendations.at(-1)?.replicas === 0;
  const mayBeZero = minReplicas(hpa) === 0 && canReachZero(hpa);
  return !isOurs && ran && wantedZero && mayBeZero ? zeroedByAnother : undefined;
}

const zeroedByAnother: Verdict = {
  type: "ScaledToZero",
  status: "True",
  reason: "ScaledToZero",
  message: "another controller scaled the workload to zero, as was recommended (dry run)",
};

const wokenByAnother: Verdict = {
  type: "ScaledToZero",
  status: "False",
  reason: "NotScaledToZero",
  message: "another controller scaled the workload from zero (dry run)",
};
