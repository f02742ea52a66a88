import type { Shard, State } from "../../../lib/model/state";
import type { Item } from "../world/memory-table";

/** What is wrong with a cluster's shards after one of them was written. */
export function judgeShards(shards: readonly Shard[], before: Item | undefined, after: Item | undefined) {
  const found: string[] = [];
  const slots = [before, after].map((item) => Number(item?.["slot"]?.N ?? 0));
  if (after !== undefined && slots[1]! < slots[0]!)
    found.push(`shard: the slot goes back from ${slots[0]} to ${slots[1]}`);
  const sorted = [...shards].sort((a, b) => (a.from < b.from ? -1 : 1));
  for (const [index, shard] of sorted.entries()) {
    const next = sorted[index + 1];
    if (next !== undefined && (shard.to === null || shard.to > next.from))
      found.push(`shard: "${shard.from}" to ${String(shard.to)} overlaps the one from "${next.from}"`);
  }
  return found;
}

/**
 * Whether a finished slot says nothing about an HPA that none of its runs looked at: a later turn wrote the state first
 * and has seen it at least as late as the heartbeat.
 */
export function isSeenLater({ slot, heartbeat }: Shard, state: State | undefined): boolean {
  if (state === undefined || state.slot <= slot) return false;
  return !state.open || (state.history?.recommendations.at(-1)?.at ?? 0) >= heartbeat;
}
