import type { HpaStatus } from "../k8s/hpa";
import type { Condition, ConditionStatus } from "../k8s/objects";
import { formatSeconds } from "../k8s/time";
import type { EpochMs } from "../k8s/time";
import type { Step } from "../model/step";

/** Types and reasons are upstream's; the last type is KEP-5679's. */
export interface Verdict {
  readonly type: "AbleToScale" | "ScalingActive" | "ScalingLimited" | "ScaledToZero" | "ExternalMetricFallbackActive";
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
}

type StageLimit = keyof typeof limitMessages;

export type StageStep = Extract<Step, { stage: "stabilize" | "limitRate" | "bounds" }> & {
  readonly replicas: number;
  readonly limitedBy?: StageLimit;
};

export const limitMessages = {
  ScaleUpStabilized: "recent recommendations were lower than current one, applying the lowest recent recommendation",
  ScaleDownStabilized:
    "recent recommendations were higher than current one, applying the highest recent recommendation",
  ScaleUpLimit: "the desired replica count is increasing faster than the maximum scale rate",
  ScaleDownLimit: "the desired replica count is decreasing faster than the maximum scale rate",
  TooManyReplicas: "the desired replica count is more than the maximum replica count",
  TooFewReplicas: "the desired replica count is less than the minimum replica count",
};

export const WITHIN_RANGE = "the desired count is within the acceptable range";

/** An HPA is able to scale even while its size is held. */
export function ableToScale({ limitedBy }: StageStep): Verdict {
  return limitedBy === undefined
    ? verdict("AbleToScale", "True", "ReadyForNewScale", "recommended size matches current size")
    : verdict("AbleToScale", "True", limitedBy, limitMessages[limitedBy]);
}

export function scalingLimited({ limitedBy }: StageStep): Verdict {
  return limitedBy === undefined
    ? verdict("ScalingLimited", "False", "DesiredWithinRange", WITHIN_RANGE)
    : verdict("ScalingLimited", "True", limitedBy, limitMessages[limitedBy]);
}

function verdict(type: Verdict["type"], status: ConditionStatus, reason: string, message: string): Verdict {
  return { type, status, reason, message };
}

/**
 * New types go last. lastTransitionTime moves only with the status, also if a later verdict moves it back. Upstream:
 * setConditionInList, horizontal.go.
 */
export function setConditions(
  conditions: readonly Condition[],
  verdicts: readonly Verdict[],
  now: EpochMs,
): readonly Condition[] {
  const result = [...conditions];
  for (const verdict of verdicts) {
    const index = result.findIndex(({ type }) => type === verdict.type);
    if (index === -1) result.push(withVerdict(undefined, verdict, now));
    else result[index] = withVerdict(result[index], verdict, now);
  }
  return result;
}

/** Keeps an observedGeneration that somebody else set, as upstream does. */
function withVerdict(before: Condition | undefined, verdict: Verdict, now: EpochMs): Condition {
  const lastTransitionTime = before?.status === verdict.status ? before.lastTransitionTime : formatSeconds(now);
  const { type, status, reason, message } = verdict;
  return {
    ...{ type, status, reason, message },
    ...(lastTransitionTime !== undefined && { lastTransitionTime }),
    ...(before?.observedGeneration !== undefined && { observedGeneration: before.observedGeneration }),
  };
}

export function isTrue(conditions: readonly Condition[] | undefined, type: Verdict["type"]): boolean {
  return conditions?.find((condition) => condition.type === type)?.status === "True";
}

export function succeededGetScale(): Verdict {
  return {
    type: "AbleToScale",
    status: "True",
    reason: "SucceededGetScale",
    message: "the HPA controller was able to get the target's current scale",
  };
}

/** Upstream sets ScaledToZero at each write. */
export function rescaled(to: number, scaledToZero: boolean): readonly Verdict[] {
  return [
    {
      type: "AbleToScale",
      status: "True",
      reason: "SucceededRescale",
      message: `the HPA controller was able to update the target scale to ${to}`,
    },
    zeroOwner(scaledToZero),
  ];
}

export function zeroOwner(isOurs: boolean): Verdict {
  return isOurs
    ? {
        type: "ScaledToZero",
        status: "True",
        reason: "ScaledToZero",
        message: "the HPA controller scaled the workload to zero",
      }
    : {
        type: "ScaledToZero",
        status: "False",
        reason: "NotScaledToZero",
        message: "the HPA controller did not scale the workload to zero",
      };
}

/** The observed size may be older than the scaling. */
export function isAtZero({ desiredReplicas = 0, conditions }: HpaStatus): boolean {
  return desiredReplicas === 0 && isTrue(conditions, "ScaledToZero");
}
