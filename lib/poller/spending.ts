import type { EpochMs } from "../k8s/time";
import type { PollerSpending } from "../model/stored/idle";
import { monthOf } from "./lease";

/** In $. */
export interface PollerPrices {
  readonly perSecond: number;
  /** An item of at most 4 KB. */
  readonly tableRead: number;
}

/** Spending that is not in the lease item yet. */
export function openSpending({ perSecond }: PollerPrices, startedAt: EpochMs, now: () => EpochMs) {
  let spent = 0;
  let runningSince = startedAt;
  let isSlowed = false;

  return {
    add(dollars: number): void {
      spent += dollars;
    },
    slow(): void {
      isSlowed = true;
    },
    unsaved(): PollerSpending {
      const at = now();
      spent += (Math.max(0, at - runningSince) / 1000) * perSecond;
      runningSince = at;
      return { month: monthOf(at), spent, ...(isSlowed ? { slowed: true } : {}) };
    },
    saved(part: PollerSpending): void {
      spent -= part.spent;
    },
  };
}

export type Spending = ReturnType<typeof openSpending>;
