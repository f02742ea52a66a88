import { getHeapStatistics } from "node:v8";
import type { HpaKey } from "../model/hpa-key";
import { batches, deleteItems, itemsPerBatch, putItems } from "./write-items";
import type { DynamoClient } from "../aws/http/dynamodb-commands";
import { type EpochMs, dayMs } from "../k8s/time";
import type { ClusterEntry } from "../model/entry/entries";
import { shownEvents } from "../model/stored/event-log";
import type { Idle, PollerLease } from "../model/stored/idle";
import type { Entry, HpaEvents, DecodedEvents, LoadedHpas, StoredEvents } from "../model/ports/store";
import type { QueueIndex } from "../model/stored/queue-index";
import type { Latest } from "../model/stored/latest";
import type { Shard, ShardRange } from "../model/stored/shard";
import type { DecisionRecord, State } from "../model/stored/state";
import { versionBefore } from "../model/stored/version";
import { type Item, toItem } from "./items/attributes";
import { decodeCluster } from "./items/resource-items";
import { checkedSize, deleteIf, putIf } from "./conditional-write";
import { encodeDecision, decodeState, encodeState, decodeEvents, encodeEvents } from "./items/hpa-items";
import { decodeIdle, encodeIdle, decodeLatest, encodeLatest } from "./items/packed-items";
import { decodeIndex, encodeIndex } from "./items/index-item";
import { decodeLease, encodeLease, encodeShard, type ShardWriter, shardWriter } from "./items/shard-item";
import { decodeHpaItem } from "./items/hpa-document";
import { getItem, getItems, getItemsAs, keysPerBatch } from "./get-items";
import { queryKind, queryNewest, queryPartition, queryRange, querySortKeys, type Table } from "./reads";
import * as schema from "./items/keys";
import { loadShard } from "./load-shard";
import type { PackedRoom } from "./items/unpack";
import { hpaKeyAfter, readableDecision, readableShard, written } from "./readable-items";
import { readPacked, replacePacked } from "./packed-ranges";

export interface StoreDeps {
  readonly client: DynamoClient;
  readonly table: string;
  /** Default 14. */
  readonly decisionTtlDays?: number;
  readonly now: () => EpochMs;
  /** For each unreadable SHARD item. Without it, `shards` rejects on the first. */
  readonly onBrokenShard?: (message: string) => void;
  /** In bytes. Larger items of a load are refused by name. */
  readonly loadMemory?: number | (() => number);
  /** How a person gives a load more. Default: that of a function. */
  readonly moreMemory?: string;
}

export interface DecisionQuery {
  /** The latest moment, inclusive; absent: now. */
  readonly notAfter?: EpochMs;
  readonly limit: number;
}

/** Every call rejects with a Fault. */
export type TableStore = ReturnType<typeof openStore>;

/** As many as 10 calls delete. */
const recordsPerDeletion = 249;

/** A quarter of the heap: of 2 GB, the latest values of 80,000 HPAs. */
const mostPackedMemory = getHeapStatistics().heap_size_limit / 4;

export function openStore(deps: StoreDeps) {
  const { client, table: name, decisionTtlDays = 14, now, onBrokenShard, moreMemory } = deps;
  const { loadMemory = Infinity } = deps;
  const mostMemory = () => (typeof loadMemory === "number" ? loadMemory : loadMemory());
  const table: Table = { client, name };
  const packedRoom = (): PackedRoom => ({ left: Math.min(mostMemory(), mostPackedMemory) });
  // HPAs that scale at once look again at once. A line is a cluster: no cluster waits for another.
  const look = batches((keys: readonly schema.ItemKey[], signal) => getItems(table, keys, signal), keysPerBatch);
  const record = batches(async (items: readonly Item[], signal) => {
    await putItems(table, items, signal);
    return items;
  }, itemsPerBatch);

  return {
    async clusters(signal: AbortSignal): Promise<readonly Entry<ClusterEntry>[]> {
      const keys = await queryKind(table, schema.clusterSk, signal);
      return (await getItemsAs(table, keys, signal, decodeCluster)).sort(byKey);
    },

    async shards(signal: AbortSignal): Promise<readonly Shard[]> {
      const items = await queryPartition(table, schema.shardPk, signal);
      return items.flatMap((item) => readableShard(item, onBrokenShard));
    },

    /** Leaves out unreadable shards. */
    async shardWriters(signal: AbortSignal): Promise<readonly ShardWriter[]> {
      const items = await queryPartition(table, schema.shardPk, signal);
      return items.map(shardWriter).filter((writer) => writer !== undefined);
    },

    async shardsOf(cluster: string, signal: AbortSignal): Promise<readonly Shard[]> {
      const items = await queryRange(table, schema.shardsOf(cluster), signal);
      return items.flatMap((item) => readableShard(item, onBrokenShard)).filter((shard) => shard.cluster === cluster);
    },

    async shard(range: Pick<ShardRange, "cluster" | "from">, signal: AbortSignal): Promise<Shard | undefined> {
      const item = await look(range.cluster, schema.shardKey(range), signal);
      return item && readableShard(item)[0];
    },

    async createShard(shard: Shard, signal: AbortSignal): Promise<boolean> {
      const { done } = await putIf(table, encodeShard(shard), "nothing", signal);
      return done;
    },

    async replaceShard(before: Shard, after: Shard | null, signal: AbortSignal): Promise<boolean> {
      const { done } =
        after === null
          ? await deleteIf(table, schema.shardKey(before), { version: before.version }, signal)
          : await putIf(table, encodeShard(after), { version: before.version }, signal);
      return done;
    },

    load: (range: ShardRange, signal: AbortSignal, known?: LoadedHpas) =>
      loadShard(table, range, { mostMemory: mostMemory(), ...(moreMemory && { moreMemory }), known, signal }),

    async hpaKeys(range: ShardRange, signal: AbortSignal): Promise<readonly HpaKey[]> {
      const sortKeys = await querySortKeys(table, schema.shardKeys(schema.hpaPrefix, range), signal);
      return sortKeys.map((sk) => hpaKeyAfter(schema.hpaPrefix, sk));
    },

    async document(cluster: string, key: HpaKey, signal: AbortSignal): Promise<unknown> {
      const item = await look(cluster, schema.hpaItemKey(cluster, key), signal);
      return item && decodeHpaItem(item).document;
    },

    async putState(cluster: string, key: HpaKey, state: State, signal: AbortSignal) {
      const before = versionBefore(state.version);
      const expected = before === "nothing" ? before : { version: before };
      const outcome = await putIf(table, encodeState(cluster, key, state), expected, signal);
      return written(outcome, { cluster, key, version: state.version });
    },

    /** True also if it is already gone; false if its version has changed. */
    async deleteState(cluster: string, key: HpaKey, version: number, signal?: AbortSignal): Promise<boolean> {
      const outcome = await deleteIf(table, schema.stateKey(cluster, key), { version }, signal);
      return outcome.done || outcome.stored === undefined;
    },

    putLatest: (shard: ShardRange, latest: Latest, signal: AbortSignal) =>
      replacePacked(table, packedItem(latestKind, shard, encodeLatest(shard, latest, now())), signal),

    latest: (range: ShardRange, signal: AbortSignal) =>
      readPacked(table, latestKind, range, { room: packedRoom(), signal }),

    async putIdle(shard: ShardRange, idle: Idle, signal: AbortSignal): Promise<readonly HpaKey[]> {
      const { item, leftOut } = encodeIdle(shard, idle, now());
      await replacePacked(table, packedItem(idleKind, shard, item), signal);
      return leftOut;
    },

    idle: (range: ShardRange, signal: AbortSignal) =>
      readPacked(table, idleKind, range, { room: packedRoom(), signal }),

    async putIndex(shard: ShardRange, index: QueueIndex, signal: AbortSignal): Promise<boolean> {
      const item = encodeIndex(shard, index, now());
      if (item !== undefined) await replacePacked(table, { item, own: schema.indexKeys(shard) }, signal);
      return item !== undefined;
    },

    async index(shard: Pick<ShardRange, "cluster" | "from">, signal: AbortSignal): Promise<QueueIndex | undefined> {
      const item = await getItem(table, schema.indexKey(shard), signal);
      return item && decodeIndex(item);
    },

    async states(cluster: string, keys: readonly HpaKey[], signal: AbortSignal): Promise<ReadonlyMap<HpaKey, State>> {
      const itemKeys = keys.map((key) => toItem(schema.stateKey(cluster, key)));
      const found = await getItemsAs(table, itemKeys, signal, (item) => {
        const state = decodeState(item);
        const key = hpaKeyAfter(schema.statePrefix, item.sk?.S);
        return "value" in state ? [[key, state.value] as const] : [];
      });
      return new Map(found.flat());
    },

    async pollerLease(signal: AbortSignal): Promise<PollerLease | undefined> {
      const item = await getItem(table, schema.leaseKey, signal);
      return item && decodeLease(item);
    },

    async replacePollerLease(
      before: PollerLease | undefined,
      after: PollerLease,
      signal: AbortSignal,
    ): Promise<boolean> {
      const item = encodeLease(after);
      if (before !== undefined) return (await putIf(table, item, { version: before.version }, signal)).done;
      const outcome = await putIf(table, item, "nothing", signal);
      if (outcome.done || outcome.stored === undefined || decodeLease(outcome.stored) !== undefined)
        return outcome.done;
      return (await putIf(table, item, { stored: outcome.stored }, signal)).done;
    },

    async putDecision(cluster: string, key: HpaKey, decision: DecisionRecord, signal: AbortSignal): Promise<void> {
      const expiresAt = now() + decisionTtlDays * dayMs;
      await record(cluster, checkedSize(encodeDecision(decision, { cluster, key, expiresAt })), signal);
    },

    async decisions(cluster: string, key: HpaKey, { notAfter, limit }: DecisionQuery, signal: AbortSignal) {
      const items = await queryNewest(table, schema.decisionKeys(cluster, key, notAfter), limit, signal);
      return items.map(readableDecision);
    },

    async deleteRecords(cluster: string, key: HpaKey, signal: AbortSignal): Promise<boolean> {
      const decisions = await queryNewest(table, schema.decisionKeys(cluster, key), recordsPerDeletion, signal);
      await deleteItems(table, [toItem(schema.eventsKey(cluster, key)), ...decisions], signal);
      return decisions.length < recordsPerDeletion;
    },

    async events(range: ShardRange, signal: AbortSignal): Promise<readonly HpaEvents[]> {
      const items = await queryRange(table, schema.shardKeys(schema.eventsPrefix, range), signal);
      return items.map((item): HpaEvents => {
        const key = hpaKeyAfter(schema.eventsPrefix, item.sk?.S);
        const decoded = decodeEvents(item);
        if ("broken" in decoded) return { key, events: [], broken: decoded.broken };
        return { key, events: shownEvents(decoded.value.log, now()) };
      });
    },

    async eventLogs(
      cluster: string,
      keys: readonly HpaKey[],
      signal: AbortSignal,
    ): Promise<ReadonlyMap<HpaKey, DecodedEvents>> {
      const itemKeys = keys.map((key) => toItem(schema.eventsKey(cluster, key)));
      const decode = (item: Item) => [hpaKeyAfter(schema.eventsPrefix, item.sk?.S), decodeEvents(item)] as const;
      return new Map(await getItemsAs(table, itemKeys, signal, decode));
    },

    async replaceEvents(
      { cluster, key }: { readonly cluster: string; readonly key: HpaKey },
      before: number,
      after: StoredEvents,
      signal: AbortSignal,
    ): Promise<{ readonly ok: true } | { readonly ok: false; readonly current: DecodedEvents | undefined }> {
      const expected = before === 0 ? "nothing" : { version: before };
      const outcome = await putIf(table, encodeEvents(cluster, key, after), expected, signal);
      return outcome.done ? { ok: true } : { ok: false, current: outcome.stored && decodeEvents(outcome.stored) };
    },
  };
}

const latestKind = { prefix: schema.latestPrefix, decode: decodeLatest } as const;
const packedItem = ({ prefix }: { readonly prefix: string }, shard: ShardRange, item: Item) => ({
  ...{ item, own: schema.shardKeys(prefix, shard) },
});
const idleKind = { prefix: schema.idlePrefix, decode: decodeIdle } as const;

function byKey(a: Entry<unknown>, b: Entry<unknown>): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}
