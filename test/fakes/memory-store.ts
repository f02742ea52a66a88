import { asHpaKey, type HpaKey } from "../../lib/model/hpa-key";
import { shownEvents } from "../../lib/model/stored/event-log";
import { Fault, type FaultKind } from "../../lib/model/fault";
import type { EpochMs } from "../../lib/k8s/time";
import type {
  HpaEvents,
  ShardContents,
  DecodedEvents,
  Store,
  StoredEvents,
  Written,
} from "../../lib/model/ports/store";
import type { Shard, ShardRange } from "../../lib/model/stored/shard";
import type { DecisionRecord, State } from "../../lib/model/stored/state";
import { holdsKey } from "../../lib/model/stored/last-observed";
import { versionBefore } from "../../lib/model/stored/version";
import { hpaDocument, inRange, memoryItems, type MemoryItems, place } from "./memory-items";
import { encodeIdle } from "../../lib/table/items/packed-items";
import { byBytes, stored, storedItem } from "./stored";
import { type Mishaps, type MishapSwitch, mishapSwitch } from "./wire";

export interface MemoryStore extends Store, MemoryItems {
  /** How often each method was called. */
  readonly calls: Record<string, number>;
  readonly mishaps: Mishaps;
}

interface Options {
  /** Those of another store, so that several callers share one table. */
  readonly items?: MemoryItems;
  /** Without it, a shard that cannot be read rejects the call. */
  readonly onBrokenShard?: (message: string) => void;
  readonly mishaps?: MishapSwitch;
}

/** Decisions that are deleted at a time. */
const recordsPerDeletion = 249;

/**
 * The Store port in memory. test/contract/store-contract.ts holds it to what a table does: conditions, copies, key
 * order, lost answers. `now` is for what is shown of events.
 */
export function memoryStore(
  now: () => EpochMs = () => 0,
  { items = memoryItems(), onBrokenShard, mishaps = mishapSwitch() }: Options = {},
): MemoryStore {
  const {
    clusterEntries,
    sourceEntries,
    documents,
    stateItems,
    shardItems,
    decisions,
    eventItems,
    latestItems,
    idleItems,
    indexItems,
    leases,
    broken,
  } = items;
  const calls: Record<string, number> = {};

  const stateAt = (cluster: string, key: string) =>
    place<State>(items, stateItems, { kind: "STATE", id: `${cluster} ${key}` });
  const eventsAt = (cluster: string, key: string) =>
    place<StoredEvents>(items, eventItems, { kind: "EVENTS", id: `${cluster} ${key}` });
  const shardAt = ({ cluster, from }: Pick<ShardRange, "cluster" | "from">) =>
    place<Shard>(items, shardItems, { kind: "SHARD", id: `${cluster}#${from}` });

  async function reached(name: string, signal: AbortSignal): Promise<void> {
    calls[name] = (calls[name] ?? 0) + 1;
    // A signal that is missing is one that nobody will abort.
    if ((signal as AbortSignal | undefined)?.aborted) throw new Fault("timeout", `${name}: the time was over before`);
    await Promise.resolve();
  }

  async function read<T>(name: string, signal: AbortSignal, answer: () => T): Promise<T> {
    await reached(name, signal);
    return answer();
  }

  /** `attempt` makes the write and returns the outcome; `again` is what a later attempt finds instead. */
  async function write<T>(
    name: string,
    signal: AbortSignal,
    { attempt, again = (first) => first, unknown = "lost" }: Write<T>,
  ): Promise<T> {
    await reached(name, signal);
    const mishap = mishaps.take();
    if (mishap === undefined) return attempt();
    if (mishap.kind === "answerLost") return again(attempt());
    if (mishap.kind === "unanswered") attempt();
    if (mishap.kind === "late") mishap.hold(attempt);
    throw new Fault(unknown, `${name}: not known whether the write was applied: no answer came`);
  }

  /** A repeated deletion finds nothing there, and assumes that it deleted it. */
  const orGone = (there: ReturnType<typeof stateAt> | ReturnType<typeof shardAt>) => (first: boolean) =>
    first || there.read() === undefined;

  function readableShards(keep: (shard: Pick<Shard, "cluster" | "from">) => boolean): readonly Shard[] {
    const ids = [...broken.keys()].flatMap((id) => (id.startsWith("SHARD ") ? [id.slice("SHARD ".length)] : []));
    return [...new Set([...ids, ...shardItems.keys()])].sort(byBytes).flatMap((id) => {
      const [cluster = "", from = ""] = [id.slice(0, id.indexOf("#")), id.slice(id.indexOf("#") + 1)];
      const shard = shardItems.get(id) ?? { cluster, from };
      return keep(shard) ? readableShard(shard, onBrokenShard) : [];
    });
  }

  function readableShard(of: Pick<Shard, "cluster" | "from">, onBroken?: (message: string) => void): readonly Shard[] {
    const found = shardAt(of).read();
    if (found === undefined) return [];
    if ("value" in found) return [found.value];
    const message = `SHARD ${of.cluster}#${of.from}: ${found.broken}: delete the item`;
    if (onBroken === undefined) throw new Fault("badEntry", message);
    onBroken(message);
    return [];
  }

  return {
    ...items,
    calls,
    mishaps,

    clusters: (signal) =>
      read("clusters", signal, () => [...clusterEntries.values()].sort((a, b) => byBytes(a.key, b.key)).map(stored)),
    shards: (signal) => read("shards", signal, () => readableShards(() => true)),
    shardsOf: (cluster, signal) => read("shardsOf", signal, () => readableShards((shard) => shard.cluster === cluster)),
    shard: (range, signal) => read("shard", signal, () => readableShard(range)[0]),

    createShard: (shard, signal) =>
      write("createShard", signal, { attempt: () => shardAt(shard).put(stored(shard), "nothing") }),
    replaceShard: (before, after, signal) =>
      after === null
        ? write("replaceShard", signal, {
            attempt: () => shardAt(before).delete(before.version),
            again: orGone(shardAt(before)),
          })
        : write("replaceShard", signal, { attempt: () => shardAt(after).put(stored(after), before.version) }),

    load: (range, signal, known) =>
      read(known === undefined ? "load" : "loadSources", signal, (): ShardContents => {
        const unreadable = inRange(broken, range, "STATE ");
        return {
          cluster: stored(clusterEntries.get(range.cluster) ?? missingCluster(range.cluster)),
          sources: inRange(sourceEntries, { ...range, from: "", to: null }).map(([, entry]) => stored(entry)),
          hpas: inRange(documents, range).map(([key, entry]) => ({
            key: asHpaKey(key),
            document: stored(hpaDocument(key, entry)),
          })),
          states: Object.fromEntries(
            inRange(stateItems, range)
              .filter(([key]) => !broken.has(`STATE ${range.cluster} ${key}`))
              .map(([key, state]) => [key, stored(state)]),
          ),
          brokenStates: Object.fromEntries(unreadable.map(([key, { why }]) => [key, why])),
          memory: 0,
          ...(known && { ...known, brokenStates: {} }),
        };
      }),
    hpaKeys: (range, signal) => read("hpaKeys", signal, () => inRange(documents, range).map(([key]) => asHpaKey(key))),
    document: (cluster, key, signal) =>
      read("document", signal, () => {
        const entry = documents.get(`${cluster} ${key}`);
        return entry === undefined ? undefined : stored(hpaDocument(key, entry));
      }),

    async putState(cluster, key, state, signal): Promise<Written> {
      const there = stateAt(cluster, key);
      const checked = sized(there, state);
      const expected = versionBefore(state.version);
      if (await write("putState", signal, { attempt: () => there.put(checked, expected) })) return { ok: true };
      const current = there.read();
      if (current === undefined) return { ok: false, current: undefined };
      if ("value" in current) return { ok: false, current: current.value };
      throw new Fault("badEntry", `STATE ${cluster} ${key}: ${current.broken}: the item is kept as it is`);
    },
    async deleteState(cluster, key, version, signal) {
      const there = stateAt(cluster, key);
      const again = orGone(there);
      const isDone = await write("deleteState", signal, { attempt: () => there.delete(version), again });
      return isDone || there.read() === undefined;
    },

    putLatest: (shard, latest, signal) =>
      write("putLatest", signal, { attempt: () => replacePacked(latestItems, shard, latest), unknown: "timeout" }),
    latest: (range, signal) => read("latest", signal, () => packedIn(latestItems, range)),
    putIdle: (shard, idle, signal) =>
      write("putIdle", signal, {
        attempt: () => {
          const left = new Set<string>(encodeIdle(shard, idle, 0).leftOut);
          replacePacked(idleItems, shard, Object.fromEntries(Object.entries(idle).filter(([key]) => !left.has(key))));
          return [...left].map(asHpaKey);
        },
        unknown: "timeout",
      }),
    idle: (range, signal) => read("idle", signal, () => packedIn(idleItems, range)),
    putIndex: (shard, index, signal) =>
      write("putIndex", signal, {
        attempt: () => {
          replacePacked(indexItems, shard, index);
          return true;
        },
        unknown: "timeout",
      }),
    index: ({ cluster, from }, signal) => read("index", signal, () => indexItems.get(`${cluster} ${from}`)),
    states: (cluster, keys, signal) =>
      read("states", signal, () => {
        const found = keys.map((key) => [key, stateAt(cluster, key).read()] as const);
        return new Map(
          found.flatMap(([key, state]) => (state && "value" in state ? [[key, state.value] as const] : [])),
        );
      }),
    pollerLease: (signal) =>
      read("watchLease", signal, () => {
        const lease = leases.get("LEASE");
        return lease && stored(lease);
      }),
    replacePollerLease: (before, after, signal) =>
      write("replaceWatchLease", signal, {
        attempt: () => {
          if (leases.get("LEASE")?.version !== before?.version) return false;
          leases.set("LEASE", stored(after));
          return true;
        },
      }),

    async putDecision(cluster, key, record, signal) {
      const decision = { cluster, key, ...sized({ kind: "DECISION", id: `${cluster} ${key}` }, record) };
      const attempt = () => {
        const at = decisions.findIndex((one) => one.at === record.at && one.key === key && one.cluster === cluster);
        decisions.splice(at === -1 ? decisions.length : at, 1, decision);
      };
      await write("putDecision", signal, { attempt, unknown: "timeout" });
    },
    deleteRecords: (cluster, key, signal) => {
      const attempt = () => {
        const deleted = latestDecisions(items, cluster, key).slice(0, recordsPerDeletion);
        const kept = decisions.filter((decision) => !deleted.includes(decision));
        decisions.splice(0, decisions.length, ...kept);
        eventItems.delete(`${cluster} ${key}`);
        broken.delete(`EVENTS ${cluster} ${key}`);
        return deleted.length < recordsPerDeletion;
      };
      return write("deleteRecords", signal, { attempt, unknown: "timeout" });
    },

    events: (range, signal) =>
      read("events", signal, () => {
        const readable = inRange(eventItems, range).map(([key]) => key);
        const unreadable = inRange(broken, range, "EVENTS ").map(([key]) => key);
        return [...new Set([...readable, ...unreadable])].sort(byBytes).flatMap((text): readonly HpaEvents[] => {
          const key = asHpaKey(text);
          const found = eventsAt(range.cluster, key).read();
          if (found === undefined) return [];
          if ("broken" in found) return [{ key, events: [], broken: found.broken }];
          return [{ key, events: shownEvents(found.value.log, now()) }];
        });
      }),
    eventLogs: (cluster, keys, signal) =>
      read("eventLogs", signal, () => {
        const found = keys.map((key) => [key, eventsAt(cluster, key).read()] as const);
        return new Map(found.filter((one): one is readonly [HpaKey, DecodedEvents] => one[1] !== undefined));
      }),
    async replaceEvents({ cluster, key }, before, after, signal) {
      const there = eventsAt(cluster, key);
      const checked = sized(there, after);
      const attempt = () => there.put(checked, before === 0 ? "nothing" : before);
      if (await write("replaceEvents", signal, { attempt })) return { ok: true };
      return { ok: false, current: there.read() };
    },
  };
}

/** A shard's item, and none of those that were merged into it. */
function replacePacked<T>(items: Map<string, T>, shard: ShardRange, value: T): void {
  for (const [from] of inRange(items, shard)) items.delete(`${shard.cluster} ${from}`);
  items.set(`${shard.cluster} ${shard.from}`, stored(value));
}

/** Of a key that two shards have, the nearer one counts. */
function packedIn<T extends object>(items: Map<string, T>, range: ShardRange): T {
  const all = inRange(items, { cluster: range.cluster, from: "", to: null });
  const found = all.flatMap(([, values], index) => {
    const to = all[index + 1]?.[0] ?? null;
    return Object.entries(values).filter(([key]) => to === null || byBytes(key, to) < 0);
  });
  return stored(Object.fromEntries(found.filter(([key]) => holdsKey(range, asHpaKey(key))))) as T;
}

interface Write<T> {
  readonly attempt: () => T;
  readonly again?: (first: T) => T;
  readonly unknown?: FaultKind;
}

/** An HPA's decisions, latest first, as the table's keys order them. */
export function latestDecisions({ decisions }: MemoryItems, cluster: string, key: string) {
  return decisions.filter((one) => one.cluster === cluster && one.key === key).sort((a, b) => b.at - a.at);
}

function missingCluster(cluster: string) {
  const expected = `an item with pk "CLUSTER#${cluster}" and sk "CLUSTER" in table "memory"`;
  return {
    key: cluster,
    invalid: `cluster ${JSON.stringify(cluster)}: expected ${expected}, got none`,
    missing: true as const,
  };
}

/** A copy of the item, which a table can hold. */
function sized<T extends DecisionRecord | State | StoredEvents>(
  { kind, id }: { kind: string; id: string },
  value: T,
): T {
  const { item, isTooLarge } = storedItem(value);
  if (!isTooLarge) return item;
  throw new Fault("badEntry", `${kind} ${id}: expected at most the 409600 bytes that an item may have`);
}
