import type { Shard } from "../../../lib/model/stored/shard";
import type { State } from "../../../lib/model/stored/state";
import { fromItem } from "../../../lib/table/items/attributes";
import type { Item } from "../world/memory-table";
import { isClassDue, type PeriodClass } from "../../../lib/model/stored/last-observed";
import { versionBefore } from "../../../lib/model/stored/version";

/** What is wrong with a cluster's shards after one of them was written. */
export function judgeShards(
  shards: readonly Shard[],
  before: Item | undefined,
  after: Item | undefined,
  skewMs: number,
): readonly string[] {
  const found: string[] = [];
  const heartbeats = [before, after].map((item) => Number(item?.["heartbeat"]?.N ?? 0));
  if (after !== undefined && heartbeats[1]! < heartbeats[0]! - skewMs)
    found.push(`shard: the heartbeat goes back from ${heartbeats[0]} to ${heartbeats[1]}`);
  const slots = [before, after].map((item) => Number(item?.["slot"]?.N ?? 0));
  if (after !== undefined && slots[1]! < slots[0]!)
    found.push(`shard: the slot goes back from ${slots[0]} to ${slots[1]}`);
  return [...found, ...overlaps(shards)];
}

export function overlaps(shards: readonly Shard[]): readonly string[] {
  const sorted = [...shards].sort((a, b) => (a.from < b.from ? -1 : 1));
  return sorted.flatMap((shard, index) => {
    const next = sorted[index + 1];
    return next !== undefined && (shard.to === null || shard.to > next.from)
      ? [`shard: "${shard.from}" to ${String(shard.to)} overlaps the one from "${next.from}"`]
      : [];
  });
}

/**
 * Whether a finished slot says nothing about an HPA that none of its runs looked at: a later turn wrote the state first
 * and has seen it at least as late as the heartbeat.
 */
export function isSeenLater({ slot, heartbeat }: Shard, state: State | undefined): boolean {
  if (state === undefined || state.slot <= slot) return false;
  return !state.open || (state.history?.recommendations?.at(-1)?.at ?? 0) >= heartbeat;
}

/** A run of a slot asked for an HPA's scale. */
export interface Look {
  /** By the world's clock. */
  readonly began: number;
  /** By its own. */
  readonly at: number;
  readonly slot: number;
}

interface SeenHpa extends Look {
  readonly key: string;
  /** undefined: it is due in every slot. */
  readonly own: PeriodClass | undefined;
}

/**
 * A run that is under way when a shard is made or widened can finish no slot, and may have seen its HPAs. So the shard
 * must not say that they were last seen before that.
 */
export function judgeMove(
  looks: readonly SeenHpa[],
  before: Item | undefined,
  after: Item,
  skewMs: number,
): readonly string[] {
  const [old, shard] = [before, after].map((item) => item && (fromItem(item) as unknown as Shard));
  const isPutBack = old === undefined && shard !== undefined && versionBefore(shard.version) !== "nothing";
  if (shard === undefined || isPutBack) return [];
  if (old !== undefined && (old.to === null || old.to === shard.to || (shard.to !== null && shard.to < old.to)))
    return [];
  return looks.flatMap(({ key, own, at, slot }) => {
    if (key < shard.from || (shard.to !== null && key >= shard.to)) return [];
    // In a slot that is none of its own, an HPA may be looked at, and is not counted as seen.
    if (own !== undefined && !isClassDue(own, { after: Math.min(shard.slot, slot - 1), until: slot })) return [];
    const { heartbeat, ownPeriods } = shard;
    const seen = own === undefined || ownPeriods?.heartbeat !== heartbeat ? undefined : ownPeriods.seen[own];
    return (seen ?? heartbeat) < at - skewMs
      ? [`shard: ${key} moves to "${shard.from}", which says ${seen ?? heartbeat}, but a run looked at ${at}`]
      : [];
  });
}
