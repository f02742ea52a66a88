import type { HorizontalPodAutoscaler, MetricIdentifier } from "../k8s/hpa";
import { isMap } from "../k8s/map";
import { type FieldPath, type Problem, fieldText, problemText } from "../model/check/problem";
import type { SourceEntry } from "../model/entry/entries";
import { isFault } from "../model/fault";
import type { Operand } from "../model/ports/sources";
import { isCredentialName, isCredentialOfQuery, withoutCredentials } from "./credentials";
import { parameterProblems } from "./fields/read-fields";
import type { DescribedKind } from "./description";
import { descriptionOf } from "./descriptions";

/** Labels may add parameters, so none is required. A kind that this version does not know may have any. */
export function validateSourceParameters(
  spec: unknown,
  find: (kind: string) => Pick<DescribedKind, "fields" | "check"> | undefined = descriptionOf,
): readonly Problem[] {
  if (!isMap(spec) || typeof spec["kind"] !== "string") return [];
  const kind = find(spec["kind"]);
  const secrets = credentialProblems(spec["parameters"], kind === undefined, ["spec", "parameters"]);
  if (secrets.length > 0) return secrets;
  if (kind === undefined) return [];
  const problems = parameterProblems(kind.fields, spec["parameters"], ["spec", "parameters"]);
  const parameters = spec["parameters"];
  if (problems.length > 0 || !isMap(parameters)) return problems;
  return problemOf("spec.parameters", () => kind.check?.(parameters));
}

/** Addresses hold no user, password or key; nor do headers, queries, and parameters of unknown kinds. */
function credentialProblems(given: unknown, isNamed: boolean, path: FieldPath): readonly Problem[] {
  const instead = "put it into a secret, and name that in spec.parameters.secret";
  if (typeof given === "string") {
    const { lost } = withoutCredentials(given, String(path.at(-1)));
    if (lost.length === 0) return [];
    return [
      { path: fieldText(path), message: `expected a text without a credential, got ${lost.join(", ")}: ${instead}` },
    ];
  }
  if (Array.isArray(given)) return given.flatMap((item, index) => credentialProblems(item, isNamed, [...path, index]));
  if (!isMap(given)) return [];
  return Object.entries(given).flatMap(([name, value]) => {
    const own = [...path, name];
    const isCredential =
      path.at(-1) === "queryParameters" ? isCredentialOfQuery(name, String(value)) : isNamed && isCredentialName(name);
    if (isCredential && name !== "secret" && (typeof value === "string" || typeof value === "number"))
      return [{ path: fieldText(own), message: `expected no credential in an entry: ${instead}` }];
    return credentialProblems(value, isNamed || name === "headers", own);
  });
}

function problemOf(path: string, check: () => unknown): readonly Problem[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!isFault(error, "badEntry")) throw error;
    return [{ path, message: error.message }];
  }
}

export interface KnownEntries {
  readonly entries: ReadonlyMap<string, SourceEntry["spec"]>;
  /** True if no other entries exist, so the name of a built-in kind means that kind. */
  readonly areAll: boolean;
}

/** Labels of External metrics are parameters that override the entry's. */
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
  const labels = [...path, "selector", "matchLabels"];
  const secrets = credentialProblems(matchLabels, false, labels);
  if (secrets.length > 0) return secrets;
  const problems = parameterProblems(kind.fields, matchLabels, labels);
  if (problems.length > 0 || (entry === undefined && !areAll)) return problems;
  const query = { metricName: name, parameters: { ...entry?.parameters, ...matchLabels } };
  const unreadable = problemOf(fieldText(path), () => kind.parse(query));
  if (unreadable.length > 0 || kind.operands === undefined) return unreadable;
  return kind.operands(query).flatMap((operand) => operandProblems(operand, path, { entries, areAll }));
}

function operandProblems({ name, metric }: Operand, path: FieldPath, known: KnownEntries): readonly Problem[] {
  const entry = known.entries.get(metric.name);
  const kind = kindOf(metric.name, entry);
  const problem = (message: string) => ({
    path: fieldText(path),
    message: `operand ${name} (source ${metric.name}): ${message}`,
  });
  if (kind === undefined)
    return entry === undefined && known.areAll ? [problem(`there is no source named ${metric.name}`)] : [];
  if (kind.operands !== undefined)
    return [problem(`expected a source that is no ${kind.name} itself: write that one's formula here`)];
  return metricProblems(metric, [], known).map((one) => problem(problemText(one)));
}

/** Like the sync: the entry of the metric's name, else the built-in kind of that name. */
function kindOf(name: string, entry: SourceEntry["spec"] | undefined): DescribedKind | undefined {
  const found = descriptionOf(entry?.kind ?? name);
  return entry !== undefined || found?.isBuiltIn === true ? found : undefined;
}
