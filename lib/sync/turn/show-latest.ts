import type { EpochMs } from "../../k8s/time";
import { isFault } from "../../model/fault";
import type { HpaKey } from "../../model/hpa-key";
import type { Latest, LatestValues } from "../../model/latest";
import type { SlotMessage } from "../../model/messages";
import type { Shard } from "../../model/state";
import type { HpaResult, SyncContext, SyncPorts } from "../frame";

const minuteMs = 60_000;

/** A slot's outcome, before the slot is finished. */
interface Outcome {
  readonly shard: Shard;
  readonly results: readonly HpaResult[];
  readonly message: SlotMessage;
  readonly now: EpochMs;
  readonly context: SyncContext;
}

/**
 * Writes what the HPAs of a shard show beyond their states: one item, before the last one is more than a minute old.
 * While nothing shows more than its state, it writes nothing. A failure is reported, and the next slot tries again.
 *
 * @returns `latest` of the finished shard.
 */
export async function showLatest(
  { store, reporter }: Pick<SyncPorts, "store" | "reporter">,
  outcome: Outcome,
): Promise<EpochMs | undefined> {
  const { shard, message, now, context } = outcome;
  const { cluster, latest: writtenAt } = shard;
  const moved = movedIn(outcome.results);
  const isEmpty = moved.length === 0;
  if (isEmpty && writtenAt === undefined) return undefined;
  if (writtenAt !== undefined && message.until - writtenAt <= minuteMs) return writtenAt;
  try {
    const latest = { ...(await unreached(store, outcome)), ...Object.fromEntries(moved) };
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

/** HPAs that this slot did not reach show what they showed before. */
async function unreached(
  store: Pick<SyncPorts["store"], "latest">,
  { shard, results, context }: Outcome,
): Promise<Latest> {
  const keys = new Set(results.flatMap(({ key, recorded }) => (recorded ? [] : [key])));
  if (shard.latest === undefined || keys.size === 0) return {};
  const before = await store.latest(shard, context.signal);
  return Object.fromEntries(Object.entries(before).filter(([key]) => keys.has(key as HpaKey)));
}
