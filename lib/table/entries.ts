import type { EntryKind } from "../model/entry/kinds";
import type { Item } from "./items/attributes";
import { deleteIf, type WriteOutcome, putIf } from "./conditional-write";
import { type EntryRef, entryItem, keyOfEntry, readEntry, type StoredEntry } from "./items/entry-item";
import { getItem, getItemsAs, queryKind, queryNewest, queryRange, querySortKeys, type Table } from "./reads";
import * as schema from "./items/keys";

/** Where to look. Without `cluster`: in all clusters that have an entry. Without `namespace`: in all namespaces. */
export interface EntryScope {
  readonly cluster?: string;
  readonly namespace?: string;
}

/** Within its cluster. */
export interface EntryLocation {
  /** Of an HPA. */
  readonly namespace?: string;
  readonly name: string;
}

/** What the table held when the change was decided: nothing, or this item. */
export type ExpectedEntry = "nothing" | { readonly stored: Item };

/** Done, or the entry that is in the table instead of the expected one (undefined: none). */
export type EntryOutcome = { readonly done: true } | { readonly done: false; readonly stored: StoredEntry | undefined };

export type Entries = ReturnType<typeof openEntries>;

/** The table's entries: what users write. Every call rejects with a Fault. */
export function openEntries(table: Table) {
  return {
    /**
     * Ordered by cluster, namespace and name. Clusters come from an index, so one that was just written may be missing.
     */
    async list(kind: EntryKind, scope: EntryScope, signal: AbortSignal): Promise<readonly StoredEntry[]> {
      if (kind === "Cluster") return await clusters(table, scope, signal);
      const names =
        scope.cluster === undefined
          ? (await clusters(table, scope, signal)).map(({ ref }) => ref.cluster)
          : [scope.cluster];
      const ranges = names.map((cluster) => rangeOf(kind, cluster, scope.namespace));
      const items = await Promise.all(ranges.map((range) => queryRange(table, range, signal)));
      return items.flat().map(readEntry);
    },

    /** The places of at most `most` entries in key order, for little more than their keys. */
    async places(
      kind: "HorizontalPodAutoscaler" | "MetricSource",
      { cluster, namespace, most }: Required<Pick<EntryScope, "cluster">> & EntryScope & { readonly most: number },
      signal: AbortSignal,
    ): Promise<readonly EntryLocation[]> {
      const keys = await querySortKeys(table, rangeOf(kind, cluster, namespace), signal, { Limit: most });
      if (kind === "MetricSource") return keys.map((key) => ({ name: key.slice(schema.sourcePrefix.length) }));
      return keys.map((key) => {
        const [within = "", ...name] = key.slice(schema.hpaPrefix.length).split("/");
        return { namespace: within, name: name.join("/") };
      });
    },

    /** Whether the table has an entry of the cluster: its own, an HPA, or a metric source. */
    async hasCluster(cluster: string, signal: AbortSignal): Promise<boolean> {
      if ((await getItem(table, keyOfEntry({ kind: "Cluster", cluster, name: cluster }), signal)) !== undefined)
        return true;
      for (const kind of ["HorizontalPodAutoscaler", "MetricSource"] as const)
        if ((await queryNewest(table, rangeOf(kind, cluster), 1, signal)).length > 0) return true;
      return false;
    },

    async get(ref: EntryRef, signal: AbortSignal): Promise<StoredEntry | undefined> {
      const item = await getItem(table, keyOfEntry(ref), signal);
      return item && readEntry(item);
    },

    /**
     * Writes the document if the table holds what is expected. It keeps the item's expiry.
     * Rejects with a TypeError for what a table cannot hold, such as NaN.
     */
    async put(entry: Omit<StoredEntry, "item">, expected: ExpectedEntry, signal: AbortSignal): Promise<EntryOutcome> {
      const item = entryItem(entry, expected === "nothing" ? undefined : expected.stored);
      return outcomeOf(await putIf(table, item, expected, signal));
    },

    /** Deletes the entry if it is as expected. Not done, and `stored` undefined: somebody else deleted it. */
    async remove(ref: EntryRef, expected: { readonly stored: Item }, signal: AbortSignal): Promise<EntryOutcome> {
      return outcomeOf(await deleteIf(table, keyOfEntry(ref), expected, signal));
    },
  };
}

async function clusters(table: Table, { cluster }: EntryScope, signal: AbortSignal): Promise<readonly StoredEntry[]> {
  const keys =
    cluster === undefined
      ? await queryKind(table, schema.clusterSk, signal)
      : [{ pk: { S: schema.clusterPrefix + cluster }, sk: { S: schema.clusterSk } }];
  const named = keys.filter(({ pk }) => pk?.S?.startsWith(schema.clusterPrefix));
  const entries = await getItemsAs(table, named, signal, readEntry);
  return entries.sort((a, b) => (a.ref.name < b.ref.name ? -1 : 1));
}

/** "0" is the character after "/". */
function rangeOf(
  kind: "HorizontalPodAutoscaler" | "MetricSource",
  cluster: string,
  namespace?: string,
): schema.KeyRange {
  if (kind === "MetricSource") return schema.allKeys(schema.sourcePrefix, cluster);
  const all = schema.allKeys(schema.hpaPrefix, cluster);
  if (namespace === undefined) return all;
  return { ...all, low: `${schema.hpaPrefix}${namespace}/`, high: `${schema.hpaPrefix}${namespace}0` };
}

function outcomeOf(outcome: WriteOutcome): EntryOutcome {
  if (outcome.done) return outcome;
  return { done: false, stored: outcome.stored && readEntry(outcome.stored) };
}
