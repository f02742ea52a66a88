import type { ClusterEntry, SourceEntry } from "../../lib/model/entries";
import type { EpochMs } from "../../lib/k8s/time";
import type { DecisionRecord, Shard, ShardRange, State } from "../../lib/model/state";
import { shownEvents } from "../../lib/model/event-log";
import type { Entry, ShardContents, Store, StoredEvents, Written } from "../../lib/model/ports";

export type StoredDecision = DecisionRecord & { readonly cluster: string; readonly key: string };

export interface MemoryStore extends Store {
  readonly clusterEntries: Map<string, Entry<ClusterEntry>>;
  readonly documents: Map<string, unknown>;
  readonly stateItems: Map<string, State>;
  readonly shardItems: Map<string, Shard>;
  readonly sourceEntries: Entry<SourceEntry>[];
  /** In order of recording; a second one of the same HPA and moment takes the place of the first. */
  readonly decisions: StoredDecision[];
  readonly eventItems: Map<string, StoredEvents>;
  readonly broken: Record<string, string>;
  /** How often each method was called. */
  readonly calls: Record<string, number>;
}

/**
 * The Store port in memory, with the conditions that the table holds. Keys are "<cluster> <key>"; `now` is for what is shown of events.
 */
export function memoryStore(now: () => EpochMs = () => 0): MemoryStore {
  const clusterEntries = new Map<string, Entry<ClusterEntry>>();
  const documents = new Map<string, unknown>();
  const stateItems = new Map<string, State>();
  const shardItems = new Map<string, Shard>();
  const sourceEntries: Entry<SourceEntry>[] = [];
  const decisions: StoredDecision[] = [];
  const eventItems = new Map<string, StoredEvents>();
  const broken: Record<string, string> = {};
  const calls: Record<string, number> = {};
  // As a table does: what is undefined is not stored.
  const copy = <T>(value: T): T => (value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T));
  const shardKey = ({ cluster, from }: Pick<ShardRange, "cluster" | "from">) => `${cluster}#${from}`;
  const within = ({ from, to }: ShardRange, key: string) => key >= from && (to === null || key < to);
  const inRange = <T>(items: Map<string, T>, range: ShardRange) =>
    [...items]
      .filter(([id]) => id.startsWith(`${range.cluster} `))
      .map(([id, value]) => [id.slice(range.cluster.length + 1), value] as const)
      .filter(([key]) => within(range, key))
      .sort(([a], [b]) => (a < b ? -1 : 1));

  async function count<T>(name: string, answer: () => T): Promise<T> {
    calls[name] = (calls[name] ?? 0) + 1;
    await Promise.resolve();
    return copy(answer());
  }

  return {
    clusterEntries,
    documents,
    stateItems,
    shardItems,
    sourceEntries,
    decisions,
    eventItems,
    broken,
    calls,
    clusters: () => count("clusters", () => [...clusterEntries.values()]),
    shardsOf: (cluster) =>
      count("shardsOf", () =>
        [...shardItems.values()]
          .filter((shard) => shard.cluster === cluster)
          .sort((a, b) => (a.from < b.from ? -1 : 1)),
      ),
    shards: () => count("shards", () => [...shardItems.values()]),
    shard: (range) => count("shard", () => shardItems.get(shardKey(range))),
    createShard: (shard) =>
      count("createShard", () => {
        if (shardItems.has(shardKey(shard))) return false;
        shardItems.set(shardKey(shard), copy(shard));
        return true;
      }),
    replaceShard: (before, after) =>
      count("replaceShard", () => {
        if (shardItems.get(shardKey(before))?.version !== before.version) return false;
        if (after === null) shardItems.delete(shardKey(before));
        else shardItems.set(shardKey(after), copy(after));
        return true;
      }),
    load: (range) =>
      count("load", (): ShardContents => {
        const missing = { key: range.cluster, invalid: `cluster ${range.cluster}: expected an entry, got none` };
        return {
          cluster: clusterEntries.get(range.cluster) ?? missing,
          sources: sourceEntries,
          hpas: inRange(documents, range).map(([key, document]) => ({ key, document })),
          states: Object.fromEntries(inRange(stateItems, range)),
          brokenStates: broken,
        };
      }),
    document: (cluster, key) => count("document", () => documents.get(`${cluster} ${key}`)),
    putState: (cluster, key, state) =>
      count("putState", (): Written => {
        const current = stateItems.get(`${cluster} ${key}`);
        if ((current?.version ?? 0) !== state.version - 1) return { ok: false, current };
        stateItems.set(`${cluster} ${key}`, copy(state));
        return { ok: true };
      }),
    deleteState: (cluster, key, version) =>
      count("deleteState", () => {
        if (stateItems.get(`${cluster} ${key}`)?.version !== version) return false;
        return stateItems.delete(`${cluster} ${key}`);
      }),
    putDecision: (cluster, key, record) =>
      count("putDecision", () => {
        const stands = decisions.findIndex((one) => one.cluster === cluster && one.key === key && one.at === record.at);
        decisions.splice(stands === -1 ? decisions.length : stands, 1, { cluster, key, ...copy(record) });
      }),
    deleteRecords: (cluster, key) =>
      count("deleteRecords", () => {
        eventItems.delete(`${cluster} ${key}`);
        const kept = decisions.filter((decision) => decision.cluster !== cluster || decision.key !== key);
        decisions.splice(0, decisions.length, ...kept);
        return true;
      }),
    events: (range) =>
      count("events", () =>
        inRange(eventItems, range).map(([key, { log }]) => ({ key, events: shownEvents(log, now()) })),
      ),
    eventLogs: async (cluster, keys) => {
      const found = await count("eventLogs", () =>
        keys.flatMap((key) => {
          const value = eventItems.get(`${cluster} ${key}`);
          return value === undefined ? [] : [{ key, value }];
        }),
      );
      return new Map(found.map(({ key, value }) => [key, { value }]));
    },
    replaceEvents: ({ cluster, key }, before, after) =>
      count("replaceEvents", () => {
        const current = eventItems.get(`${cluster} ${key}`);
        if ((current?.version ?? 0) !== before)
          return { ok: false, current: current === undefined ? undefined : { value: current } } as const;
        eventItems.set(`${cluster} ${key}`, copy(after));
        return { ok: true } as const;
      }),
  };
}
