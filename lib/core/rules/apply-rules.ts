import type { HorizontalPodAutoscaler, MetricSpec } from "../../k8s/hpa";
import type { MetricResponse } from "../../k8s/objects";
import type { EpochMs } from "../../k8s/time";
import type { ZeroRule } from "../../model/entry/zero-rule";
import type { MetricRules } from "../../model/metric/metric-rules";
import type { Memory, Situation } from "../../model/situation";
import type { Verdict } from "../conditions";
import type { Recommendation } from "../recommend/recommendation";
import { fallBack, fallbackVerdicts } from "./fallback";
import { type RuleContext, type RuledMetric, type Work, type ZeroHold, afterStep } from "./rule";
import { isTotal, weighWork } from "./work";

export interface RuledMetrics {
  readonly recommendations: readonly Recommendation[];
  readonly memory?: Memory;
  /** Undefined: zero is allowed now. */
  readonly zeroHold?: ZeroHold;
  readonly verdicts: readonly Verdict[];
  /** The External and Object metrics', if any metric has rules. */
  readonly work: readonly Work[];
}

interface Moment {
  readonly current: number;
  readonly now: EpochMs;
  readonly zeroRule?: ZeroRule | undefined;
}

export function applyRules(
  { hpa, rules: given, memory = [], slot, metrics: read }: Situation,
  found: readonly Recommendation[],
  { current, now, zeroRule }: Moment,
): RuledMetrics {
  const verdicts = fallbackVerdicts(hpa, given, []);
  if (given === undefined && zeroRule === undefined) return { recommendations: found, verdicts, work: [] };
  const metrics = hpa.spec.metrics ?? [];
  const rules = given ?? [];
  const ruled = found.map((recommendation, index) =>
    applyTo(recommendation, {
      hpa,
      metric: metrics[index] as MetricSpec,
      rules: rules[index] ?? {},
      memory: memory[index] ?? {},
      current,
      isZeroByActivity: zeroRule !== undefined,
      ...certainOf(read[index]),
      slot: slot ?? { start: now, periodMs: Infinity },
      now,
    }),
  );
  const zeroHold = longestHold(ruled);
  const recommendations = ruled.map(({ recommendation }) => recommendation);
  return {
    recommendations: zeroRule === undefined ? recommendations : withoutPodsAtZero(recommendations, hpa, current),
    ...(ruled.some(({ memory }) => Object.keys(memory).length > 0) && { memory: ruled.map(({ memory }) => memory) }),
    ...(zeroHold && { zeroHold }),
    verdicts: fallbackVerdicts(hpa, given, ruled),
    work: ruled.flatMap(({ work }) => work ?? []),
  };
}

function certainOf(read: MetricResponse | undefined): Pick<RuleContext, "certain"> {
  return read !== undefined && "items" in read && read.certain !== undefined ? { certain: read.certain } : {};
}

function applyTo(found: Recommendation, context: RuleContext): RuledMetric {
  const weighed = found.kind === "unavailable" ? fallBack(found, context) : weighWork(found, context);
  return { ...weighed, recommendation: cap(weighed.recommendation, context.rules) };
}

/** At zero, a metric of pods has no value, and a sync with none is no failure. */
function withoutPodsAtZero(
  recommendations: readonly Recommendation[],
  { spec }: HorizontalPodAutoscaler,
  current: number,
): readonly Recommendation[] {
  if (current > 0) return recommendations;
  return recommendations.map((one, index) => {
    const metric = spec.metrics?.[index];
    const isOfPods = metric !== undefined && !isTotal(metric);
    return isOfPods && one.kind === "unavailable" ? { ...one, isAtZero: true } : one;
  });
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
