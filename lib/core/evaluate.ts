import { combine } from "./combine";
import { decide, decideAtGate, withoutScale, withoutSize } from "./decide";
import { checkGate, currentReplicas, targetScale } from "./gate";
import { beginHistory, remember } from "./history";
import { weighIdle } from "./idle";
import { recommend } from "./recommend/recommend";
import type { Observed, Recommendation } from "./recommend/recommendation";
import { tolerancesOf } from "./replica-math";
import { reasonOf, restrain, restrainBlind } from "./restrain";
import { applyRules } from "./rules/apply-rules";
import { fallbackVerdicts } from "./rules/fallback";
import { hpaNamespace, selectPods } from "./select-pods";
import { spareBusy } from "./spare-busy";
import type { Pod, Scale } from "../k8s/objects";
import { zeroRuleOf } from "../model/entry/zero-rule";
import type { Decision, Situation } from "../model/situation";
import type { EpochMs } from "../k8s/time";

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
    return withoutSize(situation, { ...selection, verdicts, scale, history, activity: situation.activity }, now);
  }
  const observed = observe(situation, scale, selection.pods, now);
  const zeroRule = zeroRuleOf(hpa);
  const ruled = applyRules(situation, recommendAll(situation, observed), { current, now, zeroRule }); // activation, fallback, cap
  const demand = combine(ruled.recommendations, current, ruled.zeroHold); // the highest wins; a blind metric never shrinks
  const idle = zeroRule && weighIdle(situation, zeroRule, { ...ruled, demand, current }, now); // work, or zero
  const remembered = { history, memory: ruled.memory, activity: idle?.activity };
  const limits = { hpa, options, history, current, zeroHold: ruled.zeroHold, idle };
  if (demand.kind === "unknown") {
    const verdicts = [...demand.verdicts, ...ruled.verdicts];
    const { steps, ...size } = restrainBlind(limits, now);
    const findings = { ...demand, steps: [...demand.steps, ...steps], verdicts, scale, ...remembered };
    if (!("replicas" in size)) return withoutSize(situation, findings, now);
    return decide(situation, spareBusy(situation, { ...findings, ...size, recommendation: null }, now), now);
  }

  const restrained = restrain(demand.replicas, limits, now);
  const isRemembered = idle === undefined || restrained.replicas > 0; // KEDA's HPA does not sync at zero
  const findings = {
    scale,
    replicas: restrained.replicas,
    reason: reasonOf(demand, restrained, current),
    verdicts: [...demand.verdicts, ...restrained.verdicts, ...ruled.verdicts],
    statuses: demand.statuses,
    events: demand.events,
    ...remembered,
    history: isRemembered ? remember(history, demand.replicas, now, options) : history,
    recommendation: isRemembered ? demand.replicas : null,
    steps: [...demand.steps, ...restrained.steps],
  };
  return decide(situation, spareBusy(situation, findings, now), now); // no smaller than the busy pods
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
