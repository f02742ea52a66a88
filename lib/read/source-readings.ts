import { externalName, unreadableMetric } from "../core/recommend/external";
import type { HorizontalPodAutoscaler, MetricIdentifier } from "../k8s/hpa";
import { isMap, present } from "../k8s/map";
import type { EpochMs } from "../k8s/time";
import type { SourceEntry } from "../model/entry/entries";
import { validateStoredHpa } from "../model/entry/validate-hpa-entry";
import type { HpaKey } from "../model/hpa-key";
import { nameOfMetric } from "../model/metric/metric-label";
import type { Entry, ShardContents } from "../model/ports/store";
import { queryKey } from "../model/metric/query-key";
import type { Shard } from "../model/stored/shard";
import type { Step } from "../model/step";
import { valuesAtOf } from "./explanation";
import { haltOf } from "./halt";
import { factsOf, type HpaFacts, lastSyncOf } from "./hpa-facts";
import { hasChanged } from "./remarks";

/** Without value and error: nothing read yet. */
export interface ObservedReading {
  readonly hpa: HpaKey;
  readonly metric: string;
  readonly through?: string;
  readonly value?: string;
  readonly error?: string;
  readonly readAt?: EpochMs;
}

interface Read {
  readonly contents: ShardContents;
  readonly shards: readonly Shard[];
  readonly now: EpochMs;
}

/**
 * By the source's name, from what syncs write anyway: a value may be a minute older than the last sync
 * (docs/decisions/0056-latest-values.md).
 */
export function sourceReadings({ contents, shards, now }: Read): ReadonlyMap<string, readonly ObservedReading[]> {
  const readings = new Map<string, ObservedReading[]>();
  const sources = new Map(contents.sources.map((entry) => [entry.key, entry]));
  for (const { key, document } of contents.hpas) {
    const { hpa } = validateStoredHpa({ key, document });
    if (hpa === undefined) continue;
    const facts = factsOf(key, { hpa }, { contents, shards });
    for (const { source, ...reading } of readingsOf(hpa, facts, { key, sources, now })) {
      const known = readings.get(source);
      if (known === undefined) readings.set(source, [reading]);
      else known.push(reading);
    }
  }
  return readings;
}

interface ReadingContext {
  readonly key: HpaKey;
  readonly sources: ReadonlyMap<string, Entry<SourceEntry>>;
  readonly now: EpochMs;
}

type Reading = ObservedReading & { readonly source: string };

function readingsOf(
  { metadata, spec }: HorizontalPodAutoscaler,
  facts: HpaFacts,
  { key, sources, now }: ReadingContext,
): readonly Reading[] {
  const steps = metricSteps(facts, spec.metrics?.length ?? 0);
  const decidedAt = decisionReadAt(facts, now);
  return (spec.metrics ?? []).flatMap((metric, index): readonly Reading[] => {
    const identifier = metric.type === "External" ? metric.external?.metric : undefined;
    const entry = identifier === undefined ? undefined : sources.get(identifier.name);
    if (identifier === undefined || entry === undefined) return [];
    const name = externalName(identifier);
    const step = steps.ordered ? steps.all[index] : steps.all.find(({ detail }) => detail?.name === name);
    const whose = { hpa: key, metric: nameOfMetric(identifier) };
    const metricRef = { metric: identifier, namespace: metadata.namespace ?? "default" };
    const found = step && foundIn(step, metricRef);
    const readAt = found && (cachedAt(facts, entry, metricRef) ?? decidedAt);
    const own = { source: identifier.name, ...whose, ...found, ...present({ readAt }) };
    return [own, ...operandsOf(entry).map((operand) => throughFormula(own, operand, step))];
  });
}

type MetricStep = Extract<Step, { stage: "metric" }>;

/** `ordered`: as the spec, which has not changed since. */
function metricSteps(
  { entry, state }: HpaFacts,
  metrics: number,
): { readonly all: readonly MetricStep[]; readonly ordered: boolean } {
  const all = (state?.decision?.steps ?? []).filter((step): step is MetricStep => step.stage === "metric");
  const isSame = state !== undefined && "hpa" in entry && !hasChanged(entry.hpa, state);
  return { all, ordered: isSame && all.length === metrics };
}

interface MetricOfNamespace {
  readonly metric: MetricIdentifier;
  readonly namespace: string;
}

/** Undefined: the metric failed for another reason, such as AmbiguousSelector. */
function foundIn(
  { replicas, detail, because }: MetricStep,
  { metric, namespace }: MetricOfNamespace,
): Pick<ObservedReading, "value" | "error"> | undefined {
  if (replicas !== null && detail?.value !== undefined) return { value: detail.value };
  const before = unreadableMetric(metric, namespace);
  return because.startsWith(before) ? { error: because.slice(before.length) } : undefined;
}

/** The slot that read a cached reading. */
function cachedAt({ state }: HpaFacts, entry: Entry<SourceEntry>, { metric }: MetricOfNamespace): EpochMs | undefined {
  if (state?.readings === undefined || "invalid" in entry) return undefined;
  const { kind, parameters } = entry.value.spec;
  const key = queryKey(kind, {
    metricName: metric.name,
    parameters: { ...parameters, ...metric.selector?.matchLabels },
  });
  const cached = Object.hasOwn(state.readings, key) ? state.readings[key] : undefined;
  return cached?.places === undefined ? cached?.readAt : undefined;
}

/** When the latest values were read. A halted HPA reads nothing, whatever its shard does. */
function decisionReadAt(facts: HpaFacts, now: EpochMs): EpochMs | undefined {
  const at = facts.state?.decision?.at;
  if (at === undefined || haltOf(facts, now) !== undefined) return at;
  return valuesAtOf(facts, at) ?? lastSyncOf(facts) ?? at;
}

interface NamedOperand {
  readonly name: string;
  readonly metric: MetricIdentifier;
}

function operandsOf(entry: Entry<SourceEntry>): readonly NamedOperand[] {
  const operands: unknown = "value" in entry ? entry.value.spec.parameters?.["operands"] : undefined;
  if (!Array.isArray(operands)) return [];
  return operands.flatMap((one: unknown) => {
    const { name, source, labels } = isMap(one) ? one : {};
    if (typeof name !== "string" || typeof source !== "string") return [];
    const texts = Object.entries(isMap(labels) ? labels : {}).map(([label, value]) => [label, String(value)] as const);
    const selector = texts.length === 0 ? {} : { selector: { matchLabels: Object.fromEntries(texts) } };
    return [{ name, metric: { name: source, ...selector } }];
  });
}

/** A decision keeps a formula's operands: "orders=3, mail=missing". */
function throughFormula(
  { hpa, metric: through, readAt }: Reading,
  { name, metric }: NamedOperand,
  step: MetricStep | undefined,
): Reading {
  const part = step?.detail?.madeOf?.split(", ").find((one) => one.startsWith(`${name}=`));
  const value = part?.slice(name.length + 1);
  const read = { source: metric.name, hpa, metric: nameOfMetric(metric), through };
  if (value === undefined) return read;
  const found = value === "missing" ? { error: `the formula ${through} had no value of it` } : { value };
  return { ...read, ...found, ...present({ readAt }) };
}

export function readersOf(readings: readonly ObservedReading[]): number {
  return new Set(readings.map(({ hpa }) => hpa)).size;
}

export function byUrgency(readings: readonly ObservedReading[]): readonly ObservedReading[] {
  const urgency = ({ error, readAt }: ObservedReading) => (error !== undefined ? 0 : readAt !== undefined ? 1 : 2);
  return [...readings].sort((a, b) => urgency(a) - urgency(b) || (b.readAt ?? 0) - (a.readAt ?? 0));
}
