import type { ClusterEntry, ClusterSpec, SourceEntry } from "../../model/entries";
import { validateCluster, validateSource } from "../../model/validate-entry";
import { type Item, fromItem } from "./attributes";
import { filledText, that } from "./checks";
import { clusterPrefix, sourcePrefix } from "./keys";

/** An item that a user wrote: usable, or why not (naming the field). The shape of the sync's port of the same name. */
export type Entry<T> = { readonly key: string } & ({ readonly value: T } | { readonly invalid: string });

/** The CLUSTER item that a user wrote. Its key is the cluster's name, or the whole pk where that holds none. */
export function decodeCluster(item: Item): Entry<ClusterEntry> {
  const { pk, spec } = fromItem(item);
  const badKey = clusterPkForm(pk, "pk");
  if (badKey !== undefined) return { key: nameIn(String(pk)), invalid: badKey };
  const name = nameIn(String(pk));
  const [invalid] = validateCluster(spec);
  return invalid === undefined ? { key: name, value: { name, spec: spec as ClusterSpec } } : { key: name, invalid };
}

/** What stands for a cluster whose CLUSTER item is gone, or was never written. */
export function missingCluster(cluster: string, table: string): Entry<ClusterEntry> {
  const expected = `an item with pk "${clusterPrefix}${cluster}" and sk "CLUSTER" in table "${table}"`;
  return { key: cluster, invalid: `cluster ${JSON.stringify(cluster)}: expected ${expected}, got none` };
}

function nameIn(pk: string): string {
  return pk.startsWith(clusterPrefix) ? pk.slice(clusterPrefix.length) : pk;
}

/** "#" separates the cluster from the first key in a shard's sort key. */
const clusterPkForm = that(
  `"${clusterPrefix}<cluster>", a name without "#"`,
  (pk) => typeof pk === "string" && /^CLUSTER#[^#]+$/.test(pk) && pk.slice(clusterPrefix.length).trim() !== "",
);

/** The SOURCE# item that a user wrote. Which kinds and parameters there are is the metric sources' to say. */
export function decodeSource(item: Item): Entry<SourceEntry> {
  const { sk, spec } = fromItem(item);
  const name = String(sk).slice(sourcePrefix.length);
  const invalid = filledText(name, "sk, the name after SOURCE#") ?? validateSource(spec)[0];
  return invalid === undefined
    ? { key: name, value: { name, spec: spec as SourceEntry["spec"] } }
    : { key: name, invalid };
}
