import type { SourceEntry } from "../api/entries";
import type { MetricIdentifier } from "../api/hpa";
import type { Entry } from "./ports";

/** Where an External metric is read from. */
export type ExternalSource =
  /** The cluster's external.metrics.k8s.io. */
  | { readonly kind: "cluster" }
  | { readonly kind: "source"; readonly source: string; readonly parameters: Readonly<Record<string, unknown>> }
  /** What was written cannot be used. `from` names where the error belongs. */
  | { readonly kind: "invalid"; readonly error: string; readonly from: string };

/** A metric's own source, by its name; the labels of its selector are the source's parameters, and precede those of its entry. */
export function externalSource(
  metric: MetricIdentifier,
  sourceEntries: ReadonlyMap<string, Entry<SourceEntry>>,
): ExternalSource {
  const entry = sourceEntries.get(metric.name);
  if (entry !== undefined && "invalid" in entry) {
    return { kind: "invalid", error: entry.invalid, from: `source ${metric.name}` };
  }
  const source = entry?.value.spec.kind ?? builtInKind(metric.name);
  if (source === undefined) return { kind: "cluster" };
  if ((metric.selector?.matchExpressions ?? []).length > 0) {
    const error = "expected the source's parameters in selector.matchLabels, got matchExpressions";
    return { kind: "invalid", error, from: metric.name };
  }
  return { kind: "source", source, parameters: { ...entry?.value.spec.parameters, ...metric.selector?.matchLabels } };
}

/** Kinds of sources that External metrics may name without a SOURCE entry. */
function builtInKind(metricName: string): string | undefined {
  return metricName === "sqs" || metricName === "cloudwatch" ? metricName : undefined;
}
