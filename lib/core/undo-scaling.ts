import type { Condition } from "../k8s/objects";
import { setConditions, type Verdict } from "./conditions";
import { noHistory } from "./history";
import type { Decision, HpaEvent, Situation } from "../model/situation";
import type { EpochMs } from "../k8s/time";

interface Undoing {
  readonly verdict: Verdict;
  readonly because: string;
  /** Replaces "New size: 4; reason: …". Undefined: no event. */
  readonly insteadOf: (rescaled: HpaEvent) => HpaEvent | undefined;
}

/**
 * No scale event counts; the last scaling's time and a zero's owner stay. Recommendation and desiredReplicas are the
 * decision's.
 */
export function undoScaling(
  { hpa, history }: Situation,
  decision: Decision,
  { verdict, because, insteadOf }: Undoing,
  now: EpochMs,
): Decision {
  const before = hpa.status ?? {};
  const { scaleUpEvents, scaleDownEvents } = history ?? noHistory;
  const { lastScaleTime: _scaledNow, ...status } = decision.status;
  const conditions = withFormerZero(before.conditions ?? [], decision.status.conditions ?? []);
  return {
    ...decision,
    scaleTo: null,
    status: {
      ...status,
      ...(before.lastScaleTime === undefined ? {} : { lastScaleTime: before.lastScaleTime }),
      conditions: setConditions(conditions, [verdict], now),
    },
    events: decision.events.flatMap((event) =>
      event.reason === "SuccessfulRescale" ? (insteadOf(event) ?? []) : [event],
    ),
    history: { ...decision.history, scaleUpEvents, scaleDownEvents },
    steps: [
      ...decision.steps,
      { stage: "decide", replicas: status.currentReplicas ?? null, limitedBy: verdict.reason, because },
    ],
  };
}

function withFormerZero(before: readonly Condition[], conditions: readonly Condition[]): readonly Condition[] {
  const former = before.find(({ type }) => type === "ScaledToZero");
  return conditions.flatMap((condition) => (condition.type === "ScaledToZero" ? (former ?? []) : [condition]));
}
