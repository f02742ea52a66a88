import { isDeepStrictEqual } from "node:util";
import { type EpochMs, minuteMs } from "../../k8s/time";
import { isFault } from "../../model/fault";
import type { HpaKey } from "../../model/hpa-key";
import type { Latest, LatestValues } from "../../model/stored/latest";
import type { SlotMessage } from "../../model/messages";
import type { Store } from "../../model/ports/store";
import type { Shard, ShardRange } from "../../model/stored/shard";
import { type SlotTasks, lastSync } from "./slot-tasks";
import type { HpaResult } from "../hpa/hpa-result";
import type { SyncRun } from "../hpa/sync-run";
import type { SyncContext, SyncPorts } from "../ports";
import {
  isClassDue,
  laggingSince,
  classLastObservedAt,
  holdsKey,
  lastObservedAt,
} from "../../model/stored/last-observed";

interface SlotOutcome {
  readonly shard: Shard;
  readonly results: readonly HpaResult[];
  readonly slotTasks: Pick<SlotTasks, "tasks" | "resting">;
  readonly message: SlotMessage;
  readonly now: EpochMs;
  readonly context: SyncContext;
}

/**
 * Writes at least once a minute while an HPA shows more than its state.
 *
 * @returns `latest` of the finished shard
 */
export async function writeLatestValues(
  { store, reporter }: Pick<SyncPorts, "store" | "reporter">,
  outcome: SlotOutcome,
): Promise<EpochMs | undefined> {
  const { shard, message, now, context } = outcome;
  const { cluster, latest: writtenAt } = shard;
  const moved = movedIn(outcome.results);
  if (moved.length === 0 && writtenAt === undefined) return undefined;
  const isYoung = writtenAt !== undefined && message.until - writtenAt <= minuteMs;
  const rare = rareOf(outcome);
  if (isYoung && !moved.some(([key]) => rare.has(key))) return writtenAt;
  try {
    const before = await shownBefore(store, outcome);
    const latest = { ...unseen(before, outcome), ...Object.fromEntries(moved) };
    if (before === undefined || !isDeepStrictEqual(before, latest))
      await store.putLatest(shard, latest, context.signal);
    return Object.keys(latest).length === 0 ? undefined : message.slot;
  } catch (error) {
    if (!isFault(error)) throw error;
    reporter.failed({ cluster, reason: "LatestNotWritten", message: error.message, at: now });
    return writtenAt;
  }
}

function movedIn(results: readonly HpaResult[]): readonly (readonly [HpaKey, LatestValues])[] {
  return results.flatMap(({ key, latest }) => (latest === undefined ? [] : [[key, latest] as const]));
}

/** HPAs that are not due in the next slot: their values are written now or lost. */
function rareOf({ slotTasks }: SlotOutcome): ReadonlySet<HpaKey> {
  return new Set(slotTasks.tasks.flatMap(({ key, periodClass }) => (periodClass === undefined ? [] : [key])));
}

/** Undefined: nothing shown before counts. */
async function shownBefore(
  store: Pick<SyncPorts["store"], "latest">,
  { shard, results, slotTasks, context }: SlotOutcome,
): Promise<Latest | undefined> {
  const isComplete = slotTasks.resting.length === 0 && results.every(({ recorded }) => recorded);
  return shard.latest === undefined || isComplete ? undefined : store.latest(shard, context.signal);
}

/** HPAs that were not synced show what they showed before. */
function unseen(before: Latest = {}, { results, slotTasks }: SlotOutcome): Latest {
  const missed = results.filter(({ recorded }) => !recorded);
  const keys = new Set([...missed, ...slotTasks.resting].map(({ key }) => key));
  return Object.fromEntries(Object.entries(before).filter(([key]) => keys.has(key as HpaKey)));
}

type ObservedInSlot = Pick<Shard, "slot" | "heartbeat" | "behind" | "ownPeriods" | "shorterPeriods">;

/** @param shard the current one: an older slot may have been finished since the load */
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

/** Reads the values at the first call. */
export function readLatest(
  store: Pick<Store, "latest">,
  range: () => ShardRange,
  signal: AbortSignal,
): SyncRun["records"]["shown"] {
  let read: Promise<Latest> | undefined;
  return async (key) => {
    read ??= store.latest(range(), signal).catch((error: unknown) => {
      if (isFault(error)) return {};
      throw error;
    });
    const latest = await read;
    return Object.hasOwn(latest, key) ? latest[key] : undefined;
  };
}
