import type { HorizontalPodAutoscaler } from "../k8s/hpa";
import type { Pod, Scale } from "../k8s/objects";
import { combine, type KnownDemand } from "./combine";
import { ableToScale, scalingLimited, type Verdict } from "./conditions";
import { decide, decideAtGate, withoutScale, withoutSize } from "./decide";
import { BELOW_MIN, checkGate, currentReplicas, minReplicas, targetScale } from "./gate";
import { beginHistory, remember } from "./history";
import { limitRate } from "./limit-rate";
import { recommend } from "./recommend/recommend";
import type { Observed, Recommendation } from "./recommend/recommendation";
import { tolerancesOf } from "./replica-math";
import { applyRules } from "./rules/apply-rules";
import { fallbackVerdicts } from "./rules/fallback";
import type { ZeroHold } from "./rules/rule";
import { hpaNamespace, selectPods } from "./select-pods";
import type { Decision, History, Options, Situation } from "../model/situation";
import type { EpochMs } from "../k8s/time";
import type { Step } from "../model/step";
import { stabilize } from "./stabilize";

/** One sync's whole decision. Upstream: reconcileAutoscaler, pkg/controller/podautoscaler/horizontal.go. */
export function evaluate(situation: Situation, now: EpochMs): Decision {
  const { hpa, options } = situation;
  const scale = targetScale(situation);
  if ("error" in scale) return withoutScale(situation, scale.error, now);

  const current = currentReplicas(scale);
  const history = beginHistory(situation.history, current, now);
  const gate = checkGate(hpa, scale); // disabled | outOfBounds | open
  if (gate.kind !== "open") return decideAtGate(situation, { gate, scale, history }, now);

  const selection = selectPods(situation, scale.status.selector);
  if (selection.kind === "invalid") {
    const verdicts = [...selection.verdicts, ...fallbackVerdicts(hpa, situation.rules, undefined)];
    return withoutSize(situation, { ...selection, verdicts, scale, history }, now);
  }
  const observed = observe(situation, scale, selection.pods, now);
  const ruled = applyRules(situation, recommendAll(situation, observed), { current, now }); // activation, fallback, cap
  const { memory, zeroHold } = ruled;
  const demand = combine(ruled.recommendations, current, zeroHold); // the highest wins; a blind metric never shrinks
  if (demand.kind === "unknown") {
    const verdicts = [...demand.verdicts, ...ruled.verdicts];
    return withoutSize(situation, { ...demand, verdicts, scale, history, memory }, now);
  }

  const restrained = restrain(demand.replicas, { hpa, options, history, current, zeroHold }, now);
  return decide(
    situation,
    {
      scale,
      replicas: restrained.replicas,
      reason: reasonOf(demand, current) ?? restrained.reason ?? "",
      verdicts: [...demand.verdicts, ...restrained.verdicts, ...ruled.verdicts],
      statuses: demand.statuses,
      events: demand.events,
      history: remember(history, demand.replicas, now, options),
      recommendation: demand.replicas,
      steps: [...demand.steps, ...restrained.steps],
      memory,
    },
    now,
  );
}

interface Restraints {
  readonly hpa: HorizontalPodAutoscaler;
  readonly options: Options;
  /** Without this sync's recommendation. */
  readonly history: History;
  readonly current: number;
  readonly zeroHold?: ZeroHold | undefined;
}

interface Restrained {
  readonly replicas: number;
  /** Why the target rescales if no metric asks for it. */
  readonly reason?: string;
  readonly verdicts: readonly Verdict[];
  readonly steps: readonly Step[];
}

export function restrain(
  proposed: number,
  { hpa, options, history, current, zeroHold }: Restraints,
  now: EpochMs,
): Restrained {
  const { behavior, maxReplicas: max } = hpa.spec;
  const min = minReplicas(hpa);
  const stabilized = stabilize({ proposed, current, history, behavior, options }, now);
  const limited = limitRate({ wanted: stabilized.replicas, current, min, max, history, behavior }, now);
  const verdicts = [ableToScale(stabilized), scalingLimited(limited)];
  if (zeroHold !== undefined && current > 0 && limited.replicas === 0) {
    const held = { stage: "confirm", replicas: 1, limitedBy: "ZeroNotConfirmed", detail: zeroHold } as const;
    const because = `${zeroHold.name} must have no work in more slots in a row: ${zeroHold.slotsToZero}`;
    return { replicas: 1, verdicts, steps: [stabilized, limited, { ...held, because }] };
  }
  if (current !== 0 || limited.replicas >= min) {
    return { replicas: limited.replicas, verdicts, steps: [stabilized, limited] };
  }
  // The gate lets only our own zero through. Raising minReplicas ends it at any rate limit.
  const detail = { minReplicas: min, maxReplicas: max };
  const floored = { stage: "bounds", replicas: min, limitedBy: "TooFewReplicas", because: BELOW_MIN, detail } as const;
  return { replicas: min, reason: BELOW_MIN, verdicts, steps: [stabilized, limited, floored] };
}

function observe({ hpa, options }: Situation, scale: Scale, pods: readonly Pod[], now: EpochMs): Observed {
  const tolerances = tolerancesOf(hpa.spec.behavior, options);
  return { namespace: hpaNamespace(hpa), scale, pods, tolerances, options, now };
}

function recommendAll({ hpa, metrics }: Situation, observed: Observed): readonly Recommendation[] {
  return (hpa.spec.metrics ?? []).map((metric, index) =>
    recommend(metric, metrics[index] ?? { error: "it was not read" }, observed),
  );
}

/** Undefined: the metrics alone would not rescale. */
function reasonOf({ replicas, name }: KnownDemand, current: number): string | undefined {
  if (replicas === current) return undefined;
  return replicas > current ? `${name} above target` : "All metrics below target";
}
