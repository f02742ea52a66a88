import { isPaused, readOperations } from "../../lib/model/annotations";
import type { HorizontalPodAutoscaler } from "../../lib/k8s/hpa";
import type { State } from "../../lib/model/state";
import { periodOf } from "./halt";
import { isLate } from "./late";
import { lastSyncOf, type Standing } from "./standing";
import type { Times } from "./times";

/** What a person has to know besides the decision: that it is old, not settled, or not carried out. */
export function remarksOf(standing: Standing, times: Times): readonly string[] {
  const { entry, state } = standing;
  if (state === undefined) return [];
  const operated = "hpa" in entry ? operations(entry.hpa, times, standing) : [];
  const isNewer = "hpa" in entry && hasChanged(entry.hpa, state);
  return [
    ...delays(standing, times),
    ...operated,
    ...(isNewer ? ["the entry has changed since this was decided; the next sync goes by it"] : []),
  ];
}

function delays(standing: Standing, times: Times): readonly string[] {
  const { shard, namespace, name } = standing;
  const lastSynced = lastSyncOf(standing);
  if (shard === undefined || lastSynced === undefined) return [];
  const seen = times.near(lastSynced);
  if (isLate(shard, periodOf(standing), times.now)) {
    return [
      `overdue: last synced at ${seen}${shard.failure === undefined ? "; see ebb status" : `: ${shard.failure}`}`,
    ];
  }
  if (shard.failure !== undefined) return [`its shard is not synced: ${shard.failure}; last synced at ${seen}`];
  return Object.hasOwn(shard.behind, `${namespace}/${name}`)
    ? [`behind: the last slots ended before it was reached; last synced at ${seen}, it goes first in the next`]
    : [];
}

function operations(
  { metadata }: HorizontalPodAutoscaler,
  { now }: Times,
  { name, namespace }: Standing,
): readonly string[] {
  const asked = readOperations(metadata);
  if ("errors" in asked || isPaused(asked, now) || !asked.dryRun) return [];
  return [`dry run: decided and recorded, never scaled (ebb dry-run hpa ${name} off -n ${namespace} ends it)`];
}

function hasChanged({ metadata }: HorizontalPodAutoscaler, { status }: State): boolean {
  const { generation } = metadata;
  return (
    generation !== undefined && status.observedGeneration !== undefined && generation !== status.observedGeneration
  );
}
