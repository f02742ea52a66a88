import type { HpaStatus, MetricStatus } from "../k8s/hpa";
import type { Scale } from "../k8s/objects";
import { rescaled, setConditions, succeededGetScale, type Verdict } from "./conditions";
import { canReachZero, currentReplicas, minReplicas, type ClosedGate } from "./gate";
import { countRescale, noHistory } from "./history";
import { fallbackVerdicts } from "./rules/fallback";
import { formatSeconds } from "../k8s/time";
import type { Activity } from "../model/activity";
import type { Decision, History, HpaEvent, Memory, Situation } from "../model/situation";
import type { EpochMs } from "../k8s/time";
import type { Step } from "../model/step";
import { spareBusy } from "./spare-busy";

export interface Appraisal {
  readonly scale: Scale;
  readonly replicas: number;
  readonly reason: string;
  readonly verdicts: readonly Verdict[];
  readonly statuses: readonly MetricStatus[];
  readonly events: readonly HpaEvent[];
  readonly history: History;
  readonly recommendation: number | null;
  readonly steps: readonly Step[];
  readonly memory?: Memory | undefined;
  readonly activity?: Activity | undefined;
  readonly sparedSince?: EpochMs | undefined;
}

/** Only the condition changes. */
export function withoutScale(
  { hpa, history, memory, activity, sparedSince }: Situation,
  error: string,
  now: EpochMs,
): Decision {
  const message = `the HPA controller was unable to get the target's current scale: ${error}`;
  const verdict: Verdict = { type: "AbleToScale", status: "False", reason: "FailedGetScale", message };
  const before = hpa.status ?? {};
  return {
    desiredReplicas: before.desiredReplicas ?? 0,
    scaleTo: null,
    status: { ...before, conditions: setConditions(before.conditions ?? [], [verdict], now) },
    events: [{ type: "Warning", reason: "FailedGetScale", message: error }],
    history: history ?? noHistory,
    recommendation: null,
    ...remembered({ memory, activity, sparedSince }),
    steps: [{ stage: "scale", replicas: null, limitedBy: "FailedGetScale", because: error }],
  };
}

/** The target stays at a zero that is not ours, or goes to the bound that it exceeds. */
export function decideAtGate(
  situation: Situation,
  { gate, scale, history }: { readonly gate: ClosedGate; readonly scale: Scale; readonly history: History },
  now: EpochMs,
): Decision {
  const { kind, replicas, limitedBy, because: reason } = gate;
  const { hpa } = situation;
  const detail = { current: currentReplicas(scale), minReplicas: minReplicas(hpa), maxReplicas: hpa.spec.maxReplicas };
  const step: Step = { stage: "gate", replicas, limitedBy, because: reason, detail };
  const inactive: Verdict = { type: "ScalingActive", status: "False", reason: limitedBy, message: reason };
  const unread = fallbackVerdicts(hpa, situation.rules, undefined);
  const verdicts = kind === "disabled" ? [inactive, ...unread] : unread;
  const findings = { scale, replicas, reason, verdicts, statuses: [], events: [], history, recommendation: null };
  const gated = { ...findings, steps: [step], activity: situation.activity };
  return decide(situation, spareBusy(situation, gated, now), now);
}

/** Nothing is scaled: keeps the last answer. */
export function withoutSize(
  situation: Situation,
  findings: Omit<Appraisal, "replicas" | "reason" | "recommendation"> & { readonly error: string },
  now: EpochMs,
): Decision {
  const desiredReplicas = situation.hpa.status?.desiredReplicas ?? 0;
  const current = currentReplicas(findings.scale);
  const failed: HpaEvent = { type: "Warning", reason: "FailedComputeMetricsReplicas", message: findings.error };
  return {
    desiredReplicas,
    scaleTo: null,
    status: statusAfter(situation, { ...findings, desiredReplicas }, now),
    events: [...findings.events, failed],
    history: findings.history,
    recommendation: null,
    ...remembered({ ...findings, sparedSince: situation.sparedSince }),
    steps: [
      ...findings.steps,
      { stage: "decide", replicas: current, limitedBy: failed.reason, because: findings.error },
    ],
  };
}

export function decide(situation: Situation, findings: Appraisal, now: EpochMs): Decision {
  const { scale, replicas, reason, history, recommendation } = findings;
  const current = currentReplicas(scale);
  if (replicas === current) {
    const because = `${current} replicas are right`;
    return {
      desiredReplicas: current,
      scaleTo: null,
      status: statusAfter(situation, { ...findings, desiredReplicas: current }, now),
      events: findings.events,
      history,
      recommendation,
      ...remembered(findings),
      steps: [...findings.steps, { stage: "decide", replicas: current, because }],
    };
  }
  const { hpa } = situation;
  const scaledToZero = replicas === 0 && minReplicas(hpa) === 0 && canReachZero(hpa);
  const verdicts = [...findings.verdicts, ...rescaled(replicas, scaledToZero)];
  const message = `New size: ${replicas}; reason: ${reason}`;
  return {
    desiredReplicas: replicas,
    scaleTo: replicas,
    status: {
      ...statusAfter(situation, { ...findings, verdicts, desiredReplicas: replicas }, now),
      lastScaleTime: formatSeconds(now),
    },
    events: [...findings.events, { type: "Normal", reason: "SuccessfulRescale", message }],
    history: countRescale(history, { from: current, to: replicas, at: now }, hpa.spec.behavior),
    recommendation,
    ...remembered(findings),
    steps: [...findings.steps, { stage: "decide", replicas, because: `from ${current} to ${replicas}` }],
  };
}

type Remembered = "memory" | "activity" | "sparedSince";

function remembered({ memory, activity, sparedSince }: Pick<Appraisal, Remembered>): Pick<Decision, Remembered> {
  return {
    ...(memory && { memory }),
    ...(activity && { activity }),
    ...(sparedSince !== undefined && { sparedSince }),
  };
}

/** Built from scratch, so that no older metric stays. Upstream: setStatus, horizontal.go. */
function statusAfter(
  { hpa }: Situation,
  {
    scale,
    desiredReplicas,
    statuses,
    verdicts,
  }: Pick<Appraisal, "scale" | "statuses" | "verdicts"> & { readonly desiredReplicas: number },
  now: EpochMs,
): HpaStatus {
  const { lastScaleTime, conditions = [] } = hpa.status ?? {};
  const { generation: observedGeneration = 0 } = hpa.metadata;
  const found = {
    observedGeneration,
    currentReplicas: currentReplicas(scale),
    desiredReplicas,
    currentMetrics: statuses,
    conditions: setConditions(conditions, [succeededGetScale(), ...verdicts], now),
  };
  return lastScaleTime === undefined ? found : { ...found, lastScaleTime };
}
