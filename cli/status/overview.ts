import type { EpochMs } from "../../lib/k8s/time";
import type { Shard } from "../../lib/model/state";
import { syncPeriodMs } from "../../lib/model/options";
import type { Store } from "../../lib/model/ports";
import { isLate } from "../../lib/read/hpa-facts";
import type { Reach } from "../../compose";
import { askCluster, type Reachable } from "../reach";
import { type Tally, tallyOf } from "./failing";

export interface Overview {
  readonly at: EpochMs;
  readonly clusters: readonly (Tally & { readonly cluster: string; readonly reachable: Reachable })[];
  readonly shards: readonly ShardLine[];
}

export interface ShardLine extends Pick<Shard, "cluster" | "from" | "to" | "entries" | "slot"> {
  /** What is wrong with it; absent: nothing. */
  readonly problem?: string;
}

/** How everything stands: all clusters at once, each asked from here. Rejects with a Fault of the table. */
export async function takeOverview(
  {
    store,
    reach,
  }: { readonly store: Pick<Store, "clusters" | "shards" | "load">; readonly reach: Pick<Reach, "clusters"> },
  cluster: string | undefined,
  { now, signal }: { readonly now: () => EpochMs; readonly signal: AbortSignal },
): Promise<Overview> {
  const [entries, shards] = await Promise.all([store.clusters(signal), store.shards(signal)]);
  const wanted = entries.filter(({ key }) => cluster === undefined || key === cluster);
  const clusters = await Promise.all(
    wanted.map(async (entry) => {
      const [reachable, contents] = await Promise.all([
        askCluster(reach, entry, signal),
        store.load({ cluster: entry.key, from: "", to: null }, signal),
      ]);
      return { cluster: entry.key, reachable, ...tallyOf(contents, now()) };
    }),
  );
  const at = now();
  const lines = wanted.flatMap((entry) => {
    const periodMs = syncPeriodMs("value" in entry ? entry.value.spec.options : undefined);
    return shards.filter((shard) => shard.cluster === entry.key).map((shard) => lineOf(shard, periodMs, at));
  });
  return { at, clusters, shards: lines };
}

function lineOf(shard: Shard, periodMs: number, now: EpochMs): ShardLine {
  const { cluster, from, to, entries, slot, failure } = shard;
  const behind = Object.keys(shard.behind).length;
  const problem =
    failure ?? (isLate(shard, periodMs, now) ? "late" : behind > 0 ? `${behind} of ${entries} HPAs behind` : undefined);
  return { cluster, from, to, entries, slot, ...(problem === undefined ? {} : { problem }) };
}
