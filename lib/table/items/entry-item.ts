import { isMap } from "../../k8s/map";
import { isHpaKey, keyNamed, nameOf, namespaceOf, shownName } from "../../model/hpa-key";
import { kinds } from "../../model/entry/kinds";
import type { EntryContent, EntryDocument, EntryRef, EntryVersion, StoredEntry } from "../../model/ports/entries";
import { fromItem, type Item, toItem } from "./attributes";
import { decodeHpaItem } from "./hpa-document";
import * as schema from "./keys";

export function keyOfEntry({ kind, cluster, namespace, name }: EntryRef): schema.ItemKey {
  if (kind === "Cluster") return schema.clusterKey(name);
  if (kind === "MetricSource") return schema.sourceKey(cluster, name);
  return schema.hpaItemKey(cluster, keyNamed(namespace ?? "", name));
}

function versionOf(item: Item): EntryVersion {
  return item as unknown as EntryVersion;
}

export function itemOf({ version }: StoredEntry): Item {
  return version as unknown as Item;
}

/** Fills in what the key or the table implies. */
export function readEntry(item: Item): StoredEntry {
  const [cluster, sk] = [(item.pk?.S ?? "").slice(schema.clusterPrefix.length), item.sk?.S ?? ""];
  if (sk === schema.clusterSk) return named({ kind: "Cluster", cluster, name: cluster }, item);
  if (sk.startsWith(schema.sourcePrefix)) {
    return named({ kind: "MetricSource", cluster, name: sk.slice(schema.sourcePrefix.length) }, item);
  }
  const { key, document } = decodeHpaItem(item);
  const names = isHpaKey(key) ? { namespace: namespaceOf(key), name: nameOf(key) } : { name: shownName(key) };
  const ref = { kind: "HorizontalPodAutoscaler", cluster, ...names } as const;
  return { ref, document: document as EntryDocument, version: versionOf(item) };
}

function named(ref: EntryRef, item: Item): StoredEntry {
  const { pk: _pk, sk: _sk, writeToken: _token, [schema.expiresAtAttribute]: _expiry, ...attributes } = fromItem(item);
  const { metadata = {} } = attributes;
  const { apiVersion } = kinds[ref.kind];
  const filled = isMap(metadata) ? { name: ref.name, ...metadata } : metadata;
  return { ref, document: { apiVersion, kind: ref.kind, ...attributes, metadata: filled }, version: versionOf(item) };
}

/**
 * Keeps the expiry of `stored`.
 *
 * @throws TypeError for what a table cannot hold, such as NaN.
 */
export function entryItem({ ref, document }: EntryContent, stored: Item | undefined): Item {
  const expiry = stored?.[schema.expiresAtAttribute];
  return { ...toItem({ ...document, ...keyOfEntry(ref) }), ...(expiry && { [schema.expiresAtAttribute]: expiry }) };
}
