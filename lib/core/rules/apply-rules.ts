import type { MetricSpec } from "../../k8s/hpa";
import type { MetricResponse } from "../../k8s/objects";
import type { EpochMs } from "../../k8s/time";
import type { MetricRules } from "../../model/metric/metric-rules";
import type { Memory, Situation } from "../../model/situation";
import type { Verdict } from "../conditions";
import type { Recommendation } from "../recommend/recommendation";
import { fallBack, fallbackVerdicts } from "./fallback";
import { type RuleContext, type RuledMetric, type ZeroHold, afterStep } from "./rule";
import { weighWork } from "./work";

export interface RuledMetrics {
  readonly recommendations: readonly Recommendation[];
  readonly memory?: Memory;
  /** Undefined: zero is allowed now. */
  readonly zeroHold?: ZeroHold;
  readonly verdicts: readonly Verdict[];
}

/** Fallback, activation and confirmation, then the cap. */
export function applyRules(
  { hpa, rules, memory = [], slot, metrics: read }: Situation,
  found: readonly Recommendation[],
  { current, now }: { readonly current: number; readonly now: EpochMs },
): RuledMetrics {
  const verdicts = fallbackVerdicts(hpa, rules, []);
  if (rules === undefined) return { recommendations: found, verdicts };
  const metrics = hpa.spec.metrics ?? [];
  const ruled = found.map((recommendation, index) =>
    applyTo(recommendation, {
      hpa,
      metric: metrics[index] as MetricSpec,
      rules: rules[index] ?? {},
      memory: memory[index] ?? {},
      current,
      ...certainOf(read[index]),
      slot: slot ?? { start: now, periodMs: Infinity },
      now,
    }),
  );
  const zeroHold = longestHold(ruled);
  return {
    recommendations: ruled.map(({ recommendation }) => recommendation),
    ...(ruled.some(({ memory }) => Object.keys(memory).length > 0) && { memory: ruled.map(({ memory }) => memory) }),
    ...(zeroHold && { zeroHold }),
    verdicts: fallbackVerdicts(hpa, rules, ruled),
  };
}

function certainOf(read: MetricResponse | undefined): Pick<RuleContext, "certain"> {
  return read !== undefined && "items" in read && read.certain !== undefined ? { certain: read.certain } : {};
}

function applyTo(found: Recommendation, context: RuleContext): RuledMetric {
  const weighed = found.kind === "unavailable" ? fallBack(found, context) : weighWork(found, context);
  return { ...weighed, recommendation: cap(weighed.recommendation, context.rules) };
}

function longestHold(ruled: readonly RuledMetric[]): ZeroHold | undefined {
  let longest: ZeroHold | undefined;
  for (const { recommendation, slotsToZero } of ruled) {
    if (recommendation.kind !== "proposal" || slotsToZero <= (longest?.slotsToZero ?? 0)) continue;
    longest = { name: recommendation.name, slotsToZero };
  }
  return longest;
}

function cap(recommendation: Recommendation, { maxReplicas }: MetricRules): Recommendation {
  if (recommendation.kind !== "proposal" || maxReplicas === undefined) return recommendation;
  const { replicas } = recommendation;
  if (replicas <= maxReplicas) return recommendation;
  return afterStep(recommendation, {
    stage: "cap",
    replicas: maxReplicas,
    limitedBy: "MetricMaxReplicas",
    because: `the metric's own maxReplicas is ${maxReplicas}`,
    detail: { rule: maxReplicas, found: replicas },
  });
}
