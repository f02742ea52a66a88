import { withinTime } from "../async/within-time";
import type { MetricResponse, Scale } from "../k8s/objects";
import { type EpochMs, minuteMs } from "../k8s/time";
import type { Clusters } from "../model/ports/cluster";
import type { MetricSources } from "../model/ports/sources";
import { readSource } from "../readings/read-operands";
import { shareSources, type SourceReads } from "../readings/read-sources";
import { fnv1a, spread } from "../model/fnv1a";
import { leastIntervalMs, type Pace } from "./pace";
import {
  type Reader,
  zeroText,
  type PolledCluster,
  type ZeroId,
  type PolledQuery,
  cacheWindowOf,
} from "./polled-queries";
import type { HorizontalPodAutoscaler } from "../k8s/hpa";
import type { MetricRules } from "../model/metric/metric-rules";
import type { Options } from "../model/situation";
import { recommend } from "../core/recommend/recommend";
import { tolerancesOf } from "../core/replica-math";
import { applyRules } from "../core/rules/apply-rules";
import { hpaNamespace } from "../core/select-pods";

export interface PollPorts {
  readonly clusters: Clusters;
  readonly sources: MetricSources;
}

export interface PollEvents {
  readonly now: () => EpochMs;
  /** A reading takes these from zero, or is the second in a row that may. */
  readonly found: (ids: readonly ZeroId[]) => void;
  /** Not called when the invocation's end cut off the reading. */
  readonly noted: (query: PolledQuery, response: MetricResponse) => void;
}

const longestPollMs = 20_000;

/** Each query has one request at a time: a server that hangs holds up nobody. */
export function openPoll({ clusters, sources }: PollPorts, { now, found, noted }: PollEvents, startedAt: EpochMs) {
  const underWay = new Set<string>();
  const lastWindows = new Map<string, EpochMs | undefined>();
  /** By query: HPAs that the last reading may have taken from zero. */
  const possible = new Map<string, ReadonlySet<string>>();

  /** By slowed query: when the last reading was due. */
  const lastTurns = new Map<string, EpochMs>();

  function isDue(query: PolledQuery, intervalMs: number, at: EpochMs): boolean {
    if (underWay.has(query.id) || (query.keepMs > 0 && !isNewWindow(query, at))) return false;
    return intervalMs <= Math.max(leastIntervalMs, query.keepMs) || isItsTurn(query, intervalMs, at);
  }

  /** The poller before read what was due when this one began. */
  function isNewWindow(query: PolledQuery, at: EpochMs): boolean {
    const window = cacheWindowOf(query, at);
    const last = lastWindows.has(query.id) ? lastWindows.get(query.id) : cacheWindowOf(query, startedAt);
    lastWindows.set(query.id, window);
    return window !== undefined && window !== last;
  }

  function isItsTurn({ id }: PolledQuery, intervalMs: number, at: EpochMs): boolean {
    const last = lastTurns.get(id) ?? startedAt - phaseOf(id, startedAt) * intervalMs;
    const isDue = at >= last + intervalMs;
    lastTurns.set(id, isDue ? Math.max(last, at - 2 * intervalMs) + intervalMs : last);
    return isDue;
  }

  function workFor({ idle, index }: Reader, { cluster }: PolledQuery, response: MetricResponse) {
    try {
      const { hpa, rules } = idle;
      return findWork({ hpa, rules, options: cluster.options }, { index, response }, now());
    } catch {
      // Its slots report a broken HPA.
      return "none";
    }
  }

  function judge(query: PolledQuery, response: MetricResponse): void {
    const before = possible.get(query.id);
    const judged = query.readers.map((reader) => ({ reader, work: workFor(reader, query, response) }));
    const working = judged.filter(
      ({ reader, work }) => work === "certain" || (work === "possible" && before?.has(zeroText(reader.id)) === true),
    );
    const maybe = judged.filter(({ work }) => work === "possible").map(({ reader }) => zeroText(reader.id));
    if (maybe.length === 0) possible.delete(query.id);
    else possible.set(query.id, new Set(maybe));
    if (working.length > 0) found(working.map(({ reader }) => reader.id));
  }

  async function readOne(reads: SourceReads, query: PolledQuery, signal: AbortSignal): Promise<void> {
    underWay.add(query.id);
    try {
      const { found: source, metricName, readers } = query;
      const requester = readers[0]?.id.key;
      const { response } = await readSource(reads, source, { metricName, ...(requester && { requester }) });
      if (!signal.aborted) noted(query, response);
      judge(query, { from: source.source, ...response });
    } finally {
      underWay.delete(query.id);
    }
  }

  return {
    due: (queries: readonly PolledQuery[], { intervals }: Pick<Pace, "intervals">, at: EpochMs) =>
      queries.filter((query) => {
        const intervalMs = intervals.get(query.id);
        return intervalMs !== undefined && isDue(query, intervalMs, at);
      }),

    /** Resolves when all are answered, or the signal fired. */
    async read(queries: readonly PolledQuery[], at: EpochMs, signal: AbortSignal): Promise<void> {
      await withinTime(longestPollMs, signal, async (limit) => {
        const ofClusters = groupByCluster(queries);
        const polls = [...ofClusters].map(([cluster, ofCluster]) => {
          const access = { name: cluster.name, api: () => clusters.connect(cluster.entry, limit) };
          const reads = shareSources(sources, {}, { slot: at, now: at, signal: limit, cluster: access });
          return ofCluster.map((query) => readOne(reads, query, signal));
        });
        await Promise.all(polls.flat());
      });
    },
  };
}

function groupByCluster(queries: readonly PolledQuery[]): ReadonlyMap<PolledCluster, readonly PolledQuery[]> {
  const groups = new Map<PolledCluster, PolledQuery[]>();
  for (const query of queries) {
    const known = groups.get(query.cluster);
    if (known === undefined) groups.set(query.cluster, [query]);
    else known.push(query);
  }
  return groups;
}

/**
 * The part of its interval that a query has waited when a poller begins: one that is read every ten minutes is read by
 * one in ten pollers.
 */
function phaseOf(id: string, startedAt: EpochMs): number {
  return (spread(fnv1a(id)) / 2 ** 32 + Math.floor(startedAt / minuteMs) * ((Math.sqrt(5) - 1) / 2)) % 1;
}

interface AtZero {
  readonly hpa: HorizontalPodAutoscaler;
  /** One for each metric. */
  readonly rules: readonly MetricRules[];
  readonly options: Options;
}

const zero: Scale = { metadata: { name: "" }, spec: { replicas: 0 }, status: { replicas: 0 } };

/** `possible`: the count may be wrong. */
export type FoundWork = "none" | "possible" | "certain";

/**
 * Judges as the next sync would. Unknown readings and fallbacks are no work; slots (`confirm`, `confirmWake`) do not
 * count here.
 */
export function findWork(
  { hpa, rules, options }: AtZero,
  read: { readonly index: number; readonly response: MetricResponse },
  now: EpochMs,
): FoundWork {
  const metric = hpa.spec.metrics?.[read.index];
  if (metric === undefined) return "none";
  const { activation, confirm = 1 } = rules[read.index] ?? {};
  const tolerances = tolerancesOf(hpa.spec.behavior, options);
  const observed = { namespace: hpaNamespace(hpa), scale: zero, pods: [], tolerances, options, now };
  const alone = { ...hpa, spec: { ...hpa.spec, metrics: [metric] } };
  const metrics = [read.response];
  const situation = { hpa: alone, scale: zero, pods: [], metrics, history: null, options, otherHpas: [] };
  const { recommendations } = applyRules(
    { ...situation, rules: [{ ...(activation !== undefined && { activation }), confirm }] },
    [recommend(metric, read.response, observed)],
    { current: 0, now },
  );
  const [found] = recommendations;
  if (found?.kind !== "proposal") return "none";
  if (found.replicas > 0) return "certain";
  return found.ruled?.steps.some(({ stage }) => stage === "confirmWake") === true ? "possible" : "none";
}
