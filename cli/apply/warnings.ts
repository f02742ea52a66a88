import type { CrossVersionObjectReference } from "../../lib/k8s/hpa";
import type { EntryDocument, EntryRef } from "../../lib/table/items/entry-item";
import type { Session } from "../session";
import type { PlacedDocument } from "./place-documents";

/**
 * Entries that are valid and written but will not work, one line each. Upstream scales no object that two autoscalers
 * of its namespace select (AmbiguousSelector).
 */
export async function applyWarnings(
  placed: readonly PlacedDocument[],
  { entries, signal }: Pick<Session, "entries" | "signal">,
): Promise<readonly string[]> {
  const hpas = placed.filter(({ kind }) => kind === "HorizontalPodAutoscaler");
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

/** "Deployment.apps/web", without the version; undefined where a hand-written entry names no target. */
function targetOf({ spec }: EntryDocument): string | undefined {
  const { scaleTargetRef } = (spec ?? {}) as { readonly scaleTargetRef?: Partial<CrossVersionObjectReference> };
  if (scaleTargetRef?.kind === undefined || scaleTargetRef.name === undefined) return undefined;
  const [group, version] = (scaleTargetRef.apiVersion ?? "").split("/");
  return `${scaleTargetRef.kind}${version === undefined ? "" : `.${group}`}/${scaleTargetRef.name}`;
}
