import type { ClusterEntry, ClusterSpec, SourceEntry } from "../../model/entry/entries";
import { isMap } from "../../k8s/map";
import type { EpochMs } from "../../k8s/time";
import { hasControlCharacters } from "../../k8s/validate/control-characters";
import type { StoredEntry, EntryContent } from "../../model/ports/entries";
import type { Entry } from "../../model/ports/store";
import { problemText, unexpected } from "../../model/check/problem";
import { validateCluster, validateSource } from "../../model/entry/validate-entry";
import { fromItem, type Item, textOf } from "./attributes";
import { itemOf } from "./entry-item";
import { clusterPrefix, sourcePrefix } from "./keys";

export function clusterIn(stored: StoredEntry): Entry<ClusterEntry> {
  return decodeCluster(itemOf(stored));
}

export function sourceIn(stored: StoredEntry): Entry<SourceEntry> {
  return decodeSource(itemOf(stored));
}

/** Its key is the whole pk if the pk names no cluster. */
export function decodeCluster(item: Item): Entry<ClusterEntry> {
  const { pk, spec, metadata } = fromItem(item);
  const text = textOf(pk);
  const name = text.startsWith(clusterPrefix) ? text.slice(clusterPrefix.length) : text;
  if (!isClusterPk(text)) {
    const problem = unexpected(["pk"], `"${clusterPrefix}<cluster>", a name without "#" and control characters`, pk);
    return { key: name, invalid: problemText(problem) };
  }
  const [problem] = validateCluster(spec);
  if (problem !== undefined) return { key: name, invalid: problemText(problem) };
  const registeredAt = createdAt(metadata);
  return { key: name, value: { name, spec: spec as ClusterSpec, ...(registeredAt !== undefined && { registeredAt }) } };
}

function createdAt(metadata: unknown): EpochMs | undefined {
  const text = isMap(metadata) ? metadata["creationTimestamp"] : undefined;
  const at = typeof text === "string" ? Date.parse(text) : NaN;
  return Number.isNaN(at) ? undefined : at;
}

export function missingCluster(cluster: string, table: string): Entry<ClusterEntry> {
  const expected = `an item with pk "${clusterPrefix}${cluster}" and sk "CLUSTER" in table "${table}"`;
  return { key: cluster, invalid: `cluster ${JSON.stringify(cluster)}: expected ${expected}, got none`, missing: true };
}

/** "#" separates the cluster from the first key in a shard's sort key. */
function isClusterPk(pk: string): boolean {
  return /^CLUSTER#[^#]+$/.test(pk) && isName(pk.slice(clusterPrefix.length));
}

function isName(text: string): boolean {
  return text.trim() !== "" && !hasControlCharacters(text);
}

/** The metric sources check kind and parameters. */
export function decodeSource(item: Item): Entry<SourceEntry> {
  const { sk, spec } = fromItem(item);
  const name = textOf(sk).slice(sourcePrefix.length);
  const [problem] = isName(name)
    ? validateSource(spec)
    : [unexpected(["sk"], `"${sourcePrefix}<name>", a name without control characters`, sk)];
  if (problem !== undefined) return { key: name, invalid: problemText(problem) };
  return { key: name, value: { name, spec: spec as SourceEntry["spec"] } };
}

/**
 * The difference between a document's name and its key: `ebb apply` of it would write another entry. Undefined: none.
 */
export function misnamed({ ref, document }: EntryContent): string | undefined {
  const metadata = isMap(document["metadata"]) ? document["metadata"] : {};
  const { name, namespace = ref.namespace } = metadata;
  const isSame = name === ref.name && (ref.kind !== "HorizontalPodAutoscaler" || namespace === ref.namespace);
  if (isSame) return undefined;
  const own = ref.namespace === undefined ? "" : `${String(namespace)}/`;
  const expected = JSON.stringify(ref.namespace === undefined ? ref.name : `${ref.namespace}/${ref.name}`);
  const key = ref.kind === "Cluster" ? "partition key" : "sort key";
  return `metadata: expected the name ${expected} as in the ${key}, got ${JSON.stringify(`${own}${String(name)}`)}`;
}
