import { isAtZero } from "../../core/conditions";
import { minReplicas } from "../../core/gate";
import type { HorizontalPodAutoscaler, HpaStatus } from "../../k8s/hpa";
import type { EpochMs } from "../../k8s/time";
import { isPaused } from "../../model/entry/annotations";
import { limits } from "../../model/entry/limits";
import { type HpaKey, splitKey } from "../../model/hpa-key";
import { maxMinWhole, treeOf } from "../../model/max-min";
import { bytesOfFound } from "../../model/metric/found-source";
import { sizeOf } from "../../model/size";
import type { Idle, IdleHpa } from "../../model/stored/idle";
import { rulesFor } from "../../readings/metric-rules";
import { externalSource, type KnownSources } from "../../readings/read-sources";
import type { HpaResult, HpaTask } from "../hpa/hpa-result";
import type { ReadEntry } from "../hpa/read-entry";

export interface PollerSettings {
  /** Applies without the annotation `ebb.dev/wake`. */
  readonly byDefault: boolean;
}

export interface IdleSearch {
  readonly settings: PollerSettings;
  readonly known: KnownSources;
  readonly periodMs: number;
  readonly now: EpochMs;
}

const most = { metrics: limits.queriesPerRun, bytes: 4 * 1024 * 1024 } as const;
/** Each change is a write and a report. */
const rotatesAfterMs = 60 * 60_000;

export interface IdleHpas {
  readonly idle: Idle;
  /** HPAs that are too large to poll: only their slots wake them. */
  readonly unpolled: readonly HpaKey[];
}

/** In key order, so that equal sets are equal. */
export function idleAfter(tasks: readonly HpaTask[], results: readonly HpaResult[], search: IdleSearch): IdleHpas {
  const statuses = new Map(results.map(({ key, status }) => [key, status]));
  const wanted = tasks.flatMap(({ key, entry, state }): Candidate[] => {
    const status = statuses.get(key) ?? state?.status;
    const hpa = pollable(entry, status, search);
    const metrics = (hpa?.spec.metrics ?? []).filter(({ type }) => type === "External").length;
    return hpa === undefined || metrics === 0 ? [] : [{ key, hpa, since: status?.lastScaleTime, metrics }];
  });
  const round = Math.floor(search.now / rotatesAfterMs);
  const few = inShares(wanted, { total: most.metrics, round, of: ({ metrics }) => metrics });
  const found = few.inside.flatMap((candidate) => {
    const idle = idleHpa(candidate, search);
    return idle === undefined ? [] : [{ key: candidate.key, idle, bytes: bytesOf(idle) }];
  });
  const small = inShares(found, { total: most.bytes, round, of: ({ bytes }) => bytes });
  const idle = small.inside.map(({ key, idle }) => [key, idle] as const);
  return {
    idle: Object.fromEntries(idle.sort(([a], [b]) => (a < b ? -1 : 1))),
    unpolled: [...few.beyond, ...small.beyond].map(({ key }) => key).sort(),
  };
}

interface Bound<T> {
  readonly total: number;
  readonly round: number;
  readonly of: (one: T) => number;
}

function inShares<T extends { readonly key: HpaKey }>(all: readonly T[], { total, round, of }: Bound<T>) {
  const tree = treeOf(all.map(({ key }) => splitKey(key)));
  const taken = maxMinWhole(total, { tree, demands: all.map(of) }, round);
  return { inside: all.filter((_, index) => taken[index]), beyond: all.filter((_, index) => !taken[index]) };
}

interface Candidate {
  readonly key: HpaKey;
  readonly hpa: HorizontalPodAutoscaler;
  readonly since: string | undefined;
  readonly metrics: number;
}

function pollable(
  entry: ReadEntry,
  status: HpaStatus | undefined,
  { settings, now }: IdleSearch,
): HorizontalPodAutoscaler | undefined {
  if ("errors" in entry || status === undefined || !isAtZero(status)) return undefined;
  const { hpa, operations } = entry;
  const { wake = settings.byDefault ? "fast" : "slot", dryRun } = operations;
  // Raising minReplicas ends a zero without any metric, and a dry run never ends it.
  return wake !== "fast" || dryRun || isPaused(operations, now) || minReplicas(hpa) !== 0 ? undefined : hpa;
}

function idleHpa({ hpa, since }: Candidate, { known, periodMs }: IdleSearch): IdleHpa | undefined {
  const { rules = [] } = rulesFor(hpa, known, periodMs);
  const polled = (hpa.spec.metrics ?? []).flatMap((metric, index) => {
    if (metric.type !== "External" || metric.external === undefined) return [];
    const found = externalSource(metric.external.metric, known);
    return found.kind === "source" ? [{ metric, found, rules: rules[index] ?? {} }] : [];
  });
  if (polled.length === 0) return undefined;
  return {
    hpa: reduced(
      hpa,
      polled.map(({ metric }) => metric),
    ),
    sources: polled.map(({ found }) => found),
    rules: polled.map(({ rules }) => rules),
    ...(since === undefined ? {} : { since }),
  };
}

function bytesOf({ hpa, sources, rules }: IdleHpa): number {
  return sizeOf(hpa) + sizeOf(rules) + sources.reduce((sum, found) => sum + bytesOfFound(found), 0);
}

function reduced(
  { apiVersion, kind, metadata, spec }: HorizontalPodAutoscaler,
  metrics: NonNullable<HorizontalPodAutoscaler["spec"]["metrics"]>,
): HorizontalPodAutoscaler {
  const { namespace = "default", name } = metadata;
  const { scaleTargetRef, maxReplicas } = spec;
  return {
    ...{ apiVersion, kind, metadata: { namespace, name } },
    spec: { scaleTargetRef, minReplicas: 0, maxReplicas, metrics },
  };
}
