import type { EpochMs } from "../k8s/time";
import type { Shard } from "../model/stored/state";
import type { ClusterEntry } from "../model/entry/entries";
import type { Entry, Store } from "../model/ports/store";
import { namespaceOf } from "../model/hpa-key";
import { isLate, periodOf } from "./hpa-facts";
import { type Tally, tallyOf } from "./tally";

export interface Overview {
  readonly at: EpochMs;
  readonly clusters: readonly (Tally & { readonly cluster: string; readonly reachable: Reachable })[];
  readonly shards: readonly ShardLine[];
}

export interface ShardLine extends Pick<Shard, "cluster" | "from" | "to" | "entries" | "slot"> {
  /** What is wrong with it; absent: nothing. */
  readonly problem?: string;
}

/** Whether a cluster answers. `notAsked`: this machine lacks a secret or credentials; the functions may have them. */
export type Reachable =
  | { readonly kind: "yes" }
  | { readonly kind: "no"; readonly message: string }
  | { readonly kind: "notAsked"; readonly message: string };

export interface OverviewContext {
  readonly store: Pick<Store, "clusters" | "shards" | "load">;
  /** Never rejects for what a cluster does. */
  readonly ask: (entry: Entry<ClusterEntry>) => Promise<Reachable>;
  readonly now: () => EpochMs;
  readonly signal: AbortSignal;
}

/** Undefined: all. */
export interface Part {
  readonly cluster: string | undefined;
  readonly namespace: string | undefined;
}

/** Clusters, each asked at the same time, and their HPAs. Rejects with a Fault of the table. */
export async function takeOverview(
  { cluster, namespace }: Part,
  { store, ask, now, signal }: OverviewContext,
): Promise<Overview> {
  const [entries, shards] = await Promise.all([store.clusters(signal), store.shards(signal)]);
  const wanted = entries.filter(({ key }) => cluster === undefined || key === cluster);
  const clusters = await Promise.all(
    wanted.map(async (entry) => {
      const [reachable, contents] = await Promise.all([
        ask(entry),
        store.load({ cluster: entry.key, from: "", to: null }, signal),
      ]);
      const hpas = contents.hpas.filter(({ key }) => namespace === undefined || namespaceOf(key) === namespace);
      return { cluster: entry.key, reachable, ...tallyOf({ ...contents, hpas }, now()) };
    }),
  );
  const at = now();
  const lines = wanted.flatMap((entry) =>
    shards.filter((shard) => shard.cluster === entry.key).map((shard) => lineOf(shard, periodOf(entry), at)),
  );
  return { at, clusters, shards: lines };
}

function lineOf(shard: Shard, periodMs: number, now: EpochMs): ShardLine {
  const { cluster, from, to, entries, slot, failure } = shard;
  const behind = Object.keys(shard.behind).length;
  const problem =
    failure ?? (isLate(shard, periodMs, now) ? "late" : behind > 0 ? `${behind} of ${entries} HPAs behind` : undefined);
  return { cluster, from, to, entries, slot, ...(problem === undefined ? {} : { problem }) };
}
