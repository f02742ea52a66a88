import type { HorizontalPodAutoscaler } from "../../../lib/k8s/hpa";
import { syncPeriodMs } from "../../../lib/model/entry/options";
import { ownPeriodSeconds } from "../../../lib/model/entry/sync-period";
import { type HpaKey, hpaKey, namespaceOf } from "../../../lib/model/hpa-key";
import type { WakeMessage } from "../../../lib/model/messages";
import { planOwnWakes } from "../../../lib/scheduler/plan-wakes";
import { requiredPermissionsOf } from "../../../lib/read/required-permissions";
import { externalSource } from "../../../lib/readings/read-sources";
import { someAtATime } from "../../../lib/async/semaphore";
import { connectionsFrom } from "../../shell/connect/connections";
import { checkEntries } from "../doctor/check-entries";
import type { Session } from "../../shell/session";
import type { Plan, PlannedCluster } from "./plan";
import { readsOf } from "./source-reads";

const clustersAtATime = 4;

/** Unusable entries cost nothing: they are not synced. */
export async function planOfTable(session: Session, syncMemory: number): Promise<Plan> {
  const { settings, store, signal, now } = session;
  const names = await session.clusters();
  const connections = await connectionsFrom(settings, now);
  try {
    const clusters = await someAtATime(names, { limit: clustersAtATime, signal }, async (cluster) => {
      const contents = await store.load({ cluster, from: "", to: null }, signal);
      if ("invalid" in contents.cluster) return [];
      const { spec } = contents.cluster.value;
      const { usable } = checkEntries(cluster, { ...contents, brokenStates: {} }, undefined);
      const known = {
        entries: new Map(contents.sources.map((source) => [source.key, source])),
        sources: connections.sources,
      };
      const periodSeconds = syncPeriodMs(spec.options) / 1000;
      const asked = usable.flatMap((hpa) => {
        const { sources } = requiredPermissionsOf([hpa], {
          locate: (metric) => externalSource(metric, known),
          mirrorsEvents: false,
        });
        const own = ownPeriodSeconds(hpa) ?? periodSeconds;
        return sources.map((source) => ({ ...source, periodSeconds: own }));
      });
      const ownPeriods = ownPeriodsOf(cluster, usable, periodSeconds);
      const planned: PlannedCluster = { hpas: usable.length, periodSeconds, reads: readsOf(asked), ...ownPeriods };
      return [planned];
    });
    return { syncMemory, clusters: clusters.flat() };
  } finally {
    connections.close();
  }
}

function ownPeriodsOf(
  cluster: string,
  hpas: readonly HorizontalPodAutoscaler[],
  periodSeconds: number,
): Pick<PlannedCluster, "ownPeriods"> {
  const own = hpas.flatMap((hpa) => {
    const seconds = ownPeriodSeconds(hpa);
    return seconds === undefined ? [] : [{ hpa, seconds }];
  });
  if (own.length === 0) return {};
  const resting = own.reduce((sum, { seconds }) => sum + Math.max(0, 1 - periodSeconds / seconds), 0);
  const shorter = own.filter(({ seconds }) => seconds < periodSeconds);
  const shorterPeriods = Object.fromEntries(shorter.map(({ hpa, seconds }) => [keyOf(hpa), seconds]));
  const minutes = Math.max(1, periodSeconds / 60);
  const planned = Array.from({ length: minutes }, (_, minute) =>
    planOwnWakes({ cluster, from: "", to: null, shorterPeriods }, periodSeconds * 1000, minute * 60_000, 0),
  ).flat();
  const inNamespace = (namespace: string) => hpas.filter((hpa) => namespaceOf(keyOf(hpa)) === namespace).length;
  const sizes = new Map(
    [...new Set(planned.map(({ message }) => message.namespace))].map((one) => [one, inNamespace(one)]),
  );
  const each = (count: (message: WakeMessage) => number) =>
    planned.reduce((sum, { message }) => sum + count(message), 0) / minutes;
  return {
    ownPeriods: {
      hpasPerSlot: hpas.length - resting,
      shorter: shorter.length,
      wakes: {
        messages: each(() => 1),
        hpas: each(({ names }) => names.length),
        loaded: each(({ namespace }) => sizes.get(namespace) ?? 0),
      },
    },
  };
}

function keyOf({ metadata: { namespace = "default", name } }: HorizontalPodAutoscaler): HpaKey {
  return hpaKey(namespace, name);
}
