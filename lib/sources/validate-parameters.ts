import type { HorizontalPodAutoscaler, MetricIdentifier } from "../k8s/hpa";
import { isMap } from "../k8s/map";
import { type FieldPath, type Problem, fieldText } from "../model/check/problem";
import type { SourceEntry } from "../model/entry/entries";
import { isFault } from "../model/fault";
import { parameterProblems } from "./fields/read-fields";
import type { DescribedKind } from "./description";
import { descriptionOf } from "./descriptions";

/**
 * What is wrong with the parameters of a spec that validateSource accepts. They are defaults, and labels may add to
 * them, so none is required. A kind that this version does not know may have any parameters.
 */
export function validateSourceParameters(
  spec: unknown,
  find: (kind: string) => Pick<DescribedKind, "fields"> | undefined = descriptionOf,
): readonly Problem[] {
  if (!isMap(spec) || typeof spec["kind"] !== "string") return [];
  const kind = find(spec["kind"]);
  return kind === undefined ? [] : parameterProblems(kind.fields, spec["parameters"], ["spec", "parameters"]);
}

/** SOURCE entries by name. */
export interface KnownEntries {
  readonly entries: ReadonlyMap<string, SourceEntry["spec"]>;
  /** No other entries exist, so a metric with the name of a built-in kind is read from that kind. */
  readonly areAll: boolean;
}

/**
 * What is wrong with the External metrics that are read from a source of a known kind: the labels of their selectors
 * are parameters, and override those of the source's entry. Paths are those of a valid HPA's fields.
 */
export function validateMetricParameters(
  { spec: { metrics = [] } }: Pick<HorizontalPodAutoscaler, "spec">,
  known: KnownEntries,
): readonly Problem[] {
  return metrics.flatMap(({ external }, index) => {
    if (external === undefined) return [];
    return metricProblems(external.metric, ["spec", "metrics", index, "external", "metric"], known);
  });
}

function metricProblems(
  { name, selector = {} }: MetricIdentifier,
  path: FieldPath,
  { entries, areAll }: KnownEntries,
): readonly Problem[] {
  const entry = entries.get(name);
  const kind = kindOf(name, entry);
  if (kind === undefined) return [];
  const { matchLabels = {}, matchExpressions = [] } = selector;
  if (matchExpressions.length > 0) {
    const message = "expected the source's parameters in selector.matchLabels, got matchExpressions";
    return [{ path: fieldText([...path, "selector", "matchExpressions"]), message }];
  }
  const problems = parameterProblems(kind.fields, matchLabels, [...path, "selector", "matchLabels"]);
  if (problems.length > 0 || (entry === undefined && !areAll)) return problems;
  try {
    kind.parse({ metricName: name, parameters: { ...entry?.parameters, ...matchLabels } });
    return [];
  } catch (error) {
    if (!isFault(error, "badEntry")) throw error;
    return [{ path: fieldText(path), message: error.message }];
  }
}

/** As the sync finds it: an entry of the metric's name, else the built-in kind of that name. */
function kindOf(name: string, entry: SourceEntry["spec"] | undefined): DescribedKind | undefined {
  const found = descriptionOf(entry?.kind ?? name);
  return entry !== undefined || found?.isBuiltIn === true ? found : undefined;
}
