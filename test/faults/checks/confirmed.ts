import { confirmedIn, sumOfStates, unsettledIn } from "../../../lib/sync/slot/confirmed";
import { holdsKey } from "../../../lib/model/stored/last-observed";
import { asHpaKey } from "../../../lib/model/hpa-key";
import type { Shard } from "../../../lib/model/stored/shard";
import type { State } from "../../../lib/model/stored/state";
import { longestCachedMs } from "../../../lib/sync/slot/shard-cache";
import type { Story } from "../stories/story";
import type { Invocation } from "../world/wire";
import type { Books } from "./books";

/** A sync that finishes a slot knows the states of its shard as the table has them, whatever it keeps. */
export function watchConfirmed({ clock, setting, ledgersOf, stateOf, violated }: Books, story: Story, epoch: number) {
  /** When somebody last changed a state of the cluster by hand. */
  const changedByHand = new Map<string, number>();
  // A paused or killed run may write late, for as long as that nobody reads it: docs/protocol.md.
  const calmMs = longestCachedMs + 2 * setting.periodSeconds * 1_000;
  const isOdd = ({ kind }: Story["incidents"][number]) => /^(?:freeze|kill|late)/.test(kind);

  function isTroubled(cluster: string): boolean {
    const nowMs = clock.now - epoch;
    const isNear = (atMs: number) => atMs <= nowMs && nowMs < atMs + calmMs;
    return (
      isNear((changedByHand.get(cluster) ?? -Infinity) - epoch) ||
      story.incidents.some(
        (each) =>
          isOdd(each) &&
          (each.on === undefined
            ? isNear(each.atMs + (each.ms ?? 0))
            : isNear(Math.max(each.atMs, Math.min(nowMs, story.faultsEndMs)))),
      )
    );
  }

  return {
    byHand: (cluster: string) => void changedByHand.set(cluster, clock.now),

    /** A sync has finished a slot. */
    finished(shard: Shard, by: Invocation): void {
      const confirmed = confirmedIn(shard);
      // Of several runs in one invocation, the last ones may have written already.
      if (confirmed === undefined || by.bodies.length > 1) return;
      // A wake of an older version says nothing.
      if (setting.firstVersion !== undefined || isTroubled(shard.cluster)) return;
      // The ledgers know no crowd.
      if (story.crowd !== undefined) return;
      const own = ledgersOf(shard.cluster).filter(({ key }) => holdsKey(shard, asHpaKey(key)));
      if (own.some(({ isCorrupt, isSpoiled }) => isCorrupt || isSpoiled)) return;
      const states = own.flatMap((ledger): [string, State][] => {
        const state = stateOf(ledger);
        return state === undefined ? [] : [[ledger.key, state]];
      });
      // Another run of the slot, or a wake, may have written since.
      if (states.some(([, { slot, wake }]) => slot >= shard.slot || (wake !== undefined && wake.at >= shard.slot)))
        return;
      const known = sumOfStates(Object.fromEntries(states), shard, unsettledIn(confirmed.unsettled));
      if (known !== confirmed.states)
        violated(`confirmed: slot ${shard.slot} confirms versions of states that the table does not have`);
    },
  };
}
