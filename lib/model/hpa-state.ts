import type { HorizontalPodAutoscaler } from "../k8s/hpa";
import type { EpochMs } from "../k8s/time";
import { isPaused, readOperations } from "./entry/annotations";
import type { Explained } from "./stored/state";

/** Whatever shows a state uses these labels and words. */
export const hpaStates = {
  failing: { label: "FAILING", words: "cannot do all it should" },
  paused: { label: "PAUSED", words: "neither decides nor scales" },
  held: { label: "HELD", words: "held by a metric that cannot be read" },
  atZero: { label: "AT-ZERO", words: "at zero, until there is work" },
  notOurZero: { label: "NOT-OUR-ZERO", words: "will not wake: not our zero" },
  atMax: { label: "AT-MAX", words: "at maxReplicas, and the metrics ask for more" },
  dryRun: { label: "DRY-RUN", words: "decides, and never scales" },
} as const;

export type HpaState = keyof typeof hpaStates;

/** The most urgent first. */
export function statesOf({ metadata, status = {} }: HorizontalPodAutoscaler, now: EpochMs): readonly HpaState[] {
  const operations = readOperations(metadata);
  if ("errors" in operations) return ["failing"];
  if (isPaused(operations, now)) return ["paused"];
  const { conditions = [], currentReplicas = 0 } = status;
  const reasonOf = (type: string, given: string) =>
    conditions.find((one) => one.type === type && one.status === given)?.reason;
  const inactive = reasonOf("ScalingActive", "False");
  const isLeft = inactive === "ScalingDisabled";
  const isFailing = reasonOf("AbleToScale", "False") !== undefined || (inactive !== undefined && !isLeft);
  const is: Readonly<Record<HpaState, boolean>> = {
    failing: isFailing,
    paused: false,
    held: /^FailedGet\w*Metric$/.test(inactive ?? ""),
    atZero: conditions.length > 0 && !isFailing && !isLeft && currentReplicas === 0,
    notOurZero: isLeft && !isFailing,
    atMax: reasonOf("ScalingLimited", "True") === "TooManyReplicas",
    dryRun: operations.dryRun,
  };
  return (Object.keys(hpaStates) as HpaState[]).filter((state) => is[state]);
}

/** At a zero that ebb did not make: as upstream, ebb assumes that a person wants it, and no metric ends it. */
export function isLeftAtZero(decision: Pick<Explained, "desiredReplicas" | "steps"> | undefined): boolean {
  if (decision === undefined || decision.desiredReplicas !== 0) return false;
  return decision.steps.some(({ limitedBy }) => limitedBy === "ScalingDisabled");
}
