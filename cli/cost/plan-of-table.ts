import { syncPeriodMs } from "../../lib/model/entry/options";
import { needsOf } from "../../lib/read/needs";
import { externalSource } from "../../lib/sync/observe/read-sources";
import { someAtATime } from "../../lib/async/some-at-a-time";
import { reachFrom } from "../connect/reach";
import { checkEntries } from "../doctor/check-entries";
import type { Session } from "../session";
import type { Plan, PlannedCluster } from "./plan";
import { readsOf } from "./source-reads";

const clustersAtATime = 4;

/** What the table's entries ask for now. Entries that cannot be used cost nothing: they are not synced. */
export async function planOfTable(session: Session, syncMemory: number): Promise<Plan> {
  const { settings, store, signal, now } = session;
  const names = await session.clusters();
  const reach = await reachFrom(settings, now);
  try {
    const clusters = await someAtATime(names, { limit: clustersAtATime, signal }, async (cluster) => {
      const contents = await store.load({ cluster, from: "", to: null }, signal);
      if ("invalid" in contents.cluster) return [];
      const { spec } = contents.cluster.value;
      const { usable } = checkEntries(cluster, { ...contents, brokenStates: {} }, undefined);
      const known = {
        entries: new Map(contents.sources.map((source) => [source.key, source])),
        sources: reach.sources,
      };
      const { sources } = needsOf(usable, { locate: (metric) => externalSource(metric, known), mirrorsEvents: false });
      const planned: PlannedCluster = {
        hpas: usable.length,
        periodSeconds: syncPeriodMs(spec.options) / 1000,
        reads: readsOf(sources),
      };
      return [planned];
    });
    return { syncMemory, clusters: clusters.flat() };
  } finally {
    reach.close();
  }
}
