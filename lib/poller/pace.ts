import type { EpochMs } from "../k8s/time";
import { splitKey } from "../model/hpa-key";
import { maxMin, maxMinWhole, type Tree, treeOf } from "../model/max-min";
import type { PollerSpending } from "../model/stored/idle";
import type { PolledQuery } from "./polled-queries";
import { monthOf } from "./lease";

export const leastIntervalMs = 1_000;

/** In $. */
export interface PollerBudget {
  readonly perMonth: number;
  readonly perSecondRunning: number;
}

export type PacedQuery = Pick<PolledQuery, "id" | "keepMs" | "price"> & {
  readonly cluster: Pick<PolledQuery["cluster"], "name" | "periodMs">;
  readonly readers: readonly { readonly id: Pick<PolledQuery["readers"][number]["id"], "key"> }[];
};

export interface Pace {
  /** By query, in ms. */
  readonly intervals: ReadonlyMap<string, number>;
  readonly isSlowed: boolean;
}

/** Queries that are read less often are left to the slots. */
const slowestPart = 3 / 4;

/** A queue's reading costs 400,000. */
const unitsOfDollar = 1e12;

/**
 * So that the rest of the month's budget lasts:
 *
 *     $20 a month, of which the running costs $8.80: $11.20 for 28 million reads of queues, 10.8 a second
 *     10 queues     every second
 *     100 queues    every 9.3 s
 *     1,000 queues  121 of them every 11.2 s, each in its turn; the others are left to their slots
 *
 * With fair shares, 3 queues beside another team's 500 are read every second.
 */
export function paceOf(
  queries: readonly PacedQuery[],
  { perMonth, perSecondRunning }: PollerBudget,
  { now, spending, rotation }: { readonly now: EpochMs; readonly spending: PollerSpending; readonly rotation: number },
): Pace {
  const perSecond = Math.max(0, perMonth - spending.spent) / secondsLeft(now);
  const forReads = perSecond - perSecondRunning;
  if (forReads < 0) return { intervals: new Map(), isSlowed: true };
  const total = Math.floor(forReads * unitsOfDollar);
  const fastest = queries.map(({ keepMs }) => Math.max(leastIntervalMs, keepMs));
  const demands = queries.map(({ price }, index) => unitsFor(price, fastest[index]));
  if (sumOf(demands) <= total)
    return { intervals: new Map(queries.map(({ id }, index) => [id, fastest[index] ?? 0])), isSlowed: false };

  const slowest = queries.map(({ cluster }, index) => Math.max(fastest[index] ?? 0, slowestPart * cluster.periodMs));
  const least = queries.map(({ price }, index) => unitsFor(price, slowest[index]));
  const tree = treeOfPayers(queries, demands, total);
  const fair = maxMin(total, { tree, demands }, rotation).map((share, index) =>
    share >= (least[index] ?? 0) ? share : 0,
  );
  const others = least.map((units, index) => ((fair[index] ?? 0) > 0 || units === 0 ? 0 : units));
  const isTaken = maxMinWhole(total - sumOf(fair), { tree, demands: others }, rotation);
  const isRead = fair.map((share, index) => share > 0 || isTaken[index] === true);
  const used = fair.map((share, index) => share + (isTaken[index] ? (others[index] ?? 0) : 0));
  const more = demands.map((units, index) => (isRead[index] ? units - (used[index] ?? 0) : 0));
  const extra = maxMin(total - sumOf(used), { tree, demands: more }, rotation);
  const intervals = queries.flatMap(({ id }, index): [string, number][] => {
    const [demand = 0, share = 0] = [demands[index], (used[index] ?? 0) + (extra[index] ?? 0)];
    return isRead[index] ? [[id, (fastest[index] ?? 0) * (demand === 0 ? 1 : demand / share)]] : [];
  });
  return { intervals: new Map(intervals), isSlowed: true };
}

function unitsFor(price: number, intervalMs = leastIntervalMs): number {
  return Math.ceil((price * unitsOfDollar * 1_000) / intervalMs);
}

/** The HPA with the largest share pays: nobody slows down a query by using it too. */
function treeOfPayers(queries: readonly PacedQuery[], demands: readonly number[], total: number): Tree {
  const readings = queries.flatMap(({ id, cluster, readers }, query) =>
    readers.map((reader, index) => ({
      query,
      path: [cluster.name, ...splitKey(reader.id.key), `${index} ${id}`],
    })),
  );
  const tree = treeOf(readings.map(({ path }) => path));
  const shares = maxMin(total, { tree, demands: readings.map(({ query }) => demands[query] ?? 0) }, 0);
  const payers = new Map<number, { readonly path: readonly string[]; readonly share: number }>();
  for (const [index, { query, path }] of readings.entries()) {
    const share = shares[index] ?? 0;
    if (share > (payers.get(query)?.share ?? -1)) payers.set(query, { path, share });
  }
  return treeOf(queries.map(({ id }, query) => payers.get(query)?.path ?? ["", "", "", id]));
}

function sumOf(all: readonly number[]): number {
  return all.reduce((sum, one) => sum + one, 0);
}

/** Until the month ends, at least a minute: the rest may be spent on the last evening. */
function secondsLeft(now: EpochMs): number {
  const at = new Date(now);
  const end = Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1);
  return Math.max(60, (end - now) / 1000);
}

/** In $. */
export interface PollerPrices {
  readonly perSecond: number;
  /** An item of at most 4 KB. */
  readonly tableRead: number;
}

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
