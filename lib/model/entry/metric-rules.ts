import type { HorizontalPodAutoscaler, MetricSpec } from "../../k8s/hpa";
import { isMap } from "../../k8s/map";
import type { ObjectMeta } from "../../k8s/objects";
import { isQuantity } from "../../k8s/quantity";
import { type FieldError, invalid } from "../../k8s/validate/field-error";
import { problemsOf } from "../check/check-schema";
import { closest } from "../check/closest";
import { excerpt, fewTexts, type FieldPath, type Problem, fieldText, problemText, unexpected } from "../check/problem";
import { limits } from "./limits";
import { metricLabel, metricName } from "../metric/metric-label";
import type { MetricRules } from "../metric/metric-rules";
import { metricRules as schema } from "../validators/metric-source-spec";

export const rulesAnnotation = "ebb.dev/metric-rules";

/** A quantity in the right form may be too long to calculate with. */
export function ruleProblems(given: unknown, path: FieldPath): readonly Problem[] {
  if (!isMap(given) || given["activation"] === undefined || isQuantity(given["activation"])) return [];
  return [unexpected([...path, "activation"], "a quantity, 0 or more, such as 0.1 or 100m", given["activation"])];
}

/** In the annotation, null removes these. */
const removable = ["fallback", "maxReplicas"] as const satisfies readonly (keyof MetricRules)[];

type AnnotatedRules = Omit<MetricRules, (typeof removable)[number]> & {
  readonly [Name in (typeof removable)[number]]?: MetricRules[Name] | null;
};
type RulesByMetric = Readonly<Record<string, AnnotatedRules>>;

export function rulesAnnotationProblem(text: string): string | undefined {
  const given = parsed(text);
  if (!isMap(given)) {
    return `must be JSON: an object of rules by metric, such as {"orders": {"activation": "5", "confirm": 2}}`;
  }
  const entries = Object.entries(given);
  if (entries.length > limits.rulesPerHpa) {
    const what = `expected rules of at most ${limits.rulesPerHpa} names, got ${entries.length} (a limit of ebb)`;
    return `${what}: remove those that name no metric of the HPA`;
  }
  const problems = entries.flatMap(([name, rules]) => [
    ...problemsOf(schema, isMap(rules) ? withoutRemoved(rules) : rules, { root: [name], most: mostProblems }),
    ...ruleProblems(rules, [name]),
  ]);
  return problems.length === 0 ? undefined : fewTexts(problems.map(problemText)).join("; ");
}

const mostProblems = 10;

export function rulesMetricErrors({ metadata, spec }: HorizontalPodAutoscaler): readonly FieldError[] {
  const given = Object.entries(annotatedRules(metadata));
  if (given.length === 0) return [];
  const metrics = (spec.metrics ?? []).map((metric) => ({ metric, names: namesOf(metric) }));
  const known = [...new Set(metrics.flatMap(({ names }) => names))];
  const problems = given.flatMap(([name, rules]) => {
    const named = metrics.filter(({ names }) => names.includes(name)).map(({ metric }) => metric);
    const problem = named.length === 0 ? unknownMetric(name, known) : podsProblem(rules, named);
    return problem === undefined ? [] : [problemText({ path: fieldText([name]), message: problem })];
  });
  const value = excerpt(valueOf(metadata));
  return fewTexts(problems).map((text) => invalid(`metadata.annotations[${rulesAnnotation}]`, value, text));
}

/** Name, and label as in `ebb explain`. */
function namesOf(metric: MetricSpec): readonly string[] {
  const name = metricName(metric);
  return [...new Set([...(name === undefined ? [] : [name]), metricLabel(metric)])];
}

function unknownMetric(name: string, known: readonly string[]): string {
  const meant = closest(name, known);
  const hint = meant === undefined ? "" : ` (did you mean ${meant}?)`;
  return `names no metric of the HPA${hint}, expected one of ${fewTexts(known).join(", ")}`;
}

const totalsOnly = ["activation", "confirm", "confirmWake"] as const;

function podsProblem(rules: AnnotatedRules, named: readonly MetricSpec[]): string | undefined {
  if (named.some(({ type }) => type === "External" || type === "Object")) return undefined;
  const useless = totalsOnly.find((field) => rules[field] !== undefined);
  if (useless === undefined) return undefined;
  return `${useless} has no effect on a metric of pods: at zero, only an External or Object metric can be read`;
}

export function metricRulesOf(
  { metadata, spec }: HorizontalPodAutoscaler,
  sourceRules: (metric: MetricSpec, index: number) => MetricRules,
): readonly MetricRules[] {
  const metrics = spec.metrics ?? [];
  if (valueOf(metadata) === "") return metrics.map((metric, index) => withoutRemoved(sourceRules(metric, index)));
  const annotated = annotatedRules(metadata);
  return metrics.map((metric, index) =>
    withoutRemoved(
      namesOf(metric).reduce<AnnotatedRules>(
        (rules, name) => (Object.hasOwn(annotated, name) ? { ...rules, ...annotated[name] } : rules),
        sourceRules(metric, index),
      ),
    ),
  );
}

function withoutRemoved(rules: AnnotatedRules): MetricRules {
  const isRemoved = (name: string, value: unknown) => value === null && removable.some((one) => one === name);
  return Object.fromEntries(Object.entries(rules).filter(([name, value]) => !isRemoved(name, value)));
}

function annotatedRules(metadata: Pick<ObjectMeta, "annotations">): RulesByMetric {
  const text = valueOf(metadata);
  return text === "" ? {} : (parsed(text) as RulesByMetric);
}

function valueOf({ annotations = {} }: Pick<ObjectMeta, "annotations">): string {
  return Object.hasOwn(annotations, rulesAnnotation) ? (annotations[rulesAnnotation] ?? "") : "";
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function rulesOfSource(spec: MetricRules): MetricRules {
  const { activation, confirm, confirmWake, fallback, maxReplicas } = spec;
  return withoutAbsent({ activation, confirm, confirmWake, fallback, maxReplicas });
}

function withoutAbsent(rules: { readonly [Name in keyof MetricRules]: MetricRules[Name] | undefined }): MetricRules {
  return Object.fromEntries(Object.entries(rules).filter(([, value]) => value !== undefined));
}

interface Settling {
  readonly settleMs: number;
  readonly periodMs: number;
}

/** A value that may be wrong for 60 s must show no work for 5 slots of 15 s. */
export function defaultRules({ settleMs, periodMs }: Settling): MetricRules {
  return settleMs === 0 ? {} : { confirm: Math.ceil(settleMs / periodMs) + 1 };
}
