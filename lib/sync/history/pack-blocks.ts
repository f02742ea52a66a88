import { type EpochMs, minuteMs } from "../../k8s/time";
import { fnv1a } from "../../model/fnv1a";
import { isFault } from "../../model/fault";
import type { HpaKey } from "../../model/hpa-key";
import type { Chain, HistoryWriter } from "../../model/ports/history";
import type { SlotMessage } from "../../model/messages";
import { type HistoryBlock, blockMs, blockOf, restMs } from "../../model/stored/history";
import type { HistoryRecord, Shard } from "../../model/stored/shard";
import { holdsKey } from "../../model/stored/last-observed";
import { pointsIn, saysSame } from "../../model/stored/history-points";
import type { SyncPorts } from "../ports";

/** A cluster's history is one partition, which takes 1,000 write units a second. */
const spreadMinutes = 30;
const triesEveryMinutes = 10;

export function isPackingMinute({ cluster, from }: Shard, slot: EpochMs): boolean {
  const minute = Math.floor((slot - blockOf(slot)) / minuteMs);
  const own = fnv1a(`${cluster}#${from}`) % spreadMinutes;
  return minute >= own && (minute - own) % triesEveryMinutes === 0;
}

interface Packing {
  readonly shard: Shard;
  readonly message: SlotMessage;
  readonly record: HistoryRecord;
}

/** Any run packs the same, so a block may be written twice. */
export async function packBlocks(
  { writer, reporter }: Pick<SyncPorts, "reporter"> & { readonly writer: HistoryWriter },
  { shard, message, record }: Packing,
  signal: AbortSignal,
): Promise<EpochMs> {
  const until = blockOf(message.slot);
  if (record.packed >= until) return record.packed;
  const isEmpty = record.last.every(({ slot }) => slot < record.packed);
  if (isEmpty) return until;
  const start = record.packed;
  try {
    const chain = await writer.chain(shard.cluster, record.last, start, signal);
    await writer.putBlocks(shard.cluster, blocksOf(chain, shard, { start, until: start + blockMs }), signal);
    const later = chain.minutes.find(({ slot }) => slot >= start + blockMs);
    return Math.min(until, later === undefined ? until : blockOf(later.gap ?? later.slot));
  } catch (error) {
    if (!isFault(error)) throw error;
    const { cluster } = shard;
    reporter.failed({ cluster, reason: "HistoryNotPacked", message: error.message, at: message.slot });
    return record.packed;
  }
}

/** Without HPAs that rested, except once a week. */
export function blocksOf(
  chain: Chain,
  shard: Shard,
  { start, until }: { readonly start: EpochMs; readonly until: EpochMs },
): readonly HistoryBlock[] {
  const keys = new Set([...chain.rosters.values()].flatMap((roster) => roster.keys));
  return [...keys].sort().flatMap((key: HpaKey) => {
    if (!holdsKey(shard, key)) return [];
    const all = pointsIn(chain, key);
    const points = all.filter(({ at }) => at >= start && at < until);
    if (points.length === 0) return [];
    const before = all.findLast(({ at }) => at < start);
    const isSame =
      before !== undefined && weekOf(before.at) === weekOf(start) && points.every((point) => saysSame(point, before));
    return isSame ? [] : [{ key, start, points }];
  });
}

function weekOf(at: EpochMs): number {
  return Math.floor(at / restMs);
}
