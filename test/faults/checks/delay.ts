import type { Story } from "../stories/story";
import type { WorldClock } from "../world/clock";
import { isActive, type Ledger } from "./ledger";

export interface DelayDeps {
  readonly clock: WorldClock;
  readonly story: Story;
  readonly epoch: number;
  readonly ledgers: () => Iterable<Ledger>;
  readonly hasLooked: (slot: number, key: string) => boolean;
  readonly violated: (what: string) => void;
}

/** A new cluster's or repaired shard's slots come with the next tick but one. */
const settledMs = 150_000;

/** In a story in which only acts break things, every other HPA is looked at in each slot, or in the one after it. */
export function watchDelays({ clock, story, epoch, ledgers, hasLooked, violated }: DelayDeps) {
  const periodMs = story.setting.periodSeconds * 1_000;

  function check(slot: number): void {
    for (const ledger of ledgers()) {
      const { key, versions, isSpoiled, outUntil } = ledger;
      const last = versions.at(-1);
      const isSettled = last !== undefined && Math.max(last.from, ledger.bornAt, outUntil) < slot - settledMs;
      if ((last?.entry?.spec.syncPeriodSeconds ?? 0) > story.setting.periodSeconds) continue; // no such story is strict
      if (last?.entry === undefined || !isSettled || isSpoiled || !isActive(last.entry)) continue;
      if (hasLooked(slot, key) || hasLooked(slot + periodMs, key)) continue;
      violated(`delay: ${key} is looked at neither in slot ${slot} nor in the one after it`);
    }
  }

  return {
    begin(): void {
      if (story.setting.isStrict !== true) return;
      const first = Math.ceil((epoch + settledMs) / periodMs) * periodMs;
      for (let slot = first; slot + 2 * periodMs < epoch + story.endMs; slot += periodMs)
        clock.after(slot + 2 * periodMs - 1 - clock.now, undefined, () => check(slot));
    },
  };
}
