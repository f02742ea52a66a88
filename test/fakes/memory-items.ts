import { isMap } from "../../lib/k8s/map";
import { problemText } from "../../lib/model/check/problem";
import type { ClusterEntry, SourceEntry } from "../../lib/model/entry/entries";
import type { Entry, StoredEvents } from "../../lib/model/ports/store";
import type { Idle, PollerLease } from "../../lib/model/stored/idle";
import type { QueueIndex } from "../../lib/model/stored/queue-index";
import type { Latest } from "../../lib/model/stored/latest";
import type { Shard, ShardRange } from "../../lib/model/stored/shard";
import type { DecisionRecord, State } from "../../lib/model/stored/state";
import { validateCluster, validateSource } from "../../lib/model/entry/validate-entry";
import { byBytes, stored } from "./stored";

export type StoredDecision = DecisionRecord & { readonly cluster: string; readonly key: string };

/** An item that cannot be read. A write that expects its version is made all the same, as in a table. */
export interface BrokenItem {
  readonly why: string;
  readonly version?: number;
}

/** What the table holds. Keys are "<cluster> <key>", where nothing else is said. Tests read and write them at will. */
export interface MemoryItems {
  /** By name. */
  readonly clusterEntries: Map<string, Entry<ClusterEntry>>;
  /** By "<cluster> <name>". */
  readonly sourceEntries: Map<string, Entry<SourceEntry>>;
  /** What users wrote; `load` and `document` fill in what the key says. */
  readonly documents: Map<string, unknown>;
  readonly stateItems: Map<string, State>;
  /** By "<cluster>#<from>". */
  readonly shardItems: Map<string, Shard>;
  /** In order of recording; a second one of the same HPA and moment takes the place of the first. */
  readonly decisions: StoredDecision[];
  readonly eventItems: Map<string, StoredEvents>;
  /** By "<cluster> <from>". */
  readonly latestItems: Map<string, Latest>;
  /** By "<cluster> <from>". */
  readonly idleItems: Map<string, Idle>;
  /** By "<cluster> <from>". */
  readonly indexItems: Map<string, QueueIndex>;
  /** Under "LEASE". */
  readonly leases: Map<string, PollerLease>;
  /**
   * Items that cannot be read take the place of readable ones. By "STATE <cluster> <key>", "EVENTS <cluster> <key>",
   * "SHARD <cluster>#<from>".
   */
  readonly broken: Map<string, BrokenItem>;
}

export function memoryItems(): MemoryItems {
  return {
    clusterEntries: new Map(),
    sourceEntries: new Map(),
    documents: new Map(),
    stateItems: new Map(),
    shardItems: new Map(),
    decisions: [],
    eventItems: new Map(),
    latestItems: new Map(),
    idleItems: new Map(),
    indexItems: new Map(),
    leases: new Map(),
    broken: new Map(),
  };
}

/** A cluster's entry as the table gives it, whatever its spec is. */
export function clusterEntry(name: string, spec: unknown): Entry<ClusterEntry> {
  const [invalid] = validateCluster(spec);
  return invalid === undefined
    ? { key: name, value: { name, spec: stored(spec) as ClusterEntry["spec"] } }
    : { key: name, invalid: problemText(invalid) };
}

/** A source's entry as the table gives it, whatever its spec is. */
export function sourceEntry(name: string, spec: unknown): Entry<SourceEntry> {
  const [invalid] = validateSource(spec);
  return invalid === undefined
    ? { key: name, value: { name, spec: stored(spec) as SourceEntry["spec"] } }
    : { key: name, invalid: problemText(invalid) };
}

/**
 * The document of an HPA's entry: without what belongs to the table, and with what its key says. Only a map is ever in
 * a table.
 */
export function hpaDocument(key: string, entry: unknown): unknown {
  if (!isMap(entry)) return entry;
  const { expiresAt: _expiresAt, ...attributes } = entry;
  const { metadata = {} } = attributes;
  const [namespace, name, ...rest] = key.split("/");
  const identity = namespace && name && rest.length === 0 ? { namespace, name } : {};
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    ...attributes,
    metadata: isMap(metadata) ? { ...identity, ...metadata } : metadata,
  };
}

/** The items of a range, in key order; also those that cannot be read, by kind. */
export function inRange<T>(items: ReadonlyMap<string, T>, { cluster, from, to }: ShardRange, kind = "") {
  const prefix = `${kind}${cluster} `;
  const found: (readonly [string, T])[] = [];
  for (const [id, value] of items) {
    if (!id.startsWith(prefix)) continue;
    const key = id.slice(prefix.length);
    if ((from === "" || byBytes(key, from) >= 0) && (to === null || byBytes(key, to) < 0)) found.push([key, value]);
  }
  return found.sort(([a], [b]) => byBytes(a, b));
}

/** One item of a map of the table, readable or not, with the conditions of its writes. */
export function place<T extends { readonly version: number }>(
  { broken }: MemoryItems,
  items: Map<string, T>,
  { kind, id }: { readonly kind: "STATE" | "EVENTS" | "SHARD"; readonly id: string },
) {
  const brokenId = `${kind} ${id}`;
  const isExpected = (expected: number | "nothing"): boolean => {
    const there = broken.get(brokenId) ?? items.get(id);
    return expected === "nothing" ? there === undefined : there !== undefined && there.version === expected;
  };
  return {
    kind,
    id,
    /** undefined: nothing is there. */
    read: (): { readonly broken: string } | { readonly value: T } | undefined => {
      const why = broken.get(brokenId)?.why;
      if (why !== undefined) return { broken: why };
      const value = items.get(id);
      return value && { value: stored(value) };
    },
    /** `value` is a copy of the store's own. */
    put(value: T, expected: number | "nothing"): boolean {
      if (!isExpected(expected)) return false;
      broken.delete(brokenId);
      items.set(id, value);
      return true;
    },
    delete(expected: number): boolean {
      if (!isExpected(expected)) return false;
      broken.delete(brokenId);
      items.delete(id);
      return true;
    },
  };
}
