import type { EpochMs } from "../../k8s/time";
import type { WatchSpending } from "../../model/stored/idle";

/** No round begins sooner after the last one. */
export const leastIntervalMs = 1_000;

/** What a deployment may spend on watching, and what running the watcher costs. In $. */
export interface WatchBudget {
  readonly perMonth: number;
  readonly perSecondRunning: number;
}

/** What is read in each round: of a cluster, with its price in $. */
export interface PacedCluster {
  readonly cluster: string;
  readonly periodMs: number;
  readonly price: number;
}

export interface Pace {
  readonly intervalMs: number;
  /** Those whose slots do not come as often anyway. None: watching makes no sense now. */
  readonly clusters: ReadonlySet<string>;
}

/**
 * How often to read, so that the rest of the month's budget lasts: every second, if it does.
 *
 *     $20 a month, of which the running costs $8.80: $11.20 for 28 million reads of queues
 *     10 queues    28 million / 10 = 2.8 million rounds, more than the month has seconds: every second
 *     100 queues   280,000 rounds: every 9.4 s
 *
 * A cluster whose slots come as often as that is left to them, and the others share what is left.
 */
export function paceOf(
  clusters: readonly PacedCluster[],
  { perMonth, perSecondRunning }: WatchBudget,
  { now, spending }: { readonly now: EpochMs; readonly spending: WatchSpending },
): Pace {
  const perSecond = Math.max(0, perMonth - spending.spent) / secondsLeft(now);
  const forReads = perSecond - perSecondRunning;
  // The cluster with the shortest period gains least, so it goes first.
  let left = clusters.toSorted((a, b) => b.periodMs - a.periodMs);
  while (left.length > 0 && forReads >= 0) {
    const price = left.reduce((sum, one) => sum + one.price, 0);
    const intervalMs = price === 0 ? leastIntervalMs : Math.max(leastIntervalMs, (price / forReads) * 1000);
    const shortest = left.at(-1)?.periodMs ?? 0;
    if (intervalMs < shortest) return { intervalMs, clusters: new Set(left.map(({ cluster }) => cluster)) };
    left = left.slice(0, -1);
  }
  return { intervalMs: Infinity, clusters: new Set() };
}

/** Of the month (UTC), at least a minute: what is left on its last evening may be spent at once. */
function secondsLeft(now: EpochMs): number {
  const at = new Date(now);
  const end = Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1);
  return Math.max(60, (end - now) / 1000);
}
