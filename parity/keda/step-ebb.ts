import { convertScaledObject } from "../../cli/set-up/import/keda/convert-scaled-object";
import { evaluate } from "../../lib/core/evaluate";
import { needsPods } from "../../lib/core/gate";
import { withDefaults } from "../../lib/k8s/defaults";
import type { HorizontalPodAutoscaler, MetricSpec } from "../../lib/k8s/hpa";
import type { MetricResponse, Pod, Scale } from "../../lib/k8s/objects";
import { metricRulesOf, rulesOfSource } from "../../lib/model/entry/metric-rules";
import { defaultOptions } from "../../lib/model/entry/options";
import type { MetricRules } from "../../lib/model/metric/metric-rules";
import type { Decision, Situation } from "../../lib/model/situation";
import { isMissing, Missing } from "../../lib/sources/formula/call";
import { parseFormulaQuery } from "../../lib/sources/formula/formula";
import { quantityOf } from "../../lib/sources/parameters";
import type { Story, StoryStep } from "./story";

/** What `ebb import keda` makes of a story's object, and how its metrics are read from the story's script. */
export interface Imported {
  readonly hpa: HorizontalPodAutoscaler;
  readonly rules: readonly MetricRules[];
  readonly notes: readonly string[];
  readonly read: (step: StoryStep, size: number) => readonly MetricResponse[];
  /** Of a story with one, while no trigger fails. */
  readonly formula: (step: StoryStep) => number;
}

interface Source {
  readonly metadata: { readonly name: string };
  readonly spec: MetricRules & { readonly kind: string; readonly parameters: Readonly<Record<string, unknown>> };
}

export function importStory({ object, steps }: Story): Imported {
  const { documents, notes } = convertScaledObject(object as object as Record<string, unknown>, {
    annotations: {},
    namespace: "shop",
  });
  const [given, ...others] = documents as object as readonly [HorizontalPodAutoscaler, ...Source[]];
  const metadata = { ...given.metadata, creationTimestamp: steps[0]?.now ?? "" };
  const hpa = withDefaults({ ...given, metadata });
  const sources = new Map(others.map((source) => [source.metadata.name, source]));
  const sourceOf = ({ external }: MetricSpec) => sources.get(external?.metric.name ?? "");
  const rules = metricRulesOf(hpa, (metric) => rulesOfSource(sourceOf(metric)?.spec ?? {}));
  const read = (step: StoryStep, size: number) =>
    (hpa.spec.metrics ?? []).map((metric) => {
      const source = sourceOf(metric);
      return source === undefined ? readPods(metric, { story: object, step, size }) : readSource(source, sources, step);
    });
  const formula = (step: StoryStep) => {
    const source = others.find(({ spec }) => spec.kind === "formula");
    if (source === undefined) throw new Error("the story has no formula");
    return valueOf(source, sources, step);
  };
  return { hpa, rules, notes: notes.map(({ field, text }) => `${field} ${text}`), read, formula };
}

function readSource(source: Source, sources: ReadonlyMap<string, Source>, step: StoryStep): MetricResponse {
  try {
    const value = valueOf(source, sources, step);
    return {
      items: [{ metricName: source.metadata.name, metricLabels: {}, timestamp: step.now, value: quantityOf(value) }],
    };
  } catch (error) {
    if (!isMissing(error)) throw error;
    return { error: error.message };
  }
}

/** @throws Missing */
function valueOf({ metadata, spec }: Source, sources: ReadonlyMap<string, Source>, step: StoryStep): number {
  const { kind, parameters } = spec;
  if (kind === "formula") {
    const { operands, calculate } = parseFormulaQuery({ ...metadata, metricName: "", parameters });
    const named = new Map(operands.map(({ name, metric }) => [name, metric.name]));
    return calculate((name) => {
      const source = sources.get(named.get(name) ?? "");
      if (source === undefined) throw new Error(`the formula's operand ${name} has no source`);
      return valueOf(source, sources, step);
    });
  }
  const [, index = ""] = /^http:\/\/trigger-(\d+)/.exec(String(parameters["url"])) ?? [];
  const value = step.read[Number(index)];
  if (value === undefined) throw new Error(`the story has no server ${String(parameters["url"])}`);
  if (value === null) throw new Missing("it cannot be read");
  return value;
}

interface OfPods {
  readonly story: Story["object"];
  readonly step: StoryStep;
  readonly size: number;
}

export function readPods({ resource }: MetricSpec, { story, step, size }: OfPods): MetricResponse {
  const index = story.spec.triggers.findIndex(({ type }) => type === resource?.name);
  const percent = step.read[index] ?? null;
  if (percent === null) return { items: [] };
  const usage = { cpu: `${Math.floor(percent * 10)}m`, memory: `${Math.floor(percent * 10)}` };
  return {
    items: namesOf(size).map((name) => ({
      ...{ metadata: { name, namespace: "shop" }, timestamp: step.now, window: "60s" },
      containers: [{ name: "app", usage }],
    })),
  };
}

const namesOf = (size: number) => Array.from({ length: size }, (_, index) => `worker-${index}`);

export function podsOf(step: StoryStep, size: number): readonly Pod[] {
  const since = new Date(Date.parse(step.now) - 3_600_000).toISOString();
  return namesOf(size).map((name) => ({
    metadata: { name, namespace: "shop", labels: { app: "worker" } },
    spec: { containers: [{ name: "app", resources: { requests: { cpu: "1000m", memory: "1000" } } }] },
    status: {
      ...{ phase: "Running", startTime: since },
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: since }],
    },
  }));
}

export const scaleOf = (size: number): Scale => ({
  metadata: { name: "orders", namespace: "shop" },
  spec: { replicas: size },
  status: { replicas: size, selector: "app=worker" },
});

/** All that one sync leaves to the next. */
export type Past = Pick<Situation, "history" | "memory" | "activity"> & Pick<HorizontalPodAutoscaler, "status">;

export interface Moment {
  readonly past: Past;
  readonly step: StoryStep;
  readonly size: number;
  readonly rules: readonly MetricRules[];
}

export interface Stepped {
  readonly size: number;
  readonly worked: boolean;
  readonly decision: Decision;
}

export function stepEbb({ hpa, read }: Imported, { past, step, size, rules }: Moment): Stepped {
  const { status, ...memory } = past;
  const scale = scaleOf(size);
  const hasPods = (hpa.spec.metrics ?? []).some((metric) => needsPods(metric, scale));
  const decision = evaluate(
    {
      hpa: { ...hpa, ...(status && { status }) },
      scale,
      pods: hasPods ? podsOf(step, size) : [],
      metrics: read(step, size),
      options: defaultOptions,
      otherHpas: [],
      rules,
      ...memory,
    },
    Date.parse(step.now),
  );
  return { size: decision.scaleTo ?? size, worked: decision.activity?.working === true, decision };
}

export function pastOf({ history, memory, activity, status }: Decision): Past {
  return { history, status, ...(memory && { memory }), ...(activity && { activity }) };
}
