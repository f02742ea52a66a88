import type { EntryKind } from "../model/entry/kinds";
import type { Entries, EntryContent, EntryOutcome, EntryScope, StoredEntry } from "../model/ports/entries";
import { deleteIf, type WriteOutcome, putIf } from "./conditional-write";
import { entryItem, itemOf, keyOfEntry, readEntry } from "./items/entry-item";
import { getItem, getItemsAs } from "./get-items";
import { queryKind, queryNewest, queryRange, querySortKeys, type Table } from "./reads";
import * as schema from "./items/keys";

export function openEntries(table: Table): Entries {
  return {
    async list(kind, scope, signal) {
      if (kind === "Cluster") return await clusters(table, scope, signal);
      const names =
        scope.cluster === undefined
          ? (await clusters(table, scope, signal)).map(({ ref }) => ref.cluster)
          : [scope.cluster];
      const ranges = names.map((cluster) => rangeOf(kind, cluster, scope.namespace));
      const items = await Promise.all(ranges.map((range) => queryRange(table, range, signal)));
      return items.flat().map(readEntry);
    },

    async places(kind, { cluster, namespace, most }, signal) {
      const keys = await querySortKeys(table, rangeOf(kind, cluster, namespace), signal, { Limit: most });
      if (kind === "MetricSource") return keys.map((key) => ({ name: key.slice(schema.sourcePrefix.length) }));
      return keys.map((key) => {
        const [within = "", ...name] = key.slice(schema.hpaPrefix.length).split("/");
        return { namespace: within, name: name.join("/") };
      });
    },

    async hasCluster(cluster, signal) {
      if ((await getItem(table, keyOfEntry({ kind: "Cluster", cluster, name: cluster }), signal)) !== undefined)
        return true;
      for (const kind of ["HorizontalPodAutoscaler", "MetricSource"] as const)
        if ((await queryNewest(table, rangeOf(kind, cluster), 1, signal)).length > 0) return true;
      return false;
    },

    async get(ref, signal) {
      const item = await getItem(table, keyOfEntry(ref), signal);
      return item && readEntry(item);
    },

    async put(entry, expected, signal) {
      if (expected === "nothing") return outcomeOf(await putIf(table, entryItem(entry, undefined), expected, signal));
      const stored = itemOf(expected);
      return outcomeOf(await putIf(table, entryItem(entry, stored), { stored }, signal));
    },

    async remove(read, signal) {
      return outcomeOf(await deleteIf(table, keyOfEntry(read.ref), { stored: itemOf(read) }, signal));
    },
  };
}

/** Why a table cannot hold the document, such as NaN in it; undefined: it can. */
export function unstorable(entry: EntryContent): string | undefined {
  try {
    entryItem(entry, undefined);
    return undefined;
  } catch (error) {
    if (error instanceof TypeError) return error.message;
    throw error;
  }
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
function rangeOf(kind: Exclude<EntryKind, "Cluster">, cluster: string, namespace?: string): schema.KeyRange {
  if (kind === "MetricSource") return schema.allKeys(schema.sourcePrefix, cluster);
  const all = schema.allKeys(schema.hpaPrefix, cluster);
  if (namespace === undefined) return all;
  return { ...all, low: `${schema.hpaPrefix}${namespace}/`, high: `${schema.hpaPrefix}${namespace}0` };
}

function outcomeOf(outcome: WriteOutcome): EntryOutcome {
  if (outcome.done) return outcome;
  return { done: false, stored: outcome.stored && readEntry(outcome.stored) };
}
