import { isMap } from "../../../lib/k8s/map";
import { kinds } from "../../../lib/model/entry/kinds";

const ownGroups = ["autoscaling", "ebb.dev"];

/**
 * A Helm rendering has many other kinds. A document without apiVersion is not foreign: its kind may be misspelt.
 * Cluster API has a Cluster, too.
 */
export function isForeign(document: unknown): document is { readonly kind: string; readonly apiVersion: string } {
  if (!isMap(document)) return false;
  const { kind, apiVersion } = document;
  if (typeof kind !== "string" || kind === "" || typeof apiVersion !== "string") return false;
  const [group = "", version] = apiVersion.split("/");
  if (ownGroups.includes(group)) return false;
  if (kind === "HorizontalPodAutoscaler") return false;
  return !Object.hasOwn(kinds, kind) || version !== undefined;
}

export function skippedText(skipped: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const kind of skipped) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const listed = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([kind, count]) => `${count} ${kind}`);
  const objects = skipped.length === 1 ? "1 object of another kind" : `${skipped.length} objects of other kinds`;
  const hint = counts.has("ScaledObject") ? "; --import-keda converts ScaledObjects" : "";
  return `skipped ${objects}: ${listed.join(", ")}${hint}`;
}
