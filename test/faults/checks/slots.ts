import type { HpaKey } from "../../../lib/model/hpa-key";
import { type PeriodClass, periodClass } from "../../../lib/model/stored/last-observed";
import { longestCachedMs } from "../../../lib/sync/slot/shard-cache";
import type { Shard } from "../../../lib/model/stored/shard";
import type { ItemWrite } from "../world/memory-table";
import type { Invocation } from "../world/wire";
import { type Books, dataOf } from "./books";
import { uncovered } from "./calm";
import { isActive, type Ledger, usableNow } from "./ledger";
import { judgeCounters } from "./counters";
import { isSeenLater, judgeMove, judgeShards, type Look, overlaps } from "./shards";
import type { Observations } from "./last-observed";

const getScale = "cluster getScale ";

/** Shards and their slots: they do not overlap, they only grow, and a slot counts only what was looked at. */
export function watchSlots(books: Books, { saw }: Observations, finished: (shard: Shard, by: Invocation) => void) {
  const { clock, setting, skewMs, ledgers, shards, shardsBroken, ledgerOf, ledgersOf, stateOf, violated } = books;
  /** An entry that somebody changed without a wake may be kept as it was: docs/protocol.md. */
  const keptMs = setting.keepsNothing === true ? 0 : longestCachedMs + setting.periodSeconds * 1_000;
  /** Scales that were asked for in a slot, by any run: "<slot> <key>". A failure counts as looking. */
  const readFor = new Set<string>();
  /** When the last run of a slot that asked for an HPA's scale began, by its clock. */
  const lookedAt = new Map<string, Look>();
  /** When a tick sent its last write of a shard. */
  const reshardedAt = new Map<Invocation, number>();
  /** The last such write of any tick that arrived, by cluster. */
  const lastReshaped = new Map<string, { readonly by: Invocation; readonly at: number }>();
  /** Shards that a tick made after another tick had given their range away, while the write was on its way: 0004. */
  const crossed = new Set<string>();

  function shardWritten({ sk, before, after }: ItemWrite, by: Invocation): void {
    const cluster = sk.slice(0, sk.indexOf("#"));
    const own = shards().filter((shard) => shard.cluster === cluster);
    if (shardsBroken.has(cluster)) {
      const isWhole = uncovered(own).length === 0 && judgeShards(own, undefined, undefined, skewMs).length === 0;
      const isRepaired = ledgersOf(cluster).every(({ isCorrupt }) => !isCorrupt);
      if (isWhole && isRepaired) shardsBroken.delete(cluster);
      return;
    }
    // Of what begins while a tick's write is on its way, the tick cannot know.
    const sentAt = reshardedAt.get(by) ?? clock.now;
    const last = lastReshaped.get(cluster);
    const isMade = by.fn === "tick" && before === undefined && after !== undefined;
    if (isMade && last !== undefined && last.by !== by && last.at >= sentAt) crossed.add(sk);
    if (by.fn === "tick") lastReshaped.set(cluster, { by, at: clock.now });
    const judged = own.filter(({ from }) => !crossed.has(`${cluster}#${from}`));
    for (const what of [...judgeShards(judged, before, after, skewMs), ...judgeCounters(before, after, by.fn)])
      violated(what);
    if (overlaps(own).length === 0) for (const { from } of own) crossed.delete(`${cluster}#${from}`);
    if (after === undefined) return;
    if (by.fn !== "sync") {
      const looks = [...lookedAt].filter(([key, { began }]) => ledgerOf(key).cluster === cluster && began <= sentAt);
      const seen = looks.map(([key, look]) => ({ key, ...look, own: ownPeriod(ledgerOf(key)) }));
      for (const what of judgeMove(seen, before, after, skewMs + by.process.lostMs)) violated(what);
      return;
    }
    const shard = dataOf(after) as unknown as Shard;
    if (Number(before?.["slot"]?.N ?? 0) >= shard.slot) return;
    finished(shard, by);
    for (const ledger of ledgers.values()) {
      const { key } = ledger;
      if (ledger.cluster !== cluster) continue;
      if (key < shard.from || (shard.to !== null && key >= shard.to) || Object.hasOwn(shard.behind, key)) continue;
      if (seenAtOf(ledger, shard) !== shard.heartbeat) continue; // this slot was none of its own
      const entry = usableNow(ledger);
      const isOld = ledger.versions.some(({ from, to }) => from < by.startedAt - keptMs && to > clock.now);
      // Nothing is read of a spoiled state: each of its members may be anything.
      const isSeen = ledger.isSpoiled || readFor.has(`${shard.slot} ${key}`) || isSeenLater(shard, stateOf(ledger));
      if (entry !== undefined && isOld && isActive(entry) && !isSeen)
        violated(`finish: slot ${shard.slot} counts ${key}, which nobody has looked at`);
      saw(ledger, by, shard.heartbeat);
    }
  }

  /** Of its state. undefined: it is due in every slot. */
  function ownPeriod(ledger: Ledger): PeriodClass | undefined {
    const state = ledger.isSpoiled ? undefined : stateOf(ledger);
    return periodClass(ledger.key as HpaKey, state?.syncPeriodSeconds, setting.periodSeconds * 1_000);
  }

  /** What the shard says of an HPA that is not lagging. */
  function seenAtOf(ledger: Ledger, { heartbeat, ownPeriods }: Shard): number {
    const own = ownPeriod(ledger);
    return own === undefined || ownPeriods?.heartbeat !== heartbeat ? heartbeat : (ownPeriods.seen[own] ?? heartbeat);
  }

  /** Targets have the names of their HPAs, and no two HPAs have the same. */
  function asked(by: Invocation, target: string): void {
    const key = [...ledgers.keys()].find((each) => each.endsWith(`/${target}`)) ?? "";
    for (const { slot } of by.bodies.map((body) => JSON.parse(body) as { slot?: number }))
      if (slot !== undefined) {
        readFor.add(`${slot} ${key}`);
        lookedAt.set(key, { slot, began: by.startedAt, at: Math.max(slot, by.startedAt + by.process.skewMs) });
      }
  }

  function called(by: Invocation, name: string): void {
    if (by.fn === "tick" && name.startsWith("table PutItem ")) reshardedAt.set(by, clock.now);
    if (name.startsWith(getScale)) asked(by, name.slice(getScale.length));
  }

  return { shardWritten, asked, called, hasLooked: (slot: number, key: string) => readFor.has(`${slot} ${key}`) };
}
