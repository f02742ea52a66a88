import { isPaused } from "../../model/entry/annotations";
import { laggingSince, holdsKey } from "../../model/stored/last-observed";
import type { Shard } from "../../model/stored/shard";
import type { ShardContents } from "../../model/ports/store";
import { asHpaKey, type HpaKey } from "../../model/hpa-key";
import type { Reporter } from "../../model/report";
import type { HpaEvent } from "../../model/situation";
import type { EpochMs } from "../../k8s/time";
import type { HpaResult, HpaTask } from "../hpa/hpa-result";
import type { SlotTasks } from "./slot-tasks";

/**
 * The alarm counts HPAs that have failed for `afterMs` to `untilMs`. docs/decisions/0073-an-alarm-for-failing-hpas.md
 */
export interface FailingLimits {
  readonly afterMs: number;
  /** Infinity: while they fail. */
  readonly untilMs: number;
}

export interface FailingHpa {
  readonly key: HpaKey;
  readonly since: EpochMs;
  readonly warning: HpaEvent;
}

export interface FailingHpas {
  readonly count: number;
  readonly fresh: readonly FailingHpa[];
}

interface Counting {
  readonly shard: Shard;
  readonly limits: FailingLimits;
  /** Failures are measured at this instant, so each begins to count in one slot. */
  readonly slot: EpochMs;
}

/** An unreadable state counts at once: no sync changes it. */
export function countFailing(
  {
    shard,
    limits,
    slot,
    now,
    brokenStates,
  }: Counting & Pick<ShardContents, "brokenStates"> & { readonly now: EpochMs },
  { tasks, resting }: Pick<SlotTasks, "tasks" | "resting">,
  results: readonly HpaResult[],
): FailingHpas {
  const resultOf = new Map(results.map((result) => [result.key, result]));
  const broken = Object.keys(brokenStates).filter((key) => holdsKey(shard, asHpaKey(key))).length;
  const counted = [...tasks, ...resting]
    .filter((task) => holdsKey(shard, task.key) && !isDeliberate(task, now))
    .flatMap((task) => failureOf(task, { result: resultOf.get(task.key), shard, now }))
    .filter(({ since }) => slot - since >= limits.afterMs && slot - since < limits.untilMs);
  return {
    count: counted.length + broken,
    fresh: counted.filter(({ since }) => shard.slot - since < limits.afterMs),
  };
}

export function reportLasting(
  reporter: Pick<Reporter, "failed">,
  failing: FailingHpas | undefined,
  { cluster, at }: { readonly cluster: string; readonly at: EpochMs },
): void {
  for (const { key, since, warning } of failing?.fresh ?? []) {
    const { reason, message } = warning;
    reporter.failed({ cluster, key, reason, message, failingSince: since, at });
  }
}

export function shownFailing(count = 0): Pick<Shard, "failing"> {
  return count === 0 ? {} : { failing: count };
}

/** The cluster's entry is invalid: no HPA was synced since the heartbeat. */
export function countUnsynced({ shard, limits, slot }: Counting, hpas: number): number {
  const failedMs = slot - shard.heartbeat;
  return failedMs >= limits.afterMs && failedMs < limits.untilMs ? hpas : 0;
}

function isDeliberate({ entry }: HpaTask, now: EpochMs): boolean {
  return "hpa" in entry && (isPaused(entry.operations, now) || entry.operations.dryRun);
}

function failureOf(
  { key, state }: HpaTask,
  { result, shard, now }: { readonly result: HpaResult | undefined; readonly shard: Shard; readonly now: EpochMs },
): readonly FailingHpa[] {
  const [kept] = state?.warnings ?? [];
  const known = kept === undefined ? undefined : state?.failingSince;
  // A resting HPA is as its last sync left it.
  if (result === undefined) return kept === undefined ? [] : [{ key, since: known ?? now, warning: kept }];
  const [found] = result.warnings;
  if (result.recorded) return found === undefined ? [] : [{ key, since: known ?? now, warning: found }];
  const warning = found ?? kept ?? notRecorded;
  return [{ key, since: Math.min(known ?? now, laggingSince(shard, key) ?? now), warning }];
}

const notRecorded: HpaEvent = {
  type: "Warning",
  reason: "NotRecorded",
  message: "no sync of it was recorded in the table",
};
