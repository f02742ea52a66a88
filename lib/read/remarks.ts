import { keyNamed } from "../model/hpa-key";
import type { HorizontalPodAutoscaler } from "../k8s/hpa";
import type { EpochMs } from "../k8s/time";
import { isPaused, readOperations } from "../model/entry/annotations";
import { busyRuleOf, ignoresCosts } from "../model/entry/busy-rule";
import { laggingSince } from "../model/stored/last-observed";
import type { State } from "../model/stored/state";
import { type HpaFacts, lastSyncOf } from "./hpa-facts";
import { shardHealth } from "./shard-health";

export type Remark =
  | { readonly kind: "overdue"; readonly lastSynced: EpochMs; readonly failure?: string }
  | { readonly kind: "shardFails"; readonly lastSynced: EpochMs; readonly failure: string }
  | { readonly kind: "behind"; readonly lastSynced: EpochMs }
  | { readonly kind: "dryRun" }
  | { readonly kind: "entryChanged" }
  /** `ebb.dev/busy` may not choose which pods go. */
  | { readonly kind: "ignoresCosts"; readonly because: string };

export function remarksOf(facts: HpaFacts, now: EpochMs): readonly Remark[] {
  const { entry, state } = facts;
  if (state === undefined) return [];
  const late = delayOf(facts, now);
  const delays = late === undefined ? [] : [late];
  if (!("hpa" in entry)) return delays;
  return [
    ...delays,
    ...(isInDryRun(entry.hpa, now) ? [{ kind: "dryRun" } as const] : []),
    ...(hasChanged(entry.hpa, state) ? [{ kind: "entryChanged" } as const] : []),
    ...ignoredCosts(entry.hpa),
  ];
}

function ignoredCosts(hpa: HorizontalPodAutoscaler): readonly Remark[] {
  const ignored = busyRuleOf(hpa) && ignoresCosts(hpa);
  return ignored === undefined ? [] : [{ kind: "ignoresCosts", because: ignored.because }];
}

function delayOf(facts: HpaFacts, now: EpochMs): Remark | undefined {
  const { shard, cluster, namespace, name } = facts;
  const lastSynced = lastSyncOf(facts);
  if (shard === undefined || lastSynced === undefined) return undefined;
  const health = shardHealth(shard, cluster, now);
  if (health.kind === "late")
    return { kind: "overdue", lastSynced, ...(health.failure === undefined ? {} : { failure: health.failure }) };
  if (health.kind === "fails") return { kind: "shardFails", lastSynced, failure: health.failure };
  return laggingSince(shard, keyNamed(namespace, name)) === undefined ? undefined : { kind: "behind", lastSynced };
}

function isInDryRun({ metadata }: HorizontalPodAutoscaler, now: EpochMs): boolean {
  const operations = readOperations(metadata);
  return !("errors" in operations) && !isPaused(operations, now) && operations.dryRun;
}

/** A decision without the scale keeps observedGeneration. */
export function hasChanged(
  { metadata: { generation } }: HorizontalPodAutoscaler,
  { status, decision }: State,
): boolean {
  const decided = decision?.generation ?? status.observedGeneration ?? 0;
  return generation !== undefined && decided > 0 && generation !== decided;
}
