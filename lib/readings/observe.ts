import type { EpochMs } from "../k8s/time";
import type { HpaKey } from "../model/hpa-key";
import { isFault } from "../model/fault";
import type { ExternalMetricSource, HorizontalPodAutoscaler, MetricSpec } from "../k8s/hpa";
import type { MetricResponse, Scale } from "../k8s/objects";
import { needsPods } from "../core/gate";
import type { Situation } from "../model/situation";
import type { CachedReading } from "../model/stored/state";
import { type FoundSource, memoryOfFound } from "../model/metric/found-source";
import { rulesFor } from "./metric-rules";
import { readSource, requestKeys } from "./read-operands";
import { externalSource } from "./read-sources";
import type { OverlappingSelectors } from "./overlapping-selectors";
import { once } from "../async/shared";
import type { Cluster } from "../model/ports/cluster";
import type { PodReads } from "./read-pods";
import type { SourceReads, KnownSources } from "./read-sources";
import type { IdentifyQuery, WeighQuery } from "./list-queries";
import type { ReadingWatch } from "./reading-watch";
import type { Shares } from "./shares";

export interface Observation extends Pick<Situation, "pods" | "metrics" | "otherHpas" | "rules"> {
  readonly readings: Readonly<Record<string, CachedReading>>;
  /** The process stood still: a metric that failed may be readable. */
  readonly stoodStill?: true;
  /** In ms, one for each of spec.metrics. */
  readonly took?: readonly number[];
}

export interface ObserverDeps {
  readonly cluster: Cluster;
  readonly pods: PodReads;
  readonly sources: SourceReads;
  readonly known: KnownSources;
  readonly periodMs: number;
  readonly overlapping: OverlappingSelectors;
  readonly now: () => EpochMs;
  readonly shares: Shares;
  /** Absent: the process does not stand still. */
  readonly watch?: ReadingWatch;
  /** Metrics that are not read when it fires are unavailable. */
  readonly signal: AbortSignal;
}

/** Shares reads within the run. A failed read is `{error}`. */
export interface Observer {
  readonly observe: (key: HpaKey, hpa: HorizontalPodAutoscaler, scale: Scale) => Promise<Observation>;
  /** Reads sources before the scale is known. `observe` gets the readings. */
  readonly begin: (key: HpaKey, hpa: HorizontalPodAutoscaler) => void;
}

export function openObserver(deps: ObserverDeps): Observer {
  const external = once<MetricResponse>();
  const begun = new Map<MetricSpec, Promise<ReadMetric>>();

  async function observe(key: HpaKey, hpa: HorizontalPodAutoscaler, scale: Scale): Promise<Observation> {
    const metrics = hpa.spec.metrics ?? [];
    const rules = rulesFor(hpa, deps.known, deps.periodMs);
    const namespace = hpa.metadata.namespace ?? "";
    const selector = scale.status.selector ?? "";
    const mayShare = selector !== "" && deps.overlapping.mayShare(key, selector);
    const readings: Record<string, CachedReading> = {};
    const took: number[] = metrics.map(() => 0);
    let unheard: Pick<Observation, "stoodStill"> = {};
    const respond = async (metric: MetricSpec, index: number): Promise<MetricResponse> => {
      const metricRef = { key, index };
      const reading =
        begun.get(metric) ?? readInOrder(metricRef, (order) => read(metric, { namespace, selector }, order));
      const { response, cached, isUnheard, ms = 0 } = await reading;
      took[index] = ms;
      Object.assign(readings, cached);
      if (isUnheard) unheard = { stoodStill: true };
      return response;
    };

    const podsWanted = selector !== "" && (mayShare || metrics.some((metric) => needsPods(metric, scale)));
    const [pods, responses] = await Promise.all([
      podsWanted ? attempt(() => deps.pods.pods(namespace, selector)) : { items: [] },
      Promise.all(metrics.map(respond)),
    ]);
    if ("items" in pods) {
      const otherHpas = mayShare ? deps.overlapping.of(key, pods.items) : [];
      return { pods: pods.items, metrics: responses, otherHpas, readings, took, ...rules, ...unheard };
    }

    // Only metrics that need the pods are unknown.
    const from = `the pods of namespace ${namespace}`;
    const blinded = metrics.map((metric, i) =>
      needsPods(metric, scale) ? { error: pods.error, from } : responses[i]!,
    );
    return { pods: [], metrics: blinded, otherHpas: [], readings, took, ...rules, ...unheard };
  }

  function begin(key: HpaKey, hpa: HorizontalPodAutoscaler): void {
    for (const [index, metric] of (hpa.spec.metrics ?? []).entries()) {
      if (metric.type !== "External" || metric.external === undefined) continue;
      const { name } = metric.external.metric;
      if ("refused" in deps.shares.admissionOf(key, index)) continue;
      const found = externalSource(metric.external.metric, deps.known);
      if (found.kind !== "source") continue;
      const reading = readInOrder({ key, index }, (order) => readFound(found, name, order));
      reading.catch(() => undefined); // the caller of observe gets the error
      begun.set(metric, reading);
    }
  }

  function readInOrder(
    { key, index }: MetricOfHpa,
    read: (order: QueryOrder) => Promise<ReadMetric>,
  ): Promise<ReadMetric> {
    const query = deps.shares.admissionOf(key, index);
    if ("refused" in query) return Promise.resolve({ response: { error: query.refused, from: "ebb" } });
    const order = { priority: query.priority > 0 ? { priority: query.priority } : {}, requester: query.requester };
    return watched(() => timed(() => read(order)));
  }

  async function timed(read: () => Promise<ReadMetric>): Promise<ReadMetric> {
    const startedAt = deps.now();
    return { ...(await read()), ms: deps.now() - startedAt };
  }

  async function watched(read: () => Promise<ReadMetric>): Promise<ReadMetric> {
    if (deps.watch === undefined) return read();
    const { read: found, stoodStill } = await deps.watch.watch(read);
    return stoodStill && "error" in found.response ? { ...found, isUnheard: true } : found;
  }

  function read(metric: MetricSpec, target: ReadTarget, order: QueryOrder): Promise<ReadMetric> {
    if (metric.external !== undefined && metric.type === "External")
      return readExternal(metric.external, target, order);
    return readInCluster(metric, target, order).then((response) => ({ response }));
  }

  function readInCluster(metric: MetricSpec, target: ReadTarget, { priority }: QueryOrder): Promise<MetricResponse> {
    const { cluster, signal } = deps;
    const { namespace, selector } = target;
    if (metric.object !== undefined && metric.type === "Object") {
      const { metric: identifier, describedObject } = metric.object;
      return attempt(() =>
        cluster.objectMetric({ namespace, metric: identifier, describedObject, ...priority }, signal),
      );
    }
    if (selector === "") return Promise.resolve({ items: [] }); // the decision stops because the selector is missing
    if (metric.pods !== undefined && metric.type === "Pods") {
      const query = { namespace, metric: metric.pods.metric, selector, ...priority };
      return attempt(() => cluster.podsMetric(query, signal));
    }
    return attempt(() => deps.pods.podMetrics(namespace, selector));
  }

  async function readExternal(
    { metric }: ExternalMetricSource,
    { namespace }: ReadTarget,
    order: QueryOrder,
  ): Promise<ReadMetric> {
    const found = externalSource(metric, deps.known);
    if (found.kind === "invalid") return { response: { error: found.error, from: found.from } };
    if (found.kind === "cluster") {
      const query = { namespace, metric, ...order.priority };
      return {
        response: await external(JSON.stringify([namespace, metric]), () =>
          attempt(() => deps.cluster.externalMetric(query, deps.signal)),
        ),
      };
    }
    return readFound(found, metric.name, order);
  }

  async function readFound(
    found: FoundSource,
    metricName: string,
    { priority, requester }: QueryOrder,
  ): Promise<ReadMetric> {
    const { response, cached } = await readSource(deps.sources, found, { metricName, requester, ...priority });
    return { response: { from: found.source, ...response }, cached };
  }

  return { observe, begin };
}

interface ReadMetric {
  readonly response: MetricResponse;
  /** It failed while the process stood still. */
  readonly isUnheard?: true;
  readonly ms?: number;
  readonly cached?: Readonly<Record<string, CachedReading>>;
}

interface MetricOfHpa {
  readonly key: HpaKey;
  readonly index: number;
}

interface ReadTarget {
  readonly namespace: string;
  readonly selector: string;
}

interface QueryOrder {
  readonly priority: { readonly priority?: number };
  readonly requester: HpaKey;
}

/** Equal texts: one request answers both. */
export function identifyQuery(known: KnownSources): IdentifyQuery {
  return ({ external, object, pods }, { metadata }) => {
    const namespace = metadata.namespace ?? "";
    if (external === undefined) return [JSON.stringify([namespace, object ?? [metadata.name, pods]])];
    const found = externalSource(external.metric, known);
    if (found.kind !== "source") return [JSON.stringify([namespace, external.metric])];
    return requestKeys(found, external.metric.name);
  };
}

export function weighQuery(known: KnownSources): WeighQuery {
  return ({ type, external }) => {
    if (type !== "External" || external === undefined) return undefined;
    const found = externalSource(external.metric, known);
    return found.kind === "source" ? { of: found, bytes: memoryOfFound(found) } : undefined;
  };
}

async function attempt<T>(
  read: () => Promise<readonly T[]>,
): Promise<{ readonly items: readonly T[] } | { readonly error: string }> {
  try {
    return { items: await read() };
  } catch (error) {
    if (isFault(error)) return { error: error.message };
    throw error;
  }
}

/** HPAs of each namespace with metrics that read pods. Several share one list. */
export function countPodReaders(hpas: readonly HorizontalPodAutoscaler[]): ReadonlyMap<string, number> {
  const readers = new Map<string, number>();
  for (const { metadata, spec } of hpas) {
    const namespace = metadata.namespace ?? "";
    if ((spec.metrics ?? []).some(readsPods)) readers.set(namespace, (readers.get(namespace) ?? 0) + 1);
  }
  return readers;
}

/** core's `needsPods`, before the scale is known. */
function readsPods({ type, external, object }: MetricSpec): boolean {
  const target = external?.target ?? object?.target;
  return (type !== "External" && type !== "Object") || target?.averageValue === undefined;
}
