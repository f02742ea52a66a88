import type { HorizontalPodAutoscaler } from "../../lib/k8s/hpa";
import type { FieldError } from "../../lib/k8s/validate/field-error";
import { problemText } from "../../lib/model/check/problem";
import { type KnownEntries, validateMetricParameters } from "../../lib/sources/validate-parameters";
import type { Entries } from "../../lib/table/entries";
import type { EntryRef, StoredEntry } from "../../lib/table/items/entry-item";
import { decodeSource } from "../../lib/table/items/resource-items";
import type { CheckedDocument } from "./check-document";
import { type GivenDocument, invalidSubject } from "./check-source";

type Checked = Pick<CheckedDocument, "kind" | "name" | "document">;

/** What is wrong with the parameters of an HPA's External metrics. Empty for other kinds. */
export function metricErrors({ kind, document }: Checked, known: KnownEntries): readonly FieldError[] {
  if (kind !== "HorizontalPodAutoscaler") return [];
  const problems = validateMetricParameters(document as unknown as HorizontalPodAutoscaler, known);
  return problems.map((problem) => ({ path: problem.path, text: problemText(problem) }));
}

/** The same, one line each, which begins with the place of the field. */
export function metricProblems(given: GivenDocument, known: KnownEntries): readonly string[] {
  return placedErrors(given, metricErrors(given, known));
}

/** Errors of a document, one line each, which begins with the place of the field. */
export function placedErrors(given: GivenDocument, errors: readonly FieldError[]): readonly string[] {
  const { place, placeOf = () => place } = given;
  return errors.map(({ path, text }) => `${placeOf(path)}: ${invalidSubject(given)}: ${text}`);
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

function usable({ item }: StoredEntry): readonly (readonly [string, SourceSpec])[] {
  const source = decodeSource(item);
  return "value" in source ? [[source.key, source.value.spec]] : [];
}
