import type { MetricSpec, Quantity } from "../../k8s/hpa";
import { metricLabel } from "../../model/metric/metric-label";
import type { MetricDetail, PodDetail, Step, UnreadPodsDetail } from "../../model/step";
import { type Tolerances, isTolerated } from "../replica-math";

export interface MetricReading {
  readonly metric: string;
  /** "60 in all, 20 a pod (target 20 a pod)". Absent: unread. */
  readonly read?: string;
  /** With its rules. null: unknown. */
  readonly asksFor: number | null;
  readonly notes: readonly string[];
  readonly pods?: PodDetail;
  /** Why it could not be read. It may still ask for its fallback. */
  readonly failure?: { readonly reason: string; readonly message: string };
}

interface ReadingContext {
  /** Undefined: the spec's metrics have changed. */
  readonly spec: MetricSpec | undefined;
  /** null: the scale was not read. */
  readonly from: number | null;
  readonly tolerances: Tolerances;
}

type RuleStep = Extract<Step, { stage: "activation" | "confirmWake" | "fallback" | "cap" }>;

export interface RuledStep {
  readonly found: Extract<Step, { stage: "metric" }>;
  readonly rules: readonly RuleStep[];
}

export function isRuleStep(step: Step): step is RuleStep {
  return ["activation", "confirmWake", "fallback", "cap"].includes(step.stage);
}

export function readingOf({ found, rules }: RuledStep, context: ReadingContext): MetricReading {
  const reading = foundReading(found, context);
  const last = rules.at(-1);
  if (last === undefined) return reading;
  return { ...reading, asksFor: last.replicas, notes: [...reading.notes, ...rules.map(({ because }) => because)] };
}

function foundReading(step: RuledStep["found"], { spec, from, tolerances }: ReadingContext): MetricReading {
  const { replicas, detail } = step;
  const metric = spec === undefined ? (detail?.name ?? "a metric") : metricLabel(spec);
  const pods = podsOf(detail);
  if (replicas === null || detail?.target === undefined) {
    const failure = { reason: step.limitedBy ?? "", message: step.because };
    return { metric, asksFor: replicas, notes: [], failure, ...pods };
  }
  const { ratio } = detail;
  const isOnTarget = ratio !== null && isTolerated(ratio, tolerances);
  const isSoftened = replicas === from && !isOnTarget && fillsIn(detail);
  // More than its size during a rollout, fewer while a quota refuses them.
  const areOthers = isOnTarget && from !== null && replicas !== from && detail.value !== undefined;
  const tolerance = areOthers
    ? `within tolerance, for the ${replicas} pods that the target reports`
    : "within tolerance";
  const { belowZero, atLeastBecause } = detail;
  const notes = [
    ...(atLeastBecause === undefined ? [] : [`at least so much: ${atLeastBecause}`]),
    ...(belowZero === undefined ? [] : [`${plainNumber(belowZero)} counts as 0`]),
    ...(isOnTarget ? [tolerance] : []),
    ...(isSoftened ? ["no change once pods without a sample are filled in"] : []),
  ];
  const madeOf = detail.madeOf === undefined ? "" : `, made of ${detail.madeOf}`;
  return { metric, read: `${amounts(detail)}${madeOf}`, asksFor: replicas, notes, ...pods };
}

function podsOf(detail: MetricDetail | UnreadPodsDetail | undefined): Pick<MetricReading, "pods"> {
  const { ready, unready = 0, missing = 0, ignored = 0, unreadyPods, missingPods, ignoredPods } = detail ?? {};
  if (ready === undefined) return {};
  const names = {
    ...(unreadyPods !== undefined && { unreadyPods }),
    ...(missingPods !== undefined && { missingPods }),
    ...(ignoredPods !== undefined && { ignoredPods }),
  };
  return { pods: { ready, unready, missing, ignored, ...names } };
}

function amounts({ averageUtilization, averageValue, value, target, ratio }: MetricDetail): string {
  if (averageUtilization !== undefined) return `${averageUtilization}% of requests (target ${target}%)`;
  if (averageValue === undefined) return `${plainNumber(value ?? "?")} (target ${plainNumber(target)})`;
  const total = value === undefined ? [] : [`${plainNumber(value)} in all`];
  const average = ratio === null ? [] : [`${plainNumber(averageValue)} a pod`];
  return `${[...total, ...average].join(", ")} (target ${plainNumber(target)}${ratio === null ? " a pod" : ""})`;
}

/** "1500m" as 1.5 */
export function plainNumber(quantity: Quantity): string {
  const text = String(quantity);
  return /^-?\d+m$/.test(text) ? String(Number(text.slice(0, -1)) / 1000) : text;
}

function fillsIn({ missing = 0, unready = 0 }: MetricDetail): boolean {
  return missing !== 0 || unready !== 0;
}
