import type { MetricSpec } from "../../../lib/api/hpa";
import type { ConvertedTrigger } from "./convert-trigger";
import { type Fields, isFields, type Note, takeFrom, textOf } from "./left-over";

const path = "spec.advanced.scalingModifiers";

/** What takes the place of the triggers' metrics. */
export interface Modified {
  readonly metrics: readonly MetricSpec[];
  readonly source: { readonly name: string; readonly kind: "formula"; readonly parameters: Fields };
  readonly notes: readonly Note[];
}

/**
 * A formula over the triggers is one metric. Its parts one by one would be other sizes, smaller ones too, so it stays one metric, which
 * cannot be read yet and holds the replicas. undefined when there is none.
 */
export function convertModifiers(
  given: unknown,
  triggers: readonly ConvertedTrigger[],
  name: string,
): Modified | undefined {
  if (!isFields(given) || typeof given["formula"] !== "string") return undefined;
  const fields = takeFrom(given, path);
  const formula = fields.take("formula");
  const value = textOf(fields.take("target")) ?? "1";
  const isTotal = fields.take("metricType") === "Value";
  const parts = triggers.map(({ metric }) => metric).filter(({ external }) => external !== undefined);
  const ofPods = triggers.map(({ metric }) => metric).filter(({ external }) => external === undefined);
  const target = isTotal ? { type: "Value", value } : { type: "AverageValue", averageValue: value };
  const note = {
    field: `${path}.formula`,
    text: `is a source of kind "formula", which this version of ebb cannot read: until one can, the HPA never scales down`,
  };
  return {
    metrics: [{ type: "External", external: { metric: { name }, target } }, ...ofPods],
    source: { name, kind: "formula", parameters: { formula, metrics: parts.map(({ external }) => external) } },
    notes: [note, ...fields.left()],
  };
}
