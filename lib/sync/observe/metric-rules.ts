import type { HorizontalPodAutoscaler, MetricIdentifier, MetricSpec } from "../../k8s/hpa";
import { defaultRules, metricRulesOf, rulesOfSource } from "../../model/entry/metric-rules";
import { metricLabel } from "../../model/metric/metric-label";
import type { MetricMemory, MetricRules } from "../../model/metric/metric-rules";
import type { Memory, Situation } from "../../model/situation";
import type { State } from "../../model/stored/state";
import type { FoundSource } from "../../model/metric/found-source";
import { externalSource, type KnownSources } from "./read-sources";

/** The rules of an HPA's metrics, for its situation. Most HPAs have none. */
export function rulesFor(hpa: HorizontalPodAutoscaler, known: KnownSources): Pick<Situation, "rules"> {
  const rules = metricRulesOf(hpa, (metric) => sourceRules(metric, known));
  return rules.some((one) => Object.keys(one).length > 0) ? { rules } : {};
}

function sourceRules({ type, external }: MetricSpec, known: KnownSources): MetricRules {
  if (type !== "External" || external === undefined) return {};
  const entry = known.entries.get(external.metric.name);
  return {
    ...defaultRules({ isApproximate: isApproximateMetric(external.metric, known) }),
    ...(entry !== undefined && "value" in entry ? rulesOfSource(entry.value.spec) : {}),
  };
}

const approximate = new WeakMap<KnownSources, Map<string, boolean>>();

/** Found once for each name: an entry's kind and its operands' sources are in no label. */
function isApproximateMetric(metric: MetricIdentifier, known: KnownSources): boolean {
  const names = approximate.get(known) ?? new Map<string, boolean>();
  approximate.set(known, names);
  const before = names.get(metric.name);
  if (before !== undefined) return before;
  const found = externalSource(metric, known);
  if (found.kind !== "source") return false;
  const is = isApproximate(found, known);
  names.set(metric.name, is);
  return is;
}

/** A formula is as approximate as what it is made of. */
function isApproximate({ source, operands = [] }: FoundSource, known: KnownSources): boolean {
  const own = Object.hasOwn(known.sources, source) && known.sources[source]?.isApproximate === true;
  return own || operands.some(({ found }) => found.kind === "source" && isApproximate(found, known));
}

/** What a state remembers, in the order of the HPA's metrics as they are now. */
export function recallMemory({ memory = {} }: State, hpa: HorizontalPodAutoscaler): Pick<Situation, "memory"> {
  const metrics = hpa.spec.metrics ?? [];
  if (Object.keys(memory).length === 0) return {};
  return { memory: metrics.map((metric, index) => own(memory, memoryKey(metric, index)) ?? {}) };
}

/** Whether a metric has fewer readings of a kind than its rules ask for: the next slot may have another. */
export function waitsForReading(memory: Memory = [], rules: Situation["rules"] = []): boolean {
  return memory.some(({ readings }, index) => {
    const { confirm = 1, confirmWake = 1 } = rules[index] ?? {};
    return readings !== undefined && readings.slots < (readings.empty ? confirm : confirmWake);
  });
}

/** What a decision remembers, for its state: by metric, so that it outlives a change of their order. */
export function keepMemory(memory: Memory | undefined, hpa: HorizontalPodAutoscaler): NonNullable<State["memory"]> {
  if (memory === undefined) return {};
  const kept = (hpa.spec.metrics ?? []).flatMap((metric, index) => {
    const one = memory[index];
    return one === undefined || Object.keys(one).length === 0 ? [] : [[memoryKey(metric, index), one] as const];
  });
  return Object.fromEntries(kept);
}

/** A user may call a metric "constructor". */
function own(memory: Readonly<Record<string, MetricMemory>>, key: string): MetricMemory | undefined {
  return Object.hasOwn(memory, key) ? memory[key] : undefined;
}

/** Labels may have any length, and an attribute of the table may not. */
const longestKey = 200;

function memoryKey(metric: MetricSpec, index: number): string {
  const label = metricLabel(metric);
  return label.length <= longestKey ? label : `${label.slice(0, longestKey)}…${index}`;
}
