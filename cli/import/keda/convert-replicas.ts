import type { MetricSpec } from "../../../lib/k8s/hpa";
import { type ConvertedSource, type ConvertedTrigger, unreadable, withFallback } from "./convert-trigger";
import { isMap } from "../../../lib/k8s/map";
import { isQuantity, parseMilli } from "../../../lib/k8s/quantity";
import type { Fallback } from "../../../lib/model/metric-rules";
import { type Note, type Taking, takeFrom, settingText } from "./left-over";

/** The bounds of the HPA. KEDA's defaults are 0 and 100. */
export interface Replicas {
  readonly minReplicas: number;
  readonly maxReplicas: number;
  readonly notes: readonly Note[];
}

export function convertReplicas(spec: Taking, metrics: readonly MetricSpec[]): Replicas {
  const least = Number(spec.take("minReplicaCount") ?? 0);
  const maxReplicas = Number(spec.take("maxReplicaCount") ?? 100);
  const idle = spec.take("idleReplicaCount");
  if (idle !== undefined) {
    const text = `becomes minReplicas: while there is work, the metrics may choose any size from ${Number(idle) + 1}, where KEDA has at least ${least}`;
    return { minReplicas: Number(idle), maxReplicas, notes: [{ field: "spec.idleReplicaCount", text }] };
  }
  if (least > 0 || metrics.some(({ type }) => type === "External"))
    return { minReplicas: least, maxReplicas, notes: [] };
  const text = "becomes minReplicas 1, as in KEDA: without pods, no CPU or memory metric can start one";
  return { minReplicas: 1, maxReplicas, notes: [{ field: "spec.minReplicaCount", text }] };
}

const path = "spec.advanced.scalingModifiers";

/** Replaces the triggers' metrics. */
export interface Modified {
  readonly metrics: readonly MetricSpec[];
  readonly source: ConvertedSource;
  readonly notes: readonly Note[];
}

/**
 * A formula over the triggers, as one metric; undefined if there is no formula. Separate metrics could ask for fewer
 * replicas than the formula. No source reads it yet, so the metric holds the replicas.
 */
export function convertModifiers(
  given: unknown,
  triggers: readonly ConvertedTrigger[],
  { name, fallback }: { readonly name: string; readonly fallback: Fallback | undefined },
): Modified | undefined {
  if (!isMap(given) || typeof given["formula"] !== "string") return undefined;
  const fields = takeFrom(given, path);
  const formula = fields.take("formula");
  const value = settingText(fields.take("target")) ?? "1";
  const isTotal = fields.take("metricType") === "Value";
  const activation = activationOf(fields);
  const parts = triggers.map(({ metric }) => metric).filter(({ external }) => external !== undefined);
  const ofPods = triggers.map(({ metric }) => metric).filter(({ external }) => external === undefined);
  const target = isTotal ? { type: "Value", value } : { type: "AverageValue", averageValue: value };
  const note = {
    field: `${path}.formula`,
    text: unreadable("formula"),
  };
  return {
    metrics: [{ type: "External", external: { metric: { name }, target } }, ...ofPods],
    source: {
      name,
      kind: "formula",
      parameters: { formula, metrics: parts.map(({ external }) => external) },
      rules: withFallback(activation === undefined ? {} : { activation }, "formula", fallback),
    },
    notes: [note, ...fields.left()],
  };
}

/** KEDA uses that of the formula, and none of its triggers'. One that ebb cannot have stays among what is left. */
function activationOf(fields: Taking): string | undefined {
  const given = settingText(fields.peek("activationTarget"));
  if (given === undefined || !isQuantity(given) || parseMilli(given) < 0n) return undefined;
  fields.take("activationTarget");
  return parseMilli(given) === 0n ? undefined : given;
}
