import type { EpochMs } from "../../k8s/time";
import type { HpaKey } from "../../model/hpa-key";
import type { SlotMessage } from "../../model/messages";
import { isClassDue } from "../../model/stored/own-period";
import { laggingSince, classLastObservedAt, holdsKey, lastObservedAt } from "../../model/stored/last-observed";
import type { Shard } from "../../model/stored/state";
import type { HpaResult } from "../hpa/hpa-result";
import { lastSync, type SlotTasks } from "./slot-tasks";

export type ObservedInSlot = Pick<Shard, "slot" | "heartbeat" | "behind" | "ownPeriods" | "shorterPeriods">;

/**
 * @param shard the current one: an older slot may have been finished since the load
 * @param now when the run began
 */
export function observedInSlot(
  shard: Shard,
  { message, now }: { readonly message: SlotMessage; readonly now: EpochMs },
  { results, ...slot }: SlotTasks & { readonly results: readonly HpaResult[] },
): ObservedInSlot {
  const heartbeat = now;
  const names = slot.classes.flatMap(({ key, periodClass }) => (holdsKey(shard, key) ? [periodClass] : []));
  const due = { after: lastSync(shard, message), until: message.slot };
  const seen = [...new Set(names)].map((name) => [
    name,
    isClassDue(name, due) ? now : classLastObservedAt(shard, name),
  ]);
  const shorter = slot.shorter.filter(({ key }) => holdsKey(shard, key));
  return {
    slot: message.slot,
    heartbeat,
    behind: laggingHpas(shard, results, slot),
    ...(shorter.length > 0 && {
      shorterPeriods: Object.fromEntries(shorter.map(({ key, seconds }) => [key, seconds])),
    }),
    ...(seen.length > 0 && { ownPeriods: { heartbeat, seen: Object.fromEntries(seen) as Record<string, EpochMs> } }),
  };
}

/** A longer key belongs to an invalid entry, which has no open span. */
const longestKey = 63 + 1 + 253;

/** HPAs whose outcome is not in the table. */
function laggingHpas(
  shard: Shard,
  results: readonly HpaResult[],
  { tasks, resting }: SlotTasks,
): Readonly<Record<HpaKey, EpochMs>> {
  const isOurs = ({ key }: { readonly key: HpaKey }) => holdsKey(shard, key) && key.length <= longestKey;
  const classes = new Map(tasks.map(({ key, periodClass }) => [key, periodClass]));
  const missed = results.filter((result) => !result.recorded && isOurs(result));
  // A slot that was finished meanwhile did not reach these.
  const stillLagging = resting.filter((hpa) => isOurs(hpa) && laggingSince(shard, hpa.key) !== undefined);
  return Object.fromEntries([
    ...missed.map(({ key }) => [key, lastObservedAt(shard, { key, periodClass: classes.get(key) })] as const),
    ...stillLagging.map((hpa) => [hpa.key, lastObservedAt(shard, hpa)] as const),
  ]);
}
