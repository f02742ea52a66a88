import type { EntryKind } from "../entry/kinds";

/** A CLUSTER entry has its name in `cluster`, too. */
export interface EntryRef {
  readonly kind: EntryKind;
  readonly cluster: string;
  readonly namespace?: string;
  /** For an HPA with a malformed key: its sort key, "HPA#web". */
  readonly name: string;
}

/** Not validated. */
export type EntryDocument = Readonly<Record<string, unknown>>;

export interface EntryContent {
  readonly ref: EntryRef;
  readonly document: EntryDocument;
}

export interface StoredEntry extends EntryContent {
  readonly version: EntryVersion;
}

declare const opaque: unique symbol;

/** Only the table looks into it. */
export interface EntryVersion {
  readonly [opaque]: never;
}

/** Without `cluster`: all clusters with an entry. Without `namespace`: all namespaces. */
export interface EntryScope {
  readonly cluster?: string;
  readonly namespace?: string;
}

export interface EntryLocation {
  readonly namespace?: string;
  readonly name: string;
}

export interface PlacesScope extends EntryScope {
  readonly cluster: string;
  readonly most: number;
}

export type ExpectedEntry = "nothing" | StoredEntry;

/** Not done: the entry that the table has instead (undefined: none). */
export type EntryOutcome = { readonly done: true } | { readonly done: false; readonly stored: StoredEntry | undefined };

/** Rejects with a Fault. */
export interface Entries {
  /** By cluster, namespace and name. Clusters come from an index, so a new one may be missing. */
  list(kind: EntryKind, scope: EntryScope, signal: AbortSignal): Promise<readonly StoredEntry[]>;
  /** In key order, for little more than their keys. */
  places(
    kind: Exclude<EntryKind, "Cluster">,
    scope: PlacesScope,
    signal: AbortSignal,
  ): Promise<readonly EntryLocation[]>;
  /** True with any entry: its own, an HPA, or a metric source. */
  hasCluster(cluster: string, signal: AbortSignal): Promise<boolean>;
  get(ref: EntryRef, signal: AbortSignal): Promise<StoredEntry | undefined>;
  /** Keeps the item's expiry. Rejects with a TypeError for what a table cannot hold, such as NaN. */
  put(entry: EntryContent, expected: ExpectedEntry, signal: AbortSignal): Promise<EntryOutcome>;
  /** Not done, and `stored` undefined: somebody else deleted it. */
  remove(read: StoredEntry, signal: AbortSignal): Promise<EntryOutcome>;
}
