import type { BusyPod } from "../../readings/read-busy";

export interface CostChange {
  readonly pod: BusyPod;
  readonly cost: number | null;
}

type Wanted = (pod: BusyPod) => number | undefined;

const lowest = -(2 ** 31);
const highest = 2 ** 31 - 1;

/**
 * The fewest changes after which every idle pod costs less than every busy one, beside the costs of others:
 *
 *     busy, busy, idle × 8          the busy go up to 1
 *     busy × 8, idle, idle          the idle go down to -1
 *     busy, idle (50, a user's)     the busy go up to 51
 */
export function planCosts(pods: readonly BusyPod[]): readonly CostChange[] {
  const busy = pods.filter(({ isBusy }) => isBusy);
  const idle = pods.filter(({ isBusy }) => !isBusy);
  if (busy.length === 0 || idle.length === 0) return [];
  const highestIdle = greatest(idle.flatMap(foreignCost));
  const lowestBusy = least(busy.flatMap(foreignCost));
  const up = Math.min(Math.max(0, highestIdle) + 1, highest);
  const down = Math.max(Math.min(0, lowestBusy) - 1, lowest);
  const wanted: readonly Wanted[] = [
    ({ isBusy }) => (isBusy ? up : undefined),
    ({ isBusy }) => (isBusy ? undefined : down),
    ({ isBusy }) => (isBusy ? up : down),
  ];
  const plans = wanted.map((want) => ({ changes: changesTo(pods, want), isOrdered: isOrdered(busy, idle, want) }));
  const ordered = plans.filter((plan) => plan.isOrdered);
  const [best] = (ordered.length > 0 ? ordered : plans.slice(-1)).sort((a, b) => a.changes.length - b.changes.length);
  return best?.changes ?? [];
}

export function withoutOwnCosts<Pod extends Pick<BusyPod, "isOwnCost">>(pods: readonly Pod[]): readonly Pod[] {
  return pods.filter(({ isOwnCost }) => isOwnCost === true);
}

function changesTo(pods: readonly BusyPod[], want: Wanted): readonly CostChange[] {
  const own = pods.filter((pod) => !isForeign(pod) && pod.cost !== want(pod));
  return own.map((pod) => ({ pod, cost: want(pod) ?? null }));
}

function isOrdered(busy: readonly BusyPod[], idle: readonly BusyPod[], want: Wanted): boolean {
  const costAfter = (pod: BusyPod) => (isForeign(pod) ? pod.cost : want(pod)) ?? 0;
  return greatest(idle.map(costAfter)) < least(busy.map(costAfter));
}

function greatest(costs: readonly number[]): number {
  return costs.reduce((one, other) => Math.max(one, other), lowest);
}

function least(costs: readonly number[]): number {
  return costs.reduce((one, other) => Math.min(one, other), highest);
}

function isForeign({ cost, isOwnCost }: BusyPod): boolean {
  return cost !== undefined && isOwnCost !== true;
}

function foreignCost(pod: BusyPod): readonly number[] {
  return isForeign(pod) && pod.cost !== undefined ? [pod.cost] : [];
}
