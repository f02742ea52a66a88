import { someAtATime } from "../async/semaphore";
import { type Selector, matches } from "../k8s/selector";
import { type EpochMs, formatSeconds } from "../k8s/time";
import { type HpaKey, splitKey } from "../model/hpa-key";
import type { RecordedEvent } from "../model/stored/event-log";
import { clusterIn, sourceIn } from "../table/items/resource-items";
import { findHpas, rangesOf, readsAtATime } from "./find-hpas";
import {
  type FindContext,
  type Findings,
  type Found,
  type ResourceName,
  type Scope,
  createdAt,
  labelsOf,
} from "./found";
import { loadWithLatest } from "./hpa-facts";
import { type ObservedReading, byUrgency, readersOf, sourceReadings } from "./source-readings";

export interface Listing extends Findings {
  readonly scope: Scope;
  readonly missing: readonly string[];
}

const finders: Readonly<Record<ResourceName, (context: FindContext, scope: Scope) => Promise<Findings>>> = {
  clusters: findClusters,
  hpa: findHpas,
  sources: findSources,
  events: findEvents,
};

export async function findObjects(context: FindContext, scope: Scope, selector?: Selector): Promise<Listing> {
  const { found, problems } = await finders[scope.resource.name](context, scope);
  if (scope.names !== undefined) return { scope, problems, ...byName(found, scope.names) };
  const selected = selector === undefined ? found : found.filter(({ labels }) => matches(selector, labels));
  return { scope, problems, found: selected, missing: [] };
}

function byName(all: readonly Found[], names: readonly string[]): Pick<Listing, "found" | "missing"> {
  const named = names.map((name) => all.filter((one) => one.name === name));
  return { found: named.flat(), missing: names.filter((_, index) => named[index]?.length === 0) };
}

async function findClusters({ entries, signal, now }: FindContext, scope: Scope): Promise<Findings> {
  const wanted = scope.clusters.filter((cluster) => scope.names?.includes(cluster) ?? true);
  const found = await someAtATime(
    wanted,
    { limit: readsAtATime, signal },
    async (cluster): Promise<readonly Found[]> => {
      const [[entry], hpas] = await Promise.all([
        entries.list("Cluster", { cluster }, signal),
        entries.list("HorizontalPodAutoscaler", { cluster }, signal),
      ]);
      if (entry === undefined) return [];
      const { document } = entry;
      const details = {
        type: "clusters",
        entry: clusterIn(entry),
        hpas: hpas.length,
        ...creation(document),
      } as const;
      const seen = { object: document, compared: { document, hpas: hpas.length }, readAt: now() };
      return [{ cluster, name: cluster, labels: labelsOf(document), ...seen, ...details }];
    },
  );
  return { found: found.flat(), problems: [] };
}

async function findSources({ store, entries, signal, now }: FindContext, scope: Scope): Promise<Findings> {
  const lists = await Promise.all(scope.clusters.map((cluster) => entries.list("MetricSource", { cluster }, signal)));
  const clusters = new Map(scope.clusters.map((cluster, index) => [cluster, lists[index] ?? []]));
  const wanted = [...clusters].filter(([, sources]) => sources.length > 0);
  const found = await someAtATime(wanted, { limit: readsAtATime, signal }, async ([cluster, sources]) => {
    const [contents, shards] = await Promise.all([
      loadWithLatest(store, { cluster, from: "", to: null }, signal),
      store.shardsOf(cluster, signal),
    ]);
    const readAt = now();
    const read = sourceReadings({ contents, shards, now: readAt });
    return sources.map((stored): Found => {
      const { ref, document } = stored;
      const { name } = ref;
      const inOrder = read.get(name) ?? [];
      const readings = byUrgency(inOrder);
      const details = { type: "sources", entry: sourceIn(stored), readings, ...creation(document) } as const;
      const object = { ...document, status: sourceStatus(readings) };
      const compared = { document, readings: inOrder.map(({ readAt: _, ...reading }) => reading) };
      return { cluster, name, labels: labelsOf(document), object, compared, readAt, ...details };
    });
  });
  return { found: found.flat(), problems: [] };
}

function sourceStatus(readings: readonly ObservedReading[]): object {
  const shown = readings.map(({ readAt, ...reading }) => ({
    ...reading,
    ...(readAt !== undefined && { readAt: formatSeconds(readAt) }),
  }));
  return { hpas: readersOf(readings), readings: shown };
}

function creation(document: object): { readonly created?: string } {
  const created = createdAt(document);
  return created === undefined ? {} : { created };
}

/** Events of the last hour, the latest last. The scope's names do not filter them. */
async function findEvents({ store, signal, now }: FindContext, scope: Scope): Promise<Findings> {
  const { names: _, ...all } = scope;
  const parts = await Promise.all(
    rangesOf(all).map(async (range) => {
      const hpas = await store.events(range, signal);
      return hpas.map(({ key, events, broken }) => ({
        events: events.map((event) => foundEvent(range.cluster, key, event, now())),
        problems: broken === undefined ? [] : [`the events of ${key}: ${broken}`],
      }));
    }),
  );
  const hpas = parts.flat();
  const events = hpas.flatMap((one) => one.events).sort((a, b) => a.event.lastTimestamp - b.event.lastTimestamp);
  return { found: events, problems: hpas.flatMap(({ problems }) => problems) };
}

function foundEvent(cluster: string, key: HpaKey, event: RecordedEvent, readAt: EpochMs) {
  const [namespace, hpa] = splitKey(key);
  const object = coreEvent(namespace, hpa, event);
  return {
    type: "events",
    cluster,
    namespace,
    name: event.name,
    labels: {},
    object,
    readAt,
    event,
    hpa,
  } satisfies Found;
}

function coreEvent(namespace: string, hpa: string, event: RecordedEvent): object {
  const { name, type, reason, message, count } = event;
  const time = (at: number) => new Date(Math.floor(at / 1000) * 1000).toISOString().replace(".000Z", "Z");
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name, namespace, creationTimestamp: time(event.firstTimestamp) },
    involvedObject: { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", namespace, name: hpa },
    type,
    reason,
    message,
    count,
    firstTimestamp: time(event.firstTimestamp),
    lastTimestamp: time(event.lastTimestamp),
    source: { component: "horizontal-pod-autoscaler" },
    reportingComponent: "horizontal-pod-autoscaler",
    reportingInstance: "",
  };
}
