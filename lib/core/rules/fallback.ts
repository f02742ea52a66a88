import type { HorizontalPodAutoscaler, MetricSpec } from "../../k8s/hpa";
import { type Failing, type Fallback, type MetricRules, ruleDefaults } from "../../model/metric/metric-rules";
import { metricLabel, metricName } from "../../model/metric/metric-label";
import type { HpaEvent } from "../../model/situation";
import type { Verdict } from "../conditions";
import type { Unavailable } from "../recommend/recommendation";
import type { RuleContext, RuledMetric } from "./rule";
import { isTotal, unreadMemory } from "./work";

/**
 * Unknown until it has failed for long enough. At zero, a metric of pods always fails: its fallback would wake every
 * zero.
 */
export function fallBack(found: Unavailable, context: RuleContext): RuledMetric {
  const { rules, metric, current, memory, now } = context;
  const kept = unreadMemory(memory);
  const { fallback } = rules;
  const unknown: Pick<RuledMetric, "work"> = isTotal(metric) ? { work: "unknown" } : {};
  if (fallback === undefined || (current === 0 && !isTotal(metric))) {
    return { recommendation: found, memory: kept, slotsToZero: 0, ...unknown };
  }
  const since = Math.min(memory.failing?.since ?? now, now);
  const { after = ruleDefaults.fallbackAfterSeconds } = fallback;
  const seconds = Math.floor((now - since) / 1000);
  if (seconds < after) {
    return { recommendation: found, memory: { ...kept, failing: { since } }, slotsToZero: 0, ...unknown };
  }
  const replicas = sizeOf(fallback, context);
  const isNew = memory.failing?.fallback !== true;
  const failing: Failing = { since, fallback: true };
  return {
    recommendation: {
      kind: "proposal",
      replicas,
      name: `fallback of ${metricLabel(metric)}`,
      status: { type: "" },
      detail: { target: 0, ratio: null },
      because: found.message,
      ruled: {
        found,
        steps: [
          {
            stage: "fallback",
            replicas,
            limitedBy: "FallbackActive",
            because: `the metric could not be read for ${seconds} s: its fallback is ${describe(fallback)}`,
            detail: { rule: after, found: seconds },
          },
        ],
        events: isNew ? [activated(metric, after, replicas)] : [],
      },
    },
    memory: { ...kept, failing },
    slotsToZero: 0,
    ...(isTotal(metric) && { work: replicas > 0 ? "work" : "none" }),
  };
}

/** Never zero while the target runs, unless the behavior is zero. */
function sizeOf({ behavior = "static", ...given }: Fallback, { hpa, current }: RuleContext): number {
  const { replicas = 0, percentOfMaxReplicas } = given;
  const number =
    percentOfMaxReplicas === undefined ? replicas : Math.ceil((hpa.spec.maxReplicas * percentOfMaxReplicas) / 100);
  switch (behavior) {
    case "static":
      return number;
    case "currentReplicas":
      return current;
    case "currentReplicasIfHigher":
      return Math.max(number, current);
    case "currentReplicasIfLower":
      return Math.min(number, current);
    case "zero":
      return 0;
  }
}

function describe({ behavior = "static", replicas, percentOfMaxReplicas }: Fallback): string {
  const number = percentOfMaxReplicas === undefined ? `${replicas}` : `${percentOfMaxReplicas} % of maxReplicas`;
  switch (behavior) {
    case "static":
      return number;
    case "zero":
    case "currentReplicas":
      return behavior;
    default:
      return `${behavior}, ${number}`;
  }
}

/** KEP-5679's words. */
function activated(metric: MetricSpec, after: number, replicas: number): HpaEvent {
  const which = `${metric.type.toLowerCase()} metric '${metricName(metric) ?? ""}'`;
  const message = `Fallback activated for ${which} after ${goDuration(after)} of consecutive failures, using fallback replica count: ${replicas}`;
  return { type: "Normal", reason: "ExternalMetricFallbackActivated", message };
}

function goDuration(seconds: number): string {
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  if (seconds < 60) return `${s}s`;
  return h === 0 ? `${m}m${s}s` : `${h}h${m}m${s}s`;
}

const type = "ExternalMetricFallbackActive";

/** KEP-5679's condition: False once there is no fallback any more. `ruled` undefined: metrics were not read. */
export function fallbackVerdicts(
  { status }: HorizontalPodAutoscaler,
  rules: readonly MetricRules[] | undefined,
  ruled: readonly RuledMetric[] | undefined,
): readonly Verdict[] {
  const hasFallback = rules?.some(({ fallback }) => fallback !== undefined) === true;
  const hadCondition = status?.conditions?.some((condition) => condition.type === type) === true;
  if (!hasFallback && !hadCondition) return [];
  if (hasFallback && ruled === undefined) {
    const message =
      "the controller cannot determine whether external metrics are in fallback state: they were not read";
    return [{ type, status: "Unknown", reason: "MetricsNotRead", message }];
  }
  const names = (ruled ?? []).flatMap(({ recommendation, memory }) =>
    memory.failing?.fallback === true && recommendation.kind === "proposal" ? [recommendation.name] : [],
  );
  if (names.length === 0) {
    const message = "no external metrics are in fallback state";
    return [{ type, status: "False", reason: "NoFallbackActive", message }];
  }
  const message = `one or more external metrics are currently using fallback values due to retrieval failures: ${names.join(", ")}`;
  return [{ type, status: "True", reason: "FallbackActive", message }];
}
