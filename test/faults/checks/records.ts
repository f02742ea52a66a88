import type { ScaledLine } from "../../../lib/model/report";
import type { Item } from "../world/memory-table";
import type { Invocation } from "../world/wire";
import { type Books, dataOf } from "./books";
import { isSame } from "./landing";
import { isJudged, type Ledger, pushCapped } from "./ledger";

interface Scaling {
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/** Decisions and reports: nothing is recorded that did not happen. */
export function watchRecords({ ledgerOf, violated }: Books) {
  function decisionWritten(sk: string, item: Item, recorder: Invocation): void {
    const key = sk.slice(0, sk.lastIndexOf("#"));
    const { scaleTo, at, from } = dataOf(item) as { scaleTo: number | null; at: number; from: number };
    if (scaleTo === null) return;
    const ledger = ledgerOf(key);
    pushCapped(ledger.decisions, { at, from, to: scaleTo });
    if (isJudged(ledger, at) && !happened(ledger, { at, from, to: scaleTo }, recorder))
      violated(`recorded: a decision of ${key} says ${from} → ${scaleTo}, which did not happen`);
  }

  function happened(ledger: Ledger, scaling: Scaling, recorder?: Invocation): boolean {
    const { at, from, to } = scaling;
    const announced = ledger.intentRecords.filter((each) => each.decidedAt === at && each.to === to);
    return ledger.landings.some((landing) => {
      if (landing.to !== to) return false;
      const announcer = announced.find(({ by }) => landing.at >= by.startedAt);
      // Somebody who sets exactly the announced size is taken for the announced write.
      if (landing.by === "hand") return announcer !== undefined;
      // So is a later run, by one that had read the announcement before.
      const isLaters = recorder !== undefined && recorder !== landing.by.by && recorder.startedAt < landing.at;
      return (isLaters && announcer !== undefined) || (landing.from === from && isSame(landing.by, announced));
    });
  }

  function scaledLine({ namespace, name, at, from, to }: ScaledLine): void {
    const key = `${namespace}/${name}`;
    pushCapped(ledgerOf(key).lines, { at, to });
    if (isJudged(ledgerOf(key), at) && !happened(ledgerOf(key), { at, from, to }))
      violated(`reported: ${key} ${from} → ${to}, which did not happen`);
  }

  return { decisionWritten, scaledLine };
}
