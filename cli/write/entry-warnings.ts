import { unorderedText } from "../../lib/model/entry/busy-rule";
import type { CrossVersionObjectReference } from "../../lib/k8s/hpa";
import { validateHpaEntry } from "../../lib/model/entry/validate-hpa-entry";
import { problemText } from "../../lib/model/check/problem";
import { type KnownEntries, validateMetricParameters } from "../../lib/sources/validate-parameters";
import type { EntryContent, EntryDocument, EntryRef } from "../../lib/model/ports/entries";
import { sourcesOf } from "./documents/table-around";
import type { Session } from "../shell/session";

/** Valid entries that do not work with the table's others, one line each. */
export async function entryWarnings(
  written: readonly EntryContent[],
  session: Pick<Session, "entries" | "signal">,
): Promise<readonly string[]> {
  return [
    ...written.flatMap(haltedWarnings),
    ...written.flatMap(unorderedWarnings),
    ...(await sharedTargets(written, session)),
    ...(await unreadableElsewhere(written, session)),
  ];
}

/** An update may keep what no new HPA may have. */
function haltedWarnings({ ref, document }: EntryContent): readonly string[] {
  if (ref.kind !== "HorizontalPodAutoscaler") return [];
  const { errors } = validateHpaEntry(document);
  if (errors.length === 0) return [];
  return [`HPA ${ref.namespace}/${ref.name} is still invalid, and ebb does not sync it: ${errors.join("; ")}`];
}

interface Valid {
  readonly ref: { readonly kind: EntryContent["ref"]["kind"] };
  readonly document: EntryDocument;
}

export function unorderedWarnings({ ref, document }: Valid): readonly string[] {
  if (ref.kind !== "HorizontalPodAutoscaler") return [];
  const { hpa } = validateHpaEntry(document);
  const text = hpa && unorderedText(hpa);
  return text === undefined ? [] : [text];
}

/** Stored HPAs whose metrics the written sources no longer read. */
async function unreadableElsewhere(
  written: readonly EntryContent[],
  session: Pick<Session, "entries" | "signal">,
): Promise<readonly string[]> {
  const sources = written.filter(({ ref }) => ref.kind === "MetricSource");
  const clusters = [...new Set(sources.map(({ ref }) => ref.cluster))];
  const warnings = clusters.map(async (cluster) => {
    const [hpas, known] = await Promise.all([
      session.entries.list("HorizontalPodAutoscaler", { cluster }, session.signal),
      sourcesOf(cluster, sources, session),
    ]);
    const names = new Set(sources.map(({ ref }) => ref.name));
    return hpas.flatMap((entry) => unreadable(entry, names, known));
  });
  return (await Promise.all(warnings)).flat();
}

/** Entries written by hand may be invalid, which is another problem. */
function unreadable({ ref, document }: EntryContent, sources: ReadonlySet<string>, known: KnownEntries) {
  const { hpa } = validateHpaEntry(document);
  const reads = hpa?.spec.metrics?.some(({ external }) => external !== undefined && sources.has(external.metric.name));
  if (hpa === undefined || reads !== true) return [];
  return validateMetricParameters(hpa, known).map(
    (problem) =>
      `HPA ${ref.namespace}/${ref.name} has a metric that its source can no longer read: ${problemText(problem)}`,
  );
}

/** Upstream scales no object that two autoscalers of its namespace select (AmbiguousSelector). */
async function sharedTargets(
  written: readonly EntryContent[],
  { entries, signal }: Pick<Session, "entries" | "signal">,
): Promise<readonly string[]> {
  const hpas = written.filter(({ ref }) => ref.kind === "HorizontalPodAutoscaler");
  const warnings: string[] = [];
  for (const { cluster, namespace } of scopesOf(hpas.map(({ ref }) => ref))) {
    const applied = hpas.filter(({ ref }) => ref.cluster === cluster && ref.namespace === namespace);
    const stored = await entries.list("HorizontalPodAutoscaler", { cluster, namespace }, signal);
    const byName = new Map([...stored, ...applied].map(({ ref, document }) => [ref.name, targetOf(document)]));
    for (const target of new Set(applied.map(({ document }) => targetOf(document)))) {
      const sharing = [...byName].filter(([, other]) => other === target).map(([name]) => name);
      if (target === undefined || sharing.length < 2) continue;
      const names = sharing.sort().map((name) => `"${name}"`);
      const where = `in namespace "${namespace}" of cluster "${cluster}"`;
      warnings.push(
        `autoscalers ${names.join(", ")} ${where} have the same target ${target}: none of them will scale it`,
      );
    }
  }
  return warnings;
}

function scopesOf(refs: readonly EntryRef[]): readonly { readonly cluster: string; readonly namespace: string }[] {
  const scopes = refs.map(
    ({ cluster, namespace = "" }) => [`${cluster}#${namespace}`, { cluster, namespace }] as const,
  );
  return [...new Map(scopes).values()];
}

/** "Deployment.apps/web"; undefined: the entry names no target. */
function targetOf({ spec }: EntryDocument): string | undefined {
  const { scaleTargetRef } = (spec ?? {}) as { readonly scaleTargetRef?: Partial<CrossVersionObjectReference> };
  if (scaleTargetRef?.kind === undefined || scaleTargetRef.name === undefined) return undefined;
  const [group, version] = (scaleTargetRef.apiVersion ?? "").split("/");
  return `${scaleTargetRef.kind}${version === undefined ? "" : `.${group}`}/${scaleTargetRef.name}`;
}
