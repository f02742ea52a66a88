import type { HorizontalPodAutoscaler } from "../../../lib/k8s/hpa";
import { syncPeriodMs, ownPeriodSeconds } from "../../../lib/model/entry/options";
import { type HpaKey, hpaKey, namespaceOf } from "../../../lib/model/hpa-key";
import type { WakeMessage } from "../../../lib/model/messages";
import { planOwnWakes } from "../../../lib/scheduler/plan-wakes";
import { requiredPermissionsOf } from "../../../lib/read/required-permissions";
import { externalSource } from "../../../lib/readings/read-sources";
import { someAtATime } from "../../../lib/async/semaphore";
import { connectionsFrom } from "../../shell/connect/connections";
import { checkEntries } from "../doctor/check-entries";
import type { Session } from "../../shell/session";
import { type Plan, type PlannedCluster, type PlannedRead, plannedReads } from "./plan";
import { descriptionOf, descriptions } from "../../../lib/sources/descriptions";
import { failure } from "../../shell/failure";

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
      const planned: PlannedCluster = { hpas: usable.length, periodSeconds, reads: plannedReads(asked), ...ownPeriods };
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

export interface PlanOptions {
  readonly hpas?: string;
  readonly clusters?: string;
  readonly period?: string;
  readonly sources?: readonly string[];
  readonly watched?: string;
}

const bounds = { hpas: [1, 10_000_000], clusters: [1, 100_000], period: [1, 3_600] } as const;

export function plannedBy({ hpas, clusters, period, sources, watched }: PlanOptions, syncMemory: number): Plan {
  const count = numberOfFlag("--clusters", clusters ?? "1", ...bounds.clusters);
  const total = numberOfFlag("--hpas", hpas ?? "100", ...bounds.hpas);
  const periodSeconds = numberOfFlag("--period", period ?? "15", ...bounds.period);
  const queries = sources === undefined ? { sqs: total } : queriesOf(sources);
  const share = (of: number, index: number) => Math.floor(of / count) + (index < of % count ? 1 : 0);
  return {
    syncMemory,
    ...(watched === undefined ? {} : { watched: numberOfFlag("--watched", watched, 0, bounds.hpas[1]) }),
    clusters: Array.from({ length: count }, (_, index) => ({
      hpas: share(total, index),
      periodSeconds,
      reads: Object.entries(queries).flatMap(([kind, of]) => readsOfExamples(kind, share(of, index), periodSeconds)),
    })),
  };
}

function readsOfExamples(kind: string, count: number, periodSeconds: number): readonly PlannedRead[] {
  const parameters = descriptionOf(kind)?.example ?? {};
  const ofOne = plannedReads([{ source: kind, metricName: kind, parameters, periodSeconds }]);
  return count === 0 ? [] : ofOne.map((read) => ({ ...read, count: read.count * count }));
}

/** `sqs=1000`, or several separated by commas. @throws Failure */
function queriesOf(given: readonly string[]): Readonly<Record<string, number>> {
  const pairs = given
    .flatMap((text) => text.split(","))
    .map((text): readonly [string, number] => {
      const [kind = "", count, ...more] = text.split("=");
      if (count === undefined || more.length > 0)
        throw failure(`--sources: expected KIND=NUMBER, such as sqs=1000, got ${JSON.stringify(text)}`);
      if (!Object.hasOwn(descriptions, kind))
        throw failure(
          `--sources: expected a kind among ${Object.keys(descriptions).join(", ")}, got ${JSON.stringify(kind)}`,
        );
      return [kind, numberOfFlag(`--sources ${kind}`, count, 0, bounds.hpas[1])];
    });
  return Object.fromEntries(pairs);
}

/** @throws Failure */
export function numberOfFlag(flag: string, text: string, least: number, most: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw failure(`${flag}: expected a whole number from ${least} to ${most}, got ${JSON.stringify(text)}`);
}
