import type { EntryKind } from "../entry/kinds";

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

/** A document, and the entry that it is or becomes. */
export interface EntryContent {
  readonly ref: EntryRef;
  readonly document: EntryDocument;
}

/** An entry as it was read. */
export interface StoredEntry extends EntryContent {
  readonly version: EntryVersion;
}

declare const opaque: unique symbol;

/** What a change of an entry is conditional on. Only the table looks into it. */
export interface EntryVersion {
  readonly [opaque]: never;
}

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

/** What `places` lists. */
export interface PlacesScope extends EntryScope {
  readonly cluster: string;
  readonly most: number;
}

/** What the table held when the change was decided: nothing, or this entry. */
export type ExpectedEntry = "nothing" | StoredEntry;

/** Done, or the entry that is in the table instead of the expected one (undefined: none). */
export type EntryOutcome = { readonly done: true } | { readonly done: false; readonly stored: StoredEntry | undefined };

/** The table's entries: what users write. Every call rejects with a Fault. */
export interface Entries {
  /** By cluster, namespace and name. Clusters come from an index, so one that was just written may be missing. */
  list(kind: EntryKind, scope: EntryScope, signal: AbortSignal): Promise<readonly StoredEntry[]>;
  /** The places of at most `most` entries in key order, for little more than their keys. */
  places(
    kind: Exclude<EntryKind, "Cluster">,
    scope: PlacesScope,
    signal: AbortSignal,
  ): Promise<readonly EntryLocation[]>;
  /** Whether the table has an entry of the cluster: its own, an HPA, or a metric source. */
  hasCluster(cluster: string, signal: AbortSignal): Promise<boolean>;
  get(ref: EntryRef, signal: AbortSignal): Promise<StoredEntry | undefined>;
  /**
   * Writes the document if the table holds what is expected. It keeps the item's expiry.
   * Rejects with a TypeError for what a table cannot hold, such as NaN.
   */
  put(entry: EntryContent, expected: ExpectedEntry, signal: AbortSignal): Promise<EntryOutcome>;
  /** Deletes the entry if it is as it was read. Not done, and `stored` undefined: somebody else deleted it. */
  remove(read: StoredEntry, signal: AbortSignal): Promise<EntryOutcome>;
}
