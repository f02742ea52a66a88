import type { Intent } from "../../../lib/model/stored/state";
import type { Books } from "./books";
import { isSame } from "./landing";
import { type Ledger, pushCapped, type UsableEntry } from "./ledger";

/** What users do, and what ebb can know of it. */
export function watchUsers({ clock, shardsBroken, ledgerOf, ledgersOf, stateOf, shardOf }: Books) {
  function openIntents(ledger: Ledger): readonly Intent[] {
    const { intent, earlier = [] } = stateOf(ledger) ?? {};
    return intent === undefined ? [] : [intent, ...earlier];
  }

  return {
    entryWritten(key: string, entry: UsableEntry | undefined) {
      const ledger = ledgerOf(key);
      const last = ledger.versions.at(-1);
      if (last !== undefined) last.to = clock.now;
      ledger.versions.push({ from: clock.now, to: Infinity, entry: entry && { ...entry } });
      if (ledger.versions.length > 100) ledger.versions.splice(0, 50);
      // A new HPA of the same name goes on with the state, or begins without: both are right.
      if (entry === undefined) ledger.bornAt = clock.now;
      // A dry run adopts the zeros of others that it would have made.
      if (entry === undefined || entry.annotations["ebb.dev/dry-run"] === "true") ledger.isZeroOurs = undefined;
    },
    /** The next sync takes it over, if it is still this one. */
    zeroAdopted(key: string) {
      ledgerOf(key).isZeroOurs = undefined;
    },
    /** From now on, an item or the cluster's answers say something else of this HPA. */
    corrupted(key: string) {
      const ledger = ledgerOf(key);
      const last = ledger.versions.at(-1);
      if (last !== undefined) last.to = clock.now;
      ledger.versions.push({ from: clock.now, to: Infinity, entry: undefined });
      ledger.isSpoiled = true;
      ledger.isCorrupt = true;
      ledger.bornAt = clock.now;
      ledger.isZeroOurs = undefined;
    },
    repaired(key: string, entry: UsableEntry | undefined) {
      const ledger = ledgerOf(key);
      const last = ledger.versions.at(-1);
      if (last !== undefined) last.to = clock.now;
      ledger.versions.push({ from: clock.now, to: Infinity, entry });
      ledger.isSpoiled = false;
      ledger.isCorrupt = false;
      ledger.bornAt = clock.now;
      ledger.repairedAt = clock.now;
      // The state knew the last run. Without it, only the shard does: no run of a slot that it has finished begins.
      ledger.lastRunAt = Math.min(ledger.lastRunAt, shardOf(key)?.slot ?? -Infinity);
      // What was on its way when an item was deleted may never be recorded.
      ledger.excusedUntil = clock.now + 30_000;
      ledger.isZeroOurs = undefined;
    },
    shardBroken: (cluster: string) => void shardsBroken.add(cluster),
    out(cluster: string, until: number) {
      for (const ledger of ledgersOf(cluster)) ledger.outUntil = Math.max(ledger.outUntil, until);
    },
    spoiled(key: string) {
      const ledger = ledgerOf(key);
      ledger.isSpoiled = true;
      ledger.bornAt = clock.now;
      ledger.isZeroOurs = undefined;
    },
    targetMade(key: string) {
      const ledger = ledgerOf(key);
      // What was written to the object before may never be recorded.
      ledger.excusedUntil = clock.now;
      const last = ledger.landings.at(-1);
      if (last !== undefined) last.isReplaced = true;
      // Whether a write that is still open has landed on the object before cannot be known any more.
      if (last !== undefined && last.by !== "hand" && isSame(last.by, openIntents(ledger)))
        ledger.isZeroOurs = undefined;
    },
    /** The table knows what it knew at an older moment, and the cluster has gone on. */
    tablePutBack(key: string) {
      const ledger = ledgerOf(key);
      ledger.bornAt = clock.now;
      ledger.excusedUntil = clock.now;
      const { conditions } = stateOf(ledger)?.status ?? {};
      const isKnown = conditions?.some(({ type, status }) => type === "ScaledToZero" && status === "True") === true;
      if (isKnown !== ledger.isZeroOurs) ledger.isZeroOurs = undefined;
    },
    /** At a zero that was ebb's, while its state knows a newer size: it looks like what a person wants. */
    zeroPutBack(key: string) {
      ledgerOf(key).isZeroOurs = undefined;
    },
    scaledByHand(key: string, from: number, to: number) {
      const ledger = ledgerOf(key);
      const last = ledger.landings.at(-1);
      // Set back to where an unreported wake of ours began: that we had woken it cannot be known.
      if (to === 0 && last?.by !== "hand" && last?.from === 0 && last.reportedAt === undefined)
        ledger.isZeroOurs = undefined;
      pushCapped(ledger.landings, { at: clock.now, from, to, by: "hand", reportedAt: undefined });
      const open = ledger.intentRecords.findLast(() => true);
      // A size that is announced looks like ebb's own, and then no other write can have landed before: 0003.
      const isAnnounced = openIntents(ledger).some((intent) => intent.to === to);
      if (isAnnounced && last !== undefined && last.by !== "hand" && last.reportedAt === undefined)
        last.isReplaced = true;
      if (to === 0 && (open?.to === 0 || isAnnounced)) ledger.isZeroOurs = undefined;
    },
  };
}
