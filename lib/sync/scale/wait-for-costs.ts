import type { EpochMs } from "../../k8s/time";
import type { DeletionCosts } from "../../model/stored/state";
import type { BusyPod } from "../../readings/read-busy";
import { type CostChange, planCosts, withoutOwnCosts } from "./plan-costs";

export const patchMs = 5_000;
/** An API server ends a request after a minute (--request-timeout). */
const landsMs = patchMs + 60_000;
/** docs/decisions/0102-costs-before-the-size.md */
const seenMs = 10_000;
const mostMs = 60_000;

export interface CostWait {
  readonly changes: readonly CostChange[];
  readonly costs: DeletionCosts | undefined;
  readonly seenAt?: EpochMs;
  readonly isOverdue: boolean;
}

export function waitForCosts(
  { pods, selector }: { readonly pods: readonly BusyPod[]; readonly selector: string },
  before: DeletionCosts | undefined,
  now: EpochMs,
): CostWait {
  if (isElsewhere(before, selector)) return { changes: [], costs: before, isOverdue: false, seenAt: now + seenMs };
  const changes = planCosts(pods);
  if (changes.length === 0 && withoutOwnCosts(pods).length === 0) return { changes, costs: before, isOverdue: false };
  const since = Math.min(before?.since ?? now, now);
  const at = changes.length > 0 ? now : Math.min(before?.at ?? now, now);
  const isOverdue = changes.length > 0 && now - since >= mostMs;
  const isMixed = pods.some(({ isBusy }) => isBusy) && pods.some(({ isBusy }) => !isBusy);
  return { changes, costs: { at, since, selector }, isOverdue, ...(isMixed && !isOverdue && { seenAt: at + seenMs }) };
}

export function isElsewhere(costs: DeletionCosts | undefined, selector: string): boolean {
  return costs !== undefined && costs.selector !== selector;
}

/** True for a patch that got no answer. */
export function mayLand(at: EpochMs, now: EpochMs): boolean {
  return Math.abs(now - at) < landsMs;
}
