import type { MetricSpec } from "../../k8s/hpa";
import { type EpochMs, parseInstant } from "../../k8s/time";
import { approximateFloat, parseQuantity, QuantityError } from "../../k8s/quantity";
import { isPaused } from "../../model/entry/annotations";
import { holdsIn, isLeftAtZero } from "../../model/hpa-signs";
import { metricLabel, metricName, metricTarget } from "../../model/metric/metric-label";
import type { Step } from "../../model/step";
import {
  type HistoryFlag,
  type HistorySample,
  type MetricSample,
  type MetricUnit,
  type RosterHpa,
  type RosterMetric,
  conditionDigits,
  flagsOf,
  historyConditions,
} from "../../model/stored/history";
import type { LatestValues, State } from "../../model/stored/state";
import type { ReadEntry } from "../hpa/read-entry";

const nothingKnown = { target: { kind: "", name: "" }, minReplicas: 0, maxReplicas: 0, metrics: [] } as const;

export function rosterHpaOf(entry: ReadEntry): RosterHpa {
  if ("errors" in entry) return { ...nothingKnown, invalid: true };
  const { hpa, operations } = entry;
  const { scaleTargetRef, minReplicas = 1, maxReplicas, metrics = [] } = hpa.spec;
  const { creationTimestamp, generation } = hpa.metadata;
  return {
    target: scaleTargetRef,
    minReplicas,
    maxReplicas,
    metrics: metrics.map(rosterMetricOf),
    ...(creationTimestamp !== undefined && { created: parseInstant(creationTimestamp) }),
    ...(generation !== undefined && { generation }),
    ...(operations.noHistory && { off: true }),
  };
}

function rosterMetricOf(spec: MetricSpec): RosterMetric {
  const { containerResource } = spec;
  const target = metricTarget(spec);
  const unit: MetricUnit =
    target?.averageUtilization !== undefined ? "percent" : target?.averageValue !== undefined ? "average" : "value";
  return {
    label: metricLabel(spec),
    name: metricName(spec) ?? "",
    type: spec.type,
    ...(containerResource && { container: containerResource.container }),
    unit,
    target: target?.averageUtilization ?? numberOf(target?.averageValue ?? target?.value) ?? 0,
  };
}

function numberOf(quantity: string | number | undefined): number | null {
  if (quantity === undefined) return null;
  try {
    return approximateFloat(parseQuantity(quantity));
  } catch (error) {
    if (error instanceof QuantityError) return null;
    throw error;
  }
}

type Shown = Pick<LatestValues, "status" | "decision" | "warnings"> & Pick<State, "intent">;

export function sampleOf(
  { status, decision, warnings = [], intent }: Shown,
  entry: ReadEntry,
  now: EpochMs,
): HistorySample {
  const steps = decision?.steps ?? [];
  const flags = new Set<HistoryFlag>(holdsIn(steps));
  if (isLeftAtZero(decision)) flags.add("notOurZero");
  if (warnings.length > 0) flags.add("failing");
  if ("hpa" in entry && isPaused(entry.operations, now)) flags.add("paused");
  if ("hpa" in entry && entry.operations.dryRun) flags.add("dryRun");
  return {
    // A paused HPA's scale is read once a minute. The status is older than an open intent.
    current: decision?.from === null && !flags.has("paused") ? null : (intent?.from ?? status.currentReplicas ?? null),
    desired: decision?.desiredReplicas ?? status.desiredReplicas ?? null,
    recommended: replicasOf(steps, "combine"),
    stabilized: replicasOf(steps, "stabilize"),
    flags: flagsOf(flags),
    conditions: conditionsOf(status),
    metrics: "hpa" in entry ? metricsOf(steps, entry.hpa.spec.metrics ?? []) : [],
  };
}

function replicasOf(steps: readonly Step[], stage: Step["stage"]): number | null {
  return steps.find((step) => step.stage === stage)?.replicas ?? null;
}

function conditionsOf({ conditions = [] }: Shown["status"]): number {
  return historyConditions.reduce((sum, type, index) => {
    const status = conditions.find((one) => one.type === type)?.status ?? "";
    return sum + conditionDigits.indexOf(status) * conditionDigits.length ** index;
  }, 0);
}

/** Steps of an older spec say nothing. */
function metricsOf(steps: readonly Step[], specs: readonly MetricSpec[]): readonly MetricSample[] {
  const found = steps.flatMap((step) => (step.stage === "metric" ? [step.detail] : []));
  if (found.length !== specs.length) return [];
  return found.map((detail, index) => {
    const { unit } = rosterMetricOf(specs[index] as MetricSpec);
    const averageValue = numberOf(detail?.target === undefined ? undefined : detail.averageValue);
    if (detail?.target === undefined) return { value: null, averageValue: null };
    if (unit === "percent") return { value: detail.averageUtilization ?? null, averageValue };
    return { value: unit === "average" ? averageValue : numberOf(detail.value), averageValue: null };
  });
}
