import type { HorizontalPodAutoscaler } from "../../k8s/hpa";
import { isMap } from "../../k8s/map";
import { type FieldError, invalid } from "../../k8s/validate/field-error";
import { closest } from "../check/closest";
import { excerpt, fieldText } from "../check/problem";
import { secondsOf } from "./options";

export const zeroAnnotation = "ebb.dev/zero";

/** Zero is decided by the activity of External and Object metrics. docs/decisions/0090-zero-by-activity.md */
export interface ZeroRule {
  /** Without work for so long, the target goes to zero. */
  readonly afterMs: number;
  /** The least size above zero. */
  readonly from: number;
  /** So long after its creation, an HPA that has never seen work may go to zero. */
  readonly initialAfterMs: number;
}

export const zeroDefaults = { after: "300s", from: 1, initialAfter: "0s" } as const;

const example = '{"after": "300s", "from": 1}';
/** A week. */
export const longestSeconds = 7 * 24 * 3_600;
const mostReplicas = 2 ** 31 - 1;

const checks: Readonly<Record<keyof typeof zeroDefaults, (given: unknown) => string | undefined>> = {
  after: durationProblem,
  from: (given) =>
    Number.isInteger(given) && Number(given) >= 1 && Number(given) <= mostReplicas
      ? undefined
      : "expected a whole number, 1 or more",
  initialAfter: durationProblem,
};

function durationProblem(given: unknown): string | undefined {
  const seconds = typeof given === "string" ? secondsOf(given) : undefined;
  const isInRange = seconds !== undefined && Number.isInteger(seconds) && seconds >= 0 && seconds <= longestSeconds;
  return isInRange ? undefined : "expected whole seconds from 0s to 168h in quotes, such as 30s, 5m or 1h";
}

export function zeroAnnotationProblem(text: string): string | undefined {
  const given = parsed(text);
  if (!isMap(given)) return `must be JSON, such as ${example}`;
  const names = Object.keys(checks);
  const problems = Object.entries(given).flatMap(([name, value]) => {
    const check = Object.hasOwn(checks, name) ? checks[name as keyof typeof checks] : undefined;
    const problem = check === undefined ? unknownField(name, names) : check(value);
    if (problem === undefined) return [];
    const got = check === undefined ? "" : `, got ${excerpt(JSON.stringify(value))}`;
    return [`${fieldText([name])}: ${problem}${got}`];
  });
  return problems.length === 0 ? undefined : problems.slice(0, names.length).join("; ");
}

function unknownField(name: string, names: readonly string[]): string {
  const meant = closest(name, names);
  return meant === undefined
    ? `unknown field, expected one of ${names.join(", ")}`
    : `unknown field, did you mean ${meant}?`;
}

/** For a valid annotation: it needs a zero to go to, and a metric that can be read there. */
export function zeroErrors({ metadata, spec }: HorizontalPodAutoscaler): readonly FieldError[] {
  const text = annotated(metadata);
  if (text === undefined) return [];
  const { minReplicas = 1, maxReplicas, metrics = [] } = spec;
  const { from } = readRule(text);
  const problems = [
    ...(minReplicas === 0
      ? []
      : [`needs spec.minReplicas 0, got ${minReplicas}: set it to 0, and from to ${Math.max(1, minReplicas)}`]),
    ...(metrics.some(isTotal)
      ? []
      : [
          "needs an External or Object metric: at zero, no metric of pods can be read; add one, or remove the annotation",
        ]),
    ...(from <= maxReplicas ? [] : [`from: expected at most spec.maxReplicas, which is ${maxReplicas}, got ${from}`]),
  ];
  return problems.map((problem) => invalid(`metadata.annotations[${zeroAnnotation}]`, excerpt(text), problem));
}

function isTotal({ type }: { readonly type: string }): boolean {
  return type === "External" || type === "Object";
}

/** Undefined: the metrics alone decide, as upstream. So they do with an annotation that `apply` refuses. */
export function zeroRuleOf(hpa: HorizontalPodAutoscaler): ZeroRule | undefined {
  const text = annotated(hpa.metadata);
  if (text === undefined || zeroAnnotationProblem(text) !== undefined || zeroErrors(hpa).length > 0) return undefined;
  return readRule(text);
}

function readRule(text: string): ZeroRule {
  const given: Partial<Record<keyof typeof zeroDefaults, string | number>> = JSON.parse(text) as object;
  const { after, from, initialAfter } = { ...zeroDefaults, ...given };
  return { afterMs: msOf(after), from: Number(from), initialAfterMs: msOf(initialAfter) };
}

function msOf(text: string | number): number {
  return (secondsOf(String(text)) ?? 0) * 1_000;
}

function annotated({ annotations = {} }: HorizontalPodAutoscaler["metadata"]): string | undefined {
  return Object.hasOwn(annotations, zeroAnnotation) ? annotations[zeroAnnotation] : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
