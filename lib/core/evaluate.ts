import type { Pod, Scale } from "../k8s/objects";
import { combine, type Known } from "./combine";
import { decide, decideAtGate, hold, withoutScale } from "./decide";
import { BELOW_MIN, checkGate, currentReplicas, minReplicas, targetScale } from "./gate";
import { beginHistory, remember } from "./history";
import { limitRate } from "./limit-rate";
import { recommend } from "./recommend/recommend";
import type { Observed, Recommendation } from "./recommend/recommendation";
import { tolerancesOf } from "./replica-math";
import { namespaceOf, selectPods } from "./select-pods";
import type { Decision, Situation } from "../model/situation";
import type { EpochMs } from "../k8s/time";
import { stabilize } from "./stabilize";
import type { Step } from "../model/step";

/**
 * One sync's decision, whole: Kubernetes' Horizontal Pod Autoscaler, as data in and data out.
 * Upstream: reconcileAutoscaler, pkg/controller/podautoscaler/horizontal.go.
 */
export function evaluate(situation: Situation, now: EpochMs): Decision {
  const { hpa, options } = situation;
  const scale = targetScale(situation);
  if ("error" in scale) return withoutScale(situation, scale.error, now);

  const current = currentReplicas(scale);
  const history = beginHistory(situation.history, current, now);
  const gate = checkGate(hpa, scale); // disabled | outOfBounds | open
  if (gate.kind !== "open") return decideAtGate(situation, { gate, scale, history }, now);

  const selection = selectPods(situation, scale.status.selector);
  if (selection.kind === "invalid") return hold(situation, { ...selection, scale, history }, now);
  const observed = observe(situation, scale, selection.pods, now);
  const proposal = combine(recommendAll(situation, observed), current); // the highest wins; a blind metric never shrinks
  if (proposal.kind === "unknown") return hold(situation, { ...proposal, scale, history }, now);

  const bounds = { current, min: minReplicas(hpa), max: hpa.spec.maxReplicas };
  const { behavior } = hpa.spec;
  const stabilized = stabilize({ proposed: proposal.replicas, current, history, behavior, options }, now);
  const limited = limitRate({ wanted: stabilized.replicas, ...bounds, history, behavior }, now);
  const floored = floorFromZero(limited.replicas, bounds);
  return decide(
    situation,
    {
      scale,
      replicas: floored.replicas,
      reason: reasonOf(proposal, current) ?? floored.reason ?? "",
      verdicts: [...proposal.verdicts, stabilized.verdict, limited.verdict],
      statuses: proposal.statuses,
      events: proposal.events,
      history: remember(history, proposal.replicas, now, options),
      recommendation: proposal.replicas,
      steps: [...proposal.steps, stabilized.step, limited.step, ...floored.steps],
    },
    now,
  );
}

function observe({ hpa, options }: Situation, scale: Scale, pods: readonly Pod[], now: EpochMs): Observed {
  const tolerances = tolerancesOf(hpa.spec.behavior, options);
  return { namespace: namespaceOf(hpa), scale, pods, tolerances, options, now };
}

/** A metric without a response is one that was not read. */
function recommendAll({ hpa, metrics }: Situation, observed: Observed): readonly Recommendation[] {
  return (hpa.spec.metrics ?? []).map((metric, index) =>
    recommend(metric, metrics[index] ?? { error: "it was not read" }, observed),
  );
}

/** Whose wish a change is, before anything limits it. undefined: no metric wants one. */
function reasonOf({ replicas, name }: Pick<Known, "replicas" | "name">, current: number): string | undefined {
  if (replicas === current) return undefined;
  return replicas > current ? `${name} above target` : "All metrics below target";
}

/**
 * minReplicas raised while our zero lasts: whatever the rate allows, the size goes to the minimum. (At zero the gate is open
 * only for a zero of ours.)
 */
function floorFromZero(replicas: number, { current, min, max }: Record<"current" | "min" | "max", number>) {
  if (current !== 0 || replicas >= min) return { replicas, steps: [] };
  const detail = { minReplicas: min, maxReplicas: max };
  const step: Step = { stage: "bounds", replicas: min, limitedBy: "TooFewReplicas", because: BELOW_MIN, detail };
  return { replicas: min, reason: BELOW_MIN, steps: [step] };
}
