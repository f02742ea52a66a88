import { isMap } from "../../k8s/map";
import { isHpaKey, keyNamed, nameOf, namespaceOf, shownName } from "../../model/hpa-key";
import { type EntryKind, kinds } from "../../model/entry/kinds";
import { fromItem, type Item, toItem } from "./attributes";
import { decodeHpaItem } from "./hpa-document";
import * as schema from "./keys";

/** Which entry. A CLUSTER entry has its name in `cluster`, too. Only an HPA has a `namespace`. */
export interface EntryRef {
  readonly kind: EntryKind;
  readonly cluster: string;
  readonly namespace?: string;
  /** Of an HPA with a malformed key: its sort key, "HPA#web". */
  readonly name: string;
}

/**
 * In the form of a Kubernetes document: apiVersion, kind, metadata, spec, and anything else that the user wrote.
 * Nothing in it is validated.
 */
export type EntryDocument = Readonly<Record<string, unknown>>;

/** An entry as it is in the table. */
export interface StoredEntry {
  readonly ref: EntryRef;
  readonly document: EntryDocument;
  /** As it was read. A change is conditional on it. */
  readonly item: Item;
}

export function keyOfEntry({ kind, cluster, namespace, name }: EntryRef): schema.ItemKey {
  if (kind === "Cluster") return schema.clusterKey(name);
  if (kind === "MetricSource") return schema.sourceKey(cluster, name);
  return schema.hpaItemKey(cluster, keyNamed(namespace ?? "", name));
}

/** The item as an entry. Fields that its key or the table implies are filled in. */
export function readEntry(item: Item): StoredEntry {
  const [cluster, sk] = [(item.pk?.S ?? "").slice(schema.clusterPrefix.length), item.sk?.S ?? ""];
  if (sk === schema.clusterSk) return named({ kind: "Cluster", cluster, name: cluster }, item);
  if (sk.startsWith(schema.sourcePrefix)) {
    return named({ kind: "MetricSource", cluster, name: sk.slice(schema.sourcePrefix.length) }, item);
  }
  const { key, document } = decodeHpaItem(item);
  const names = isHpaKey(key) ? { namespace: namespaceOf(key), name: nameOf(key) } : { name: shownName(key) };
  const ref = { kind: "HorizontalPodAutoscaler", cluster, ...names } as const;
  return { ref, document: document as EntryDocument, item };
}

function named(ref: EntryRef, item: Item): StoredEntry {
  const { pk: _pk, sk: _sk, writeToken: _token, [schema.expiresAtAttribute]: _expiry, ...attributes } = fromItem(item);
  const { metadata = {} } = attributes;
  const { apiVersion } = kinds[ref.kind];
  const filled = isMap(metadata) ? { name: ref.name, ...metadata } : metadata;
  return { ref, document: { apiVersion, kind: ref.kind, ...attributes, metadata: filled }, item };
}

/**
 * The item of a document. It keeps the expiry of `stored`.
 *
 * @throws TypeError for what a table cannot hold, such as NaN.
 */
export function entryItem({ ref, document }: Omit<StoredEntry, "item">, stored: Item | undefined): Item {
  const expiry = stored?.[schema.expiresAtAttribute];
  return { ...toItem({ ...document, ...keyOfEntry(ref) }), ...(expiry && { [schema.expiresAtAttribute]: expiry }) };
}
