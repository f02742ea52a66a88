import type { HorizontalPodAutoscaler, MetricSpec } from "../k8s/hpa";
import { defaultRules, metricRulesOf, rulesOfSource } from "../model/entry/metric-rules";
import { ownPeriodSeconds } from "../model/entry/options";
import { metricLabel } from "../model/metric/metric-label";
import type { MetricMemory, MetricRules } from "../model/metric/metric-rules";
import type { Decision, Memory, Situation } from "../model/situation";
import type { State } from "../model/stored/state";
import { type FoundSource, looseParameters } from "../model/metric/found-source";
import type { SourceQuery } from "../model/ports/sources";
import { externalSource, type KnownSources } from "./read-sources";

/**
 * @param clusterPeriodMs of the slots, in all of which an HPA with a longer period is synced while it waits for a
 * confirmation
 */
export function rulesFor(
  hpa: HorizontalPodAutoscaler,
  known: KnownSources,
  clusterPeriodMs: number,
): Pick<Situation, "rules"> {
  const periodMs = Math.min(clusterPeriodMs, (ownPeriodSeconds(hpa) ?? Infinity) * 1_000);
  const rules = metricRulesOf(hpa, (metric) => sourceRules(metric, known, periodMs));
  return rules.some((one) => Object.keys(one).length > 0) ? { rules } : {};
}

function sourceRules({ type, external }: MetricSpec, known: KnownSources, periodMs: number): MetricRules {
  if (type !== "External" || external === undefined) return {};
  const found = externalSource(external.metric, known);
  const { name: metricName } = external.metric;
  const entry = known.entries.get(metricName);
  return {
    ...defaultRules({ settleMs: found.kind === "source" ? settleMsOf(found, metricName, known) : 0, periodMs }),
    ...(entry !== undefined && "value" in entry ? rulesOfSource(entry.value.spec) : {}),
  };
}

const settling = new WeakMap<FoundSource, number>();

/** A formula settles with its last operand. */
function settleMsOf(found: FoundSource, metricName: string, known: KnownSources): number {
  const before = settling.get(found);
  if (before !== undefined) return before;
  const { source, operands = [] } = found;
  const kind = Object.hasOwn(known.sources, source) ? known.sources[source] : undefined;
  const own = kind?.settleMs?.(lookAt(found, metricName)) ?? 0;
  const others = operands.map(({ found: operand, metricName: name }) =>
    operand.kind === "source" ? settleMsOf(operand, name, known) : 0,
  );
  const settleMs = Math.max(own, ...others);
  settling.set(found, settleMs);
  return settleMs;
}

/** Keeps no parameters: there may be a million. */
function lookAt(found: FoundSource, metricName: string): SourceQuery {
  return {
    metricName,
    get parameters() {
      return looseParameters(found);
    },
  };
}

/** In the metrics' present order. */
export function recallMemory({ memory = {} }: State, hpa: HorizontalPodAutoscaler): Pick<Situation, "memory"> {
  const metrics = hpa.spec.metrics ?? [];
  if (Object.keys(memory).length === 0) return {};
  return { memory: metrics.map((metric, index) => own(memory, memoryKey(metric, index)) ?? {}) };
}

/** True if a rule needs more readings of a kind: the next slot may have another. */
export function waitsForReading({ memory = [], steps }: Decision, rules: Situation["rules"] = []): boolean {
  const isEmptying = memory.some(
    ({ readings }, index) => readings?.empty === true && readings.slots < (rules[index]?.confirm ?? 1),
  );
  return isEmptying || steps.some(({ stage }) => stage === "confirmWake");
}

/** By metric, to outlive a new order. */
export function keepMemory(memory: Memory | undefined, hpa: HorizontalPodAutoscaler): NonNullable<State["memory"]> {
  if (memory === undefined) return {};
  const kept = (hpa.spec.metrics ?? []).flatMap((metric, index) => {
    const one = memory[index];
    return one === undefined || Object.keys(one).length === 0 ? [] : [[memoryKey(metric, index), one] as const];
  });
  return Object.fromEntries(kept);
}

/** A user may call a metric `constructor`. */
function own(memory: Readonly<Record<string, MetricMemory>>, key: string): MetricMemory | undefined {
  return Object.hasOwn(memory, key) ? memory[key] : undefined;
}

/** Labels may have any length, and an attribute of the table may not. */
const longestKey = 200;

function memoryKey(metric: MetricSpec, index: number): string {
  const label = metricLabel(metric);
  return label.length <= longestKey ? label : `${label.slice(0, longestKey)}…${index}`;
}
