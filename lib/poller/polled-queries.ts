import type { EpochMs } from "../k8s/time";
import type { ClusterEntry } from "../model/entry/entries";
import { decisionOptions, syncPeriodMs } from "../model/entry/options";
import { isFault } from "../model/fault";
import { type FoundSource, keyOfFound } from "../model/metric/found-source";
import { asHpaKey, type HpaKey, splitKey } from "../model/hpa-key";
import { maxMin, treeOf } from "../model/max-min";
import type { IdleHpa } from "../model/stored/idle";
import type { MetricSources, SourceQuery } from "../model/ports/sources";
import type { Store } from "../model/ports/store";
import type { Reporter } from "../model/report";
import type { Options } from "../model/situation";
import type { Shard } from "../model/stored/shard";
import { openLoadedShards } from "./loaded-shards";

/** `index`: the metric that the query reads. */
export interface Reader {
  readonly id: ZeroId;
  readonly idle: IdleHpa;
  readonly index: number;
}

/** One zero of an HPA, which began at `since`. */
export interface ZeroId {
  readonly cluster: string;
  readonly key: HpaKey;
  readonly since: string;
}

export interface PolledQuery {
  readonly id: string;
  readonly cluster: PolledCluster;
  readonly metricName: string;
  readonly found: FoundSource;
  /** How long a reading is cached. */
  readonly keepMs: number;
  /** In $. */
  readonly price: number;
  readonly readers: readonly Reader[];
}

export interface PolledCluster {
  readonly name: string;
  readonly entry: ClusterEntry;
  readonly periodMs: number;
  readonly options: Options;
}

export interface PolledPorts {
  readonly store: Pick<Store, "clusters" | "shards" | "idle">;
  readonly sources: MetricSources;
  /** In $. */
  readonly priceOf: (kind: string, query: SourceQuery) => number;
  readonly reporter: Pick<Reporter, "failed">;
}

/** More HPAs take turns. */
const mostHpas = 20_000;
/** Long enough to report failing queries. */
const rotatesAfterMs = 10 * 60_000;
/** A quarter of the function's default memory. */
const mostMemory = 64 * 2 ** 20;

/** A reload reads all SHARD items (one request for hundreds), and changed IDLE items. */
export function openPolledQueries({ store, sources, priceOf, reporter }: PolledPorts, now: () => EpochMs) {
  const loaded = openLoadedShards(mostMemory, {
    round: () => rotationAt(now()),
    leftOut: ({ cluster, from }, hpas) =>
      reporter.failed({ cluster, reason: "WatchMemory", message: memoryMessage(from, hpas), at: now() }),
  });
  const clusters = new Map<string, PolledCluster>();
  /** Zeros that have ended, until their shards say so. */
  const ended = new Set<string>();
  let queries: readonly PolledQuery[] = [];
  let shardsRead = 0;
  /** False also after a failed reload. */
  let isRebuilt = true;

  async function reload(signal: AbortSignal): Promise<void> {
    const shards = await store.shards(signal);
    shardsRead = shards.length;
    const idle = shards.filter((shard) => shard.idle !== undefined);
    const changed = idle.filter((shard) => loaded.markOf(idOf(shard)) !== markOf(shard));
    if (changed.some(({ cluster }) => !clusters.has(cluster))) await loadClusters(signal);
    // One at a time: an item may unpack to many times the memory.
    for (const shard of changed) {
      loaded.add(idOf(shard), { mark: markOf(shard), shard, idle: await store.idle(shard, signal) });
      isRebuilt = false;
    }
    const left = new Set(idle.map(idOf));
    for (const id of loaded.ids().filter((id) => !left.has(id))) {
      loaded.delete(id);
      isRebuilt = false;
    }
    if (!isRebuilt) rebuild();
  }

  async function loadClusters(signal: AbortSignal): Promise<void> {
    for (const found of await store.clusters(signal)) {
      if ("invalid" in found) continue;
      const { options } = found.value.spec;
      const known = { name: found.key, entry: found.value, periodMs: syncPeriodMs(options) };
      clusters.set(found.key, { ...known, options: decisionOptions(options) });
    }
  }

  function rebuild(): void {
    const byId = new Map<string, PolledQuery & { readonly readers: Reader[] }>();
    const named = new Set<string>();
    const wanted: IdleZero[] = [];
    for (const { shard, idle } of loaded.values()) {
      const cluster = clusters.get(shard.cluster);
      if (cluster === undefined) continue;
      for (const [key, one] of Object.entries(idle)) {
        const id = { cluster: cluster.name, key: asHpaKey(key), since: one.since ?? "" };
        named.add(zeroText(id));
        if (!ended.has(zeroText(id))) wanted.push({ id, cluster, idle: one });
      }
    }
    for (const { id, cluster, idle } of withPlaces(wanted, rotationAt(now())))
      idle.sources.forEach((found, index) => addQuery(byId, cluster, { found, reader: { id, idle, index } }));
    for (const id of ended) if (!named.has(id)) ended.delete(id);
    queries = [...byId.values()];
    isRebuilt = true;
  }

  function addQuery(
    byId: Map<string, PolledQuery & { readonly readers: Reader[] }>,
    cluster: PolledCluster,
    { found, reader }: { readonly found: FoundSource; readonly reader: Reader },
  ): void {
    const metricName = reader.idle.hpa.spec.metrics?.[reader.index]?.external?.metric.name;
    if (metricName === undefined) return;
    const id = JSON.stringify([cluster.name, metricName, keyOfFound(found, metricName), ...operandKeys(found)]);
    const known = byId.get(id);
    if (known !== undefined) return void known.readers.push(reader);
    const parts = queriesOf(found, metricName);
    const keepMs = longestCached(sources, parts);
    // Its slots read it as often as it may be read.
    if (keepMs === undefined || keepMs >= cluster.periodMs) return;
    const price = parts.reduce((sum, { kind, query }) => sum + priceOf(kind, query), 0);
    byId.set(id, { id, cluster, metricName, found, keepMs, price, readers: [reader] });
  }

  return {
    reload,
    /** Ignores these HPAs until they are at zero again. */
    end: (ids: readonly ZeroId[]): void => {
      for (const id of ids) ended.add(zeroText(id));
      if (ids.length > 0) rebuild();
    },
    queries: () => queries,
    shards: () => shardsRead,
  };
}

export type PolledQueries = ReturnType<typeof openPolledQueries>;

interface IdleZero {
  readonly id: ZeroId;
  readonly cluster: PolledCluster;
  readonly idle: IdleHpa;
}

function withPlaces(zeros: readonly IdleZero[], rotation: number): readonly IdleZero[] {
  if (zeros.length <= mostHpas) return zeros;
  const tree = treeOf(zeros.map(({ id }) => [id.cluster, ...splitKey(id.key)]));
  const places = maxMin(mostHpas, { tree, demands: zeros.map(() => 1) }, rotation);
  return zeros.filter((_, index) => places[index] === 1);
}

export function rotationAt(now: EpochMs): number {
  return Math.floor(now / rotatesAfterMs);
}

function idOf({ cluster, from }: Pick<Shard, "cluster" | "from">): string {
  return `${cluster}#${from}`;
}

function markOf({ idle, to }: Shard): string {
  return JSON.stringify([idle, to]);
}

export function zeroText({ cluster, key, since }: ZeroId): string {
  return JSON.stringify([cluster, key, since]);
}

interface QueryOfKind {
  readonly kind: string;
  readonly query: SourceQuery;
}

/** A formula's own parameters do not name its operands' sources. */
function operandKeys({ operands = [] }: FoundSource): readonly string[] {
  return operands.map(({ metricName, found }) =>
    found.kind === "source" ? keyOfFound(found, metricName) : found.error,
  );
}

function queriesOf({ source, parameters, operands }: FoundSource, metricName: string): readonly QueryOfKind[] {
  if (operands === undefined) return [{ kind: source, query: { metricName, parameters } }];
  return operands.flatMap(({ metricName: name, found }) =>
    found.kind === "source" ? [{ kind: found.source, query: { metricName: name, parameters: found.parameters } }] : [],
  );
}

function memoryMessage(from: string, hpas: number): string {
  const what = `the poller has ${mostMemory / 2 ** 20} MB for the HPAs at zero of all clusters, and ${hpas} of the shard from "${from}" need more than their shares of it`;
  return `${what}: their slots wake them; make the texts of their metrics shorter`;
}

/** Undefined: one of them cannot be read. */
function longestCached(sources: MetricSources, parts: readonly QueryOfKind[]): number | undefined {
  try {
    const times = parts.map(({ kind, query }) =>
      Object.hasOwn(sources, kind) ? sources[kind]?.keepMs(query) : undefined,
    );
    return times.reduce(
      (most: number | undefined, one) => (most !== undefined && one !== undefined ? Math.max(most, one) : undefined),
      0,
    );
  } catch (error) {
    if (isFault(error)) return undefined;
    throw error;
  }
}

/**
 * Undefined: not due. A cached query is due once for each `keepMs`:
 *
 *     slot 12:00:00                    slot 12:10:00, readings are kept for 60 s
 *     |  slot's  |  1  |  2  | … |  9  |  slot's  |  1  |
 */
export function cacheWindowOf(
  { keepMs, cluster }: Pick<PolledQuery, "keepMs" | "cluster">,
  now: EpochMs,
): EpochMs | undefined {
  if (keepMs === 0) return now;
  const slot = Math.floor(now / cluster.periodMs) * cluster.periodMs;
  const window = Math.floor((now - slot) / keepMs);
  return window === 0 ? undefined : slot + window * keepMs;
}
