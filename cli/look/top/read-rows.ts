import { setImmediate as nextTurn } from "node:timers/promises";
import { someAtATime } from "../../../lib/async/semaphore";
import type { EpochMs } from "../../../lib/k8s/time";
import { type HpaState, hpaStateNames } from "../../../lib/model/hpa-states";
import type { ShardContents, Store } from "../../../lib/model/ports/store";
import type { ShardRange } from "../../../lib/model/stored/shard";
import { rangesOf, readsAtATime } from "../../../lib/read/find-hpas";
import { loadWithLatest } from "../../../lib/read/hpa-facts";
import type { FleetCluster, FleetRow } from "../../../lib/read/page/fleet-row";
import { fleetCluster, fleetRows } from "../dashboard/fleet";

export interface TopScope {
  readonly clusters: readonly string[];
  /** Undefined: all. */
  readonly namespace?: string;
}

export interface TopFleet {
  readonly scope: TopScope;
  /** The most urgent first. */
  readonly rows: readonly FleetRow[];
  readonly counts: ReadonlyMap<HpaState, number>;
  readonly clusters: readonly FleetCluster[];
  readonly readAt: EpochMs;
}

const atATime = 50;

type TopStore = Pick<Store, "shardsOf" | "load" | "latest">;

/** Rejects with a Fault. */
export async function readTop(
  { store, now }: { readonly store: TopStore; readonly now: () => EpochMs },
  scope: TopScope,
  signal: AbortSignal,
): Promise<TopFleet> {
  const { clusters, namespace } = scope;
  const shards = (await Promise.all(clusters.map((cluster) => store.shardsOf(cluster, signal)))).flat();
  const ranges = clusters.flatMap((cluster): readonly ShardRange[] => {
    const own = shards.filter((shard) => shard.cluster === cluster);
    if (namespace !== undefined || own.length === 0)
      return rangesOf({
        resource: { name: "hpa" },
        clusters: [cluster],
        ...(namespace !== undefined && { namespace }),
      });
    return own.map(({ from, to }) => ({ cluster, from, to }));
  });
  const entries = new Map<string, ShardContents["cluster"]>();
  const found = await someAtATime(ranges, { limit: readsAtATime, signal }, async (range) => {
    const contents = await loadWithLatest(store, range, signal);
    entries.set(range.cluster, contents.cluster);
    const own = shards.filter((shard) => shard.cluster === range.cluster);
    const rows: FleetRow[] = [];
    for (let start = 0; start < contents.hpas.length; start += atATime) {
      const hpas = contents.hpas.slice(start, start + atATime);
      rows.push(...fleetRows({ ...contents, hpas }, own, now()));
      // For keys: a shard of 1,000 HPAs takes a third of a second.
      await nextTurn();
    }
    return rows;
  });
  const rows = found.flat().sort(byUrgency);
  const counts = new Map<HpaState, number>();
  for (const { state } of rows) counts.set(state, (counts.get(state) ?? 0) + 1);
  return {
    ...{ scope, rows, counts },
    clusters: [...entries.values()].map((entry) => fleetCluster(entry, shards, now())),
    readAt: now(),
  };
}

const urgency = new Map(hpaStateNames.map((state, index) => [state, index]));

function byUrgency(a: FleetRow, b: FleetRow): number {
  return (
    (urgency.get(a.state) ?? 0) - (urgency.get(b.state) ?? 0) ||
    compare(a.cluster, b.cluster) ||
    compare(a.namespace, b.namespace) ||
    compare(a.name, b.name)
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
