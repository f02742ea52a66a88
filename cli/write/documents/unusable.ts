import type { HorizontalPodAutoscaler, MetricSpec } from "../../../lib/k8s/hpa";
import type { FieldError } from "../../../lib/k8s/validate/field-error";
import { problemText } from "../../../lib/model/check/problem";
import { type KnownEntries, validateMetricParameters } from "../../../lib/sources/validate-parameters";
import type { Entries, EntryRef, StoredEntry } from "../../../lib/model/ports/entries";
import { sourceIn } from "../../../lib/table/items/resource-items";
import type { CheckedDocument } from "./check-document";
import { type GivenDocument, invalidSubject } from "./check-source";
import { isMap } from "../../../lib/k8s/map";
import { isVariable } from "../../../lib/secrets/variable";
import type { Settings } from "../../set-up/config/settings";

type Checked = Pick<CheckedDocument, "kind" | "name" | "document">;

/** A table to write to. */
export interface Where {
  /** The metric sources of the cluster. */
  readonly known: KnownEntries;
  readonly settings: Pick<Settings, "table">;
}

/** Why a valid document cannot work there. */
export function unusableErrors(checked: Checked, { known, settings }: Where): readonly FieldError[] {
  return [...metricErrors(checked, known), ...variableErrors(checked, settings)];
}

/** The same, one line each, which begins with the place of the field. */
export function unusableProblems(given: GivenDocument, where: Where): readonly string[] {
  const { place, placeOf = () => place } = given;
  return unusableErrors(given, where).map(({ path, text }) => `${placeOf(path)}: ${invalidSubject(given)}: ${text}`);
}

/** What is wrong with the parameters of an HPA's External metrics. Empty for other kinds. */
function metricErrors({ kind, document }: Checked, known: KnownEntries): readonly FieldError[] {
  if (kind !== "HorizontalPodAutoscaler") return [];
  const problems = validateMetricParameters(document as unknown as HorizontalPodAutoscaler, known);
  return problems.map((problem) => ({ path: problem.path, text: problemText(problem) }));
}

/** The metric sources among some checked documents: without the table's, which may hold others. */
export function sourcesAmong(documents: readonly Checked[]): KnownEntries {
  const sources = documents.filter(({ kind }) => kind === "MetricSource");
  const entries = sources.map(({ name, document }) => [name, document["spec"] as SourceSpec] as const);
  return { entries: new Map(entries), areAll: false };
}

type SourceSpec = KnownEntries["entries"] extends ReadonlyMap<string, infer Spec> ? Spec : never;

/** The metric sources of a cluster in the table, and those that are about to be written. */
export async function sourcesOf(
  cluster: string,
  written: readonly (Checked & { readonly ref: EntryRef })[],
  { entries, signal }: { readonly entries: Pick<Entries, "list">; readonly signal: AbortSignal },
): Promise<KnownEntries> {
  const stored = await entries.list("MetricSource", { cluster }, signal);
  const own = sourcesAmong(written.filter(({ ref }) => ref.cluster === cluster));
  return { entries: new Map([...stored.flatMap(usable), ...own.entries]), areAll: true };
}

/** For documents without metrics. */
export const noSources: KnownEntries = { entries: new Map(), areAll: true };

function usable(stored: StoredEntry): readonly (readonly [string, SourceSpec])[] {
  const source = sourceIn(stored);
  return "value" in source ? [[source.key, source.value.spec]] : [];
}

const why =
  "expected a secret in Secrets Manager or SSM such as ebb/prod/stats, got a variable of one machine's environment; " +
  "the table is in DynamoDB, and functions have no such variable";

/** A source's secret may be a variable only in the table that `ebb start` keeps on this machine. */
function variableErrors({ kind, document }: Checked, { table }: Where["settings"]): readonly FieldError[] {
  if (table === undefined) return [];
  const spec = isMap(document["spec"]) ? document["spec"] : {};
  const given: readonly (readonly [string, unknown])[] =
    kind === "MetricSource"
      ? [["spec.parameters", spec["parameters"]]]
      : kind === "HorizontalPodAutoscaler"
        ? ((spec["metrics"] ?? []) as readonly MetricSpec[]).map(({ external }, index) => [
            `spec.metrics[${index}].external.metric.selector.matchLabels`,
            external?.metric.selector?.matchLabels,
          ])
        : [];
  return given.flatMap(([at, parameters]) => {
    const secret = isMap(parameters) ? parameters["secret"] : undefined;
    if (typeof secret !== "string" || !isVariable(secret)) return [];
    return [{ path: `${at}.secret`, text: `${at}.secret: ${why}` }];
  });
}
