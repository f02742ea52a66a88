import type { Condition, ConditionStatus } from "../k8s/objects";
import { formatSeconds } from "../k8s/time";
import type { EpochMs } from "../k8s/time";

/** What a stage says about the HPA. Types and reasons are upstream's, verbatim. */
export interface Verdict {
  readonly type: "AbleToScale" | "ScalingActive" | "ScalingLimited" | "ScaledToZero";
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
}

/**
 * `conditions` with the verdicts set, in order. A type that was not there goes to the end; lastTransitionTime moves only when
 * the status does, even where a later verdict moves it back. Upstream: setConditionInList, horizontal.go.
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

function withVerdict(before: Condition | undefined, verdict: Verdict, now: EpochMs): Condition {
  const lastTransitionTime = before?.status === verdict.status ? before.lastTransitionTime : formatSeconds(now);
  const { type, status, reason, message } = verdict;
  return lastTransitionTime === undefined
    ? { type, status, reason, message }
    : { type, status, reason, message, lastTransitionTime };
}

/** `conditions`, with the one of this type as it was in `before`; without it where it was not. */
export function withFormer(
  type: Verdict["type"],
  before: readonly Condition[],
  conditions: readonly Condition[],
): readonly Condition[] {
  const former = before.find((condition) => condition.type === type);
  return conditions.flatMap((condition) =>
    condition.type === type ? (former === undefined ? [] : [former]) : [condition],
  );
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

/** After a scale write that took effect. Upstream sets ScaledToZero on every one, so that it is never stale. */
export function rescaled(to: number, scaledToZero: boolean): readonly Verdict[] {
  return [
    {
      type: "AbleToScale",
      status: "True",
      reason: "SucceededRescale",
      message: `the HPA controller was able to update the target scale to ${to}`,
    },
    scaledToZero
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
        },
  ];
}
