import type { EpochMs } from "../k8s/time";
import type { Shard } from "../model/stored/state";
import type { ClusterEntry } from "../model/entry/entries";
import type { Entry, Store } from "../model/ports/store";
import { namespaceOf } from "../model/hpa-key";
import { shardHealth, type ShardHealth } from "./shard-health";
import { type Tally, tallyOf } from "./tally";

export interface Overview {
  readonly at: EpochMs;
  readonly clusters: readonly ClusterLine[];
  readonly shards: readonly ShardLine[];
}

export interface ClusterLine extends Tally {
  readonly cluster: string;
  readonly reachable: Reachable;
  /** All namespaces that HPAs are in. */
  readonly namespaces: readonly string[];
  /** How the cluster is without a shard; absent: it has some. */
  readonly unsharded?: ShardHealth;
}

export interface ShardLine extends Pick<Shard, "cluster" | "from" | "to" | "entries" | "slot"> {
  readonly health: ShardHealth;
  /** How many of its HPAs the last slots did not reach. */
  readonly behind: number;
}

/** Whether a cluster answers. `notAsked`: this machine lacks a secret or credentials; the functions may have them. */
export type Reachable =
  | { readonly kind: "yes" }
  | { readonly kind: "no"; readonly message: string }
  | { readonly kind: "notAsked"; readonly message: string };

export interface OverviewContext {
  readonly store: Pick<Store, "clusters" | "shards" | "load">;
  /** Never rejects for what a cluster does. */
  readonly probe: (entry: Entry<ClusterEntry>) => Promise<Reachable>;
  readonly now: () => EpochMs;
  readonly signal: AbortSignal;
}

/** Undefined: all. */
export interface OverviewPart {
  readonly cluster: string | undefined;
  readonly namespace: string | undefined;
}

/** Clusters, each asked at the same time, and their HPAs. Rejects with a Fault of the table. */
export async function takeOverview(
  { cluster, namespace }: OverviewPart,
  { store, probe, now, signal }: OverviewContext,
): Promise<Overview> {
  const [entries, shards] = await Promise.all([store.clusters(signal), store.shards(signal)]);
  const wanted = entries.filter(({ key }) => cluster === undefined || key === cluster);
  const clusters = await Promise.all(
    wanted.map(async (entry) => {
      const [reachable, contents] = await Promise.all([
        probe(entry),
        store.load({ cluster: entry.key, from: "", to: null }, signal),
      ]);
      const hpas = contents.hpas.filter(({ key }) => namespace === undefined || namespaceOf(key) === namespace);
      const namespaces = [...new Set(contents.hpas.map(({ key }) => namespaceOf(key)))];
      const isSharded = shards.some((shard) => shard.cluster === entry.key);
      const unsharded = isSharded ? {} : { unsharded: shardHealth(undefined, entry, now()) };
      return { cluster: entry.key, reachable, namespaces, ...unsharded, ...tallyOf({ ...contents, hpas }, now()) };
    }),
  );
  const at = now();
  const lines = wanted.flatMap((entry) =>
    shards.filter((shard) => shard.cluster === entry.key).map((shard) => lineOf(shard, entry, at)),
  );
  return { at, clusters, shards: lines };
}

function lineOf(shard: Shard, cluster: Entry<ClusterEntry>, now: EpochMs): ShardLine {
  const { from, to, entries, slot } = shard;
  const behind = Object.keys(shard.behind).length;
  return { cluster: cluster.key, from, to, entries, slot, behind, health: shardHealth(shard, cluster, now) };
}
