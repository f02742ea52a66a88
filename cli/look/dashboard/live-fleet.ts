import { someAtATime } from "../../../lib/async/semaphore";
import { present } from "../../../lib/k8s/map";
import type { EpochMs } from "../../../lib/k8s/time";
import { keyNamed } from "../../../lib/model/hpa-key";
import type { HistoryReader } from "../../../lib/model/ports/history";
import type { Store } from "../../../lib/model/ports/store";
import type { Shard, ShardRange } from "../../../lib/model/stored/shard";
import { fleetCluster, fleetRows } from "./fleet";
import { fleetHistory } from "./fleet-history";
import type { FleetCluster, FleetMessage, FleetRow } from "../../../lib/read/page/fleet-row";
import { readsAtATime } from "../../../lib/read/find-hpas";
import { loadWithLatest } from "../../../lib/read/hpa-facts";

export interface LiveFleetContext {
  readonly store: Pick<Store, "clusters" | "shards" | "load" | "latest">;
  readonly now: () => EpochMs;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly isPaid: boolean;
  readonly history: HistoryReader;
  /** The price of a replica for an hour. */
  readonly dollarsPerHour: number;
}

type Reader = (line: string) => void;

export interface LiveFleet {
  subscribe(reader: Reader): () => void;
  close(): void;
}

const shortestPassMs = 5_000;
/** In DynamoDB, 10,000 HPAs are read once a minute at most: 5 cents an hour. */
export const paidMsPerHpa = 6;
const slowAfterMs = 10_000;
const passLimitMs = 60_000;
const rowsPerMessage = 500;

export function liveFleet(context: LiveFleetContext): LiveFleet {
  const { store, now, pause, isPaid, history, dollarsPerHour } = context;
  const past = fleetHistory(history, now, dollarsPerHour);
  const readers = new Set<Reader>();
  let rows = new Map<string, { readonly row: FleetRow; readonly json: string; readonly range: string }>();
  let clusters: readonly FleetCluster[] = [];
  let loadedAt: EpochMs | undefined;
  let problem: { readonly message: string; readonly since: EpochMs } | undefined;
  const unread = new Map<string, { readonly message: string; readonly since: EpochMs }>();
  let running: AbortController | undefined;

  const broadcast = (line: string) => readers.forEach((reader) => reader(line));
  const send = (message: FleetMessage) => broadcast(JSON.stringify(message));

  function report(next: typeof problem): void {
    if (next === undefined && problem === undefined) return;
    problem = next && { message: next.message, since: problem?.since ?? next.since };
    send({ type: "table", ...(problem && { problem }) });
  }

  async function readRange(range: ShardRange, known: Awaited<ReturnType<typeof overviewOf>>, signal: AbortSignal) {
    const id = JSON.stringify(range);
    try {
      const contents = await loadWithLatest(store, range, signal);
      unread.delete(id);
      take(id, fleetRows(contents, known.shardsOf(range.cluster), now()));
    } catch (error) {
      if (signal.aborted) throw error;
      unread.set(id, { message: (error as Error).message, since: unread.get(id)?.since ?? now() });
    }
    return id;
  }

  function take(range: string, found: readonly FleetRow[]): void {
    const changed: string[] = [];
    const ids = new Set<string>();
    for (const given of found) {
      const row = { ...given, ...present({ recent: past.recentOf(given.cluster, keyOf(given)) }) };
      const [id, json] = [idOf(row), JSON.stringify(row)];
      ids.add(id);
      if (rows.get(id)?.json !== json) changed.push(json);
      rows.set(id, { row, json, range });
    }
    sendRows(broadcast, changed);
    removeRows((id, one) => one.range === range && !ids.has(id));
  }

  function removeRows(isGone: (id: string, one: { readonly range: string }) => boolean): void {
    const gone = [...rows].filter(([id, one]) => isGone(id, one));
    for (const [id] of gone) rows.delete(id);
    const names = gone.map(
      ([
        ,
        {
          row: { cluster, namespace, name },
        },
      ]) => ({ cluster, namespace, name }),
    );
    if (names.length > 0) send({ type: "gone", rows: names });
  }

  async function overviewOf(signal: AbortSignal) {
    const [entries, shards] = await Promise.all([store.clusters(signal), store.shards(signal)]);
    const shardsOf = (cluster: string) => shards.filter((shard) => shard.cluster === cluster);
    const ranges = entries.flatMap(({ key: cluster }): readonly ShardRange[] => {
      const own = shardsOf(cluster);
      return own.length === 0 ? [{ cluster, from: "", to: null }] : own.map(({ from, to }) => ({ cluster, from, to }));
    });
    return { entries, shards, shardsOf, ranges };
  }

  function showClusters({ entries, shards }: Awaited<ReturnType<typeof overviewOf>>): void {
    const failures = [...unread].map(([id, failure]) => ({ ...(JSON.parse(id) as ShardRange), failure }));
    clusters = entries.map((entry) => {
      const failed = failures.find(({ cluster }) => cluster === entry.key);
      return { ...fleetCluster(entry, shards, now()), ...(failed && { unread: failed.failure }) };
    });
    send({ type: "clusters", at: now(), clusters });
  }

  async function pass(signal: AbortSignal): Promise<readonly Shard[]> {
    const known = await overviewOf(signal);
    const ids = new Set(known.ranges.map((range) => JSON.stringify(range)));
    for (const id of [...unread.keys()]) if (!ids.has(id)) unread.delete(id);
    showClusters(known);
    // Four loads at once all end late: the first alone gives a new page its first rows.
    const alone = rows.size === 0 ? 1 : 0;
    for (const range of known.ranges.slice(0, alone)) await readRange(range, known, signal);
    await someAtATime(known.ranges.slice(alone), { limit: readsAtATime, signal }, (range) =>
      readRange(range, known, signal),
    );
    // Ranges of shards that split or merged: their HPAs are in others by now.
    if (unread.size === 0) removeRows((_, { range }) => !ids.has(range));
    if (unread.size > 0 || clusters.some((one) => one.unread !== undefined)) showClusters(known);
    loadedAt = now();
    send({ type: "loaded", at: loadedAt });
    return known.shards;
  }

  async function readPast(shards: readonly Shard[], signal: AbortSignal): Promise<void> {
    for (const shard of shards) {
      const { cluster, from, to } = shard;
      const range = JSON.stringify({ cluster, from, to });
      if (!(await past.read(shard, signal))) continue;
      take(
        range,
        [...rows.values()].flatMap((one) => (one.range === range ? [one.row] : [])),
      );
    }
    await past.countBlocks(signal);
    sendSaved(broadcast);
  }

  function sendSaved(reader: Reader): void {
    const saved = past.saved();
    if (saved !== undefined) reader(JSON.stringify({ type: "saved", saved } satisfies FleetMessage));
  }

  async function passInTime(signal: AbortSignal): Promise<readonly Shard[]> {
    const startedAt = now();
    const ended = new AbortController();
    const limit = new AbortController();
    const either = AbortSignal.any([signal, limit.signal]);
    const watchdog = async () => {
      await pause(slowAfterMs, ended.signal);
      report({ message: `it has not answered for ${slowAfterMs / 1000} s`, since: startedAt });
      await pause(passLimitMs - slowAfterMs, ended.signal);
      limit.abort(new Error(`it has not answered for ${passLimitMs / 1000} s`));
    };
    const watching = watchdog().catch(() => undefined);
    try {
      const shards = await pass(either);
      report(undefined);
      return shards;
    } catch (error) {
      if (!signal.aborted) report({ message: (error as Error).message, since: startedAt });
      return [];
    } finally {
      ended.abort();
      await watching;
    }
  }

  async function run(signal: AbortSignal): Promise<void> {
    let reading: Promise<void> | undefined;
    while (!signal.aborted) {
      const startedAt = now();
      const shards = await passInTime(signal);
      reading ??= readPast(shards, signal)
        .catch((error: unknown) => {
          if (!signal.aborted) report({ message: `the history: ${(error as Error).message}`, since: now() });
        })
        .finally(() => (reading = undefined));
      const slot = clusters.length === 0 ? 0 : Math.min(...clusters.map(({ periodMs }) => periodMs));
      const interval = Math.max(shortestPassMs, slot, isPaid ? rows.size * paidMsPerHpa : 0);
      await pause(Math.max(1_000, startedAt + interval - now()), signal).catch(() => undefined);
    }
  }

  function stop(): void {
    running?.abort(new Error("nobody looks at the dashboard"));
    running = undefined;
    rows = new Map();
    [clusters, loadedAt, problem] = [[], undefined, undefined];
    unread.clear();
  }

  return {
    subscribe(reader) {
      const greet = (message: FleetMessage) => reader(JSON.stringify(message));
      if (problem !== undefined) greet({ type: "table", problem });
      if (clusters.length > 0) greet({ type: "clusters", at: now(), clusters });
      sendRows(
        reader,
        [...rows.values()].map(({ json }) => json),
      );
      if (loadedAt !== undefined) greet({ type: "loaded", at: loadedAt });
      sendSaved(reader);
      readers.add(reader);
      if (running === undefined) {
        running = new AbortController();
        void run(running.signal);
      }
      return () => {
        readers.delete(reader);
        if (readers.size === 0) stop();
      };
    },
    close() {
      readers.clear();
      stop();
    },
  };
}

function sendRows(reader: Reader, jsons: readonly string[]): void {
  for (let at = 0; at < jsons.length; at += rowsPerMessage)
    reader(`{"type":"rows","rows":[${jsons.slice(at, at + rowsPerMessage).join(",")}]}`);
}

function keyOf({ namespace, name }: Pick<FleetRow, "namespace" | "name">) {
  return keyNamed(namespace, name);
}

function idOf({ cluster, namespace, name }: Pick<FleetRow, "cluster" | "namespace" | "name">): string {
  return JSON.stringify([cluster, namespace, name]);
}
