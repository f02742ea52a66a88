import type { MetricSpec } from "../../../../lib/k8s/hpa";
import { isMap } from "../../../../lib/k8s/map";
import { isQuantity, parseMilli } from "../../../../lib/k8s/quantity";
import { problemText } from "../../../../lib/model/check/problem";
import type { Fallback } from "../../../../lib/model/metric/metric-rules";
import { validateSourceParameters } from "../../../../lib/sources/validate-parameters";
import { type ConvertedSource, type ConvertedTrigger, isRead, unreadable, withFallback } from "./convert-trigger";
import { type Fields, type Note, takeFrom, type Taking, settingText, withoutEffect } from "./left-over";

const path = "spec.advanced.scalingModifiers";

/** An unknown kind: an invalid formula's metric holds the replicas. */
const unknownKind = "expr";

export interface Modified {
  readonly metrics: readonly MetricSpec[];
  readonly sources: readonly ConvertedSource[];
  readonly notes: readonly Note[];
  readonly unused: ReadonlySet<ConvertedTrigger>;
}

interface Triggers {
  readonly given: readonly unknown[];
  readonly converted: readonly ConvertedTrigger[];
  readonly name: string;
  readonly fallback: Fallback | undefined;
}

interface Named {
  readonly name: string;
  readonly field: string;
  readonly trigger: ConvertedTrigger;
}

/**
 * Undefined: no formula. As in KEDA, only the formula and the metrics of pods scale. Upstream: newHPAForScaledObject
 * and getScaledObjectMetricSpecs, controllers/keda/hpa.go.
 */
export function convertModifiers(given: unknown, triggers: Triggers): Modified | undefined {
  if (!isMap(given) || typeof given["formula"] !== "string") return undefined;
  const { name, fallback, converted } = triggers;
  const fields = takeFrom(given, path);
  const formula = settingText(fields.take("formula")) ?? "";
  const value = toThousandths(settingText(fields.take("target")) ?? "1");
  const isTotal = fields.take("metricType") === "Value";
  const activation = activationOf(fields);
  const all = namedOf(triggers).filter(({ trigger }) => trigger.metric.external !== undefined);
  const used = all.filter((trigger) => wordsOf(formula).has(trigger.name));
  const unused = all.filter((trigger) => !used.includes(trigger));
  const target = isTotal ? { type: "Value", value } : { type: "AverageValue", averageValue: value };
  const parameters = { formula, operands: used.map(operandOf) };
  const problem = problemOf(parameters, used);
  const kind = problem === undefined ? "formula" : unknownKind;
  const rules = withFallback(activation === undefined ? {} : { activation }, kind, fallback);
  // The rules of an operand's own source do not count in a formula.
  const ofOperands = used.flatMap(({ trigger }) => (trigger.source ? [asOperand(trigger.source)] : []));
  const ofPods = converted.map(({ metric }) => metric).filter(({ external }) => external === undefined);
  return {
    metrics: [{ type: "External", external: { metric: { name }, target } }, ...ofPods],
    sources: [...ofOperands, { name, kind, parameters, rules }],
    notes: [
      ...(problem === undefined
        ? []
        : [{ field: `${path}.formula`, text: `${problem}; it ${unreadable(unknownKind)}`, harm: "held" as const }]),
      ...unused.map(({ field }) => withoutEffect(field)),
      ...fields.left(),
    ],
    unused: new Set(unused.map(({ trigger }) => trigger)),
  };
}

/** KEDA cuts off what follows. Upstream: getScaledObjectMetricSpecs, controllers/keda/hpa.go. */
export function toThousandths(target: string): string {
  const cut = Math.trunc(Number(target) * 1000) / 1000;
  return /\.\d{3,}$|[eE]-/.test(target) && !Number.isNaN(cut) ? String(cut) : target;
}

/** KEDA's cron trigger is 1 outside of its window. Upstream: GetMetricsAndActivity, pkg/scalers/cron_scaler.go. */
function asOperand(source: ConvertedSource): ConvertedSource {
  const parameters = source.kind === "schedule" ? { ...source.parameters, outside: 1 } : source.parameters;
  return { ...source, parameters, rules: {} };
}

function namedOf({ given, converted }: Triggers): readonly Named[] {
  return converted.map((trigger, index) => {
    const one = given[index];
    const name = isMap(one) ? (settingText(one["name"]) ?? "") : "";
    return { name, field: `spec.triggers[${index}]`, trigger };
  });
}

function wordsOf(formula: string): ReadonlySet<string> {
  return new Set(formula.match(/[A-Za-z_$][\w$]*/g) ?? []);
}

function operandOf({ name, trigger }: Named): Fields {
  const { name: source = "", selector } = trigger.metric.external?.metric ?? {};
  return { name, source, ...(selector?.matchLabels && { labels: selector.matchLabels }) };
}

/** Undefined: a source can calculate it. */
function problemOf(parameters: Fields, used: readonly Named[]): string | undefined {
  const unread = used.find(({ trigger: { source } }) => source !== undefined && !isRead(source.kind));
  // `??` would hide the missing operand.
  if (unread !== undefined) return `uses ${unread.name}, whose source ebb cannot read`;
  const [problem] = validateSourceParameters({ kind: "formula", parameters });
  return problem && `is not understood: ${problemText(problem)}`;
}

/** KEDA uses the formula's, and none of its triggers'. An unsupported one is left over. */
function activationOf(fields: Taking): string | undefined {
  const given = settingText(fields.peek("activationTarget"));
  if (given === undefined || !isQuantity(given) || parseMilli(given) < 0n) return undefined;
  fields.take("activationTarget");
  return parseMilli(given) === 0n ? undefined : given;
}
