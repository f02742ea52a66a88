import { isTrue } from "../../core/conditions";
import { minReplicas } from "../../core/gate";
import type { HorizontalPodAutoscaler, HpaStatus } from "../../k8s/hpa";
import type { EpochMs } from "../../k8s/time";
import { isPaused } from "../../model/entry/annotations";
import type { Idle, IdleHpa } from "../../model/stored/idle";
import { rulesFor } from "../observe/metric-rules";
import { externalSource, type KnownSources } from "../observe/read-sources";
import type { HpaResult, HpaTask, ReadEntry } from "../frame";
import type { WatchSettings } from "./watch-settings";

export interface IdleSearch {
  readonly settings: WatchSettings;
  readonly known: KnownSources;
  /** Of the cluster's slots. */
  readonly periodMs: number;
  readonly now: EpochMs;
}

/** Which HPAs of a turn are at zero after it, and are to be watched: in key order, so that equal sets are equal. */
export function idleAfter(tasks: readonly HpaTask[], results: readonly HpaResult[], search: IdleSearch): Idle {
  const statuses = new Map(results.map(({ key, status }) => [key, status]));
  const idle = tasks.flatMap(({ key, entry, state }) => {
    const hpa = idleHpa(entry, statuses.get(key) ?? state?.status, search);
    return hpa === undefined ? [] : [[key, hpa] as const];
  });
  return Object.fromEntries(idle.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function idleHpa(
  entry: ReadEntry,
  status: HpaStatus | undefined,
  { settings, known, periodMs, now }: IdleSearch,
): IdleHpa | undefined {
  if ("errors" in entry || status === undefined || !isAtZero(status)) return undefined;
  const { hpa, operations } = entry;
  const { wake = settings.byDefault ? "fast" : "slot", dryRun } = operations;
  // Raising minReplicas ends a zero without any metric, and a dry run never ends it.
  if (wake !== "fast" || dryRun || isPaused(operations, now) || minReplicas(hpa) !== 0) return undefined;
  const { rules = [] } = rulesFor(hpa, known, periodMs);
  const watched = (hpa.spec.metrics ?? []).flatMap((metric, index) => {
    if (metric.type !== "External" || metric.external === undefined) return [];
    const found = externalSource(metric.external.metric, known);
    return found.kind === "source" ? [{ metric, found, rules: rules[index] ?? {} }] : [];
  });
  if (watched.length === 0) return undefined;
  const { lastScaleTime: since } = status;
  return {
    hpa: reduced(
      hpa,
      watched.map(({ metric }) => metric),
    ),
    sources: watched.map(({ found }) => found),
    rules: watched.map(({ rules }) => rules),
    ...(since === undefined ? {} : { since }),
  };
}

/** What weighing these metrics at zero needs. */
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

/** By ebb's own doing. The size that was seen may be from before the scaling, so the one that is wanted counts. */
export function isAtZero({ desiredReplicas = 0, conditions }: HpaStatus): boolean {
  return desiredReplicas === 0 && isTrue(conditions, "ScaledToZero");
}
