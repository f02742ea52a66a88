import { BoundedMap } from "../lib/async/bounded-map";
import type { EpochMs } from "../lib/k8s/time";
import type { WokenHpa } from "../lib/scheduler/plan-wakes";

/** Requests may arrive as fast as messages do. */
const spacingMs = 1_000;
const mostKnown = 20_000;

/** An HPA wakes later if its last wake is less than a second old. */
export interface SpacedWakes {
  readonly now: readonly WokenHpa[];
  readonly later: readonly WokenHpa[];
}

/**
 * Many requests for one HPA become two wakes: one at once, and one a second later, which sees everything in between.
 * ```
 * request   1 2 3 4         5
 * wake      1 |    2–4 |    5
 *           0 s        1 s
 * ```
 */
export function openSpacedWakes() {
  const lastWakes = new BoundedMap<string, EpochMs>(mostKnown);
  return {
    plan(hpas: readonly WokenHpa[], at: EpochMs): SpacedWakes {
      const [now, later]: [WokenHpa[], WokenHpa[]] = [[], []];
      for (const hpa of hpas) {
        const last = lastWakes.get(idOf(hpa)) ?? -Infinity;
        const isPending = last > at && last <= at + spacingMs;
        if (isPending) continue;
        const isDue = at - last >= spacingMs || last > at;
        (isDue ? now : later).push(hpa);
        lastWakes.set(idOf(hpa), isDue ? at : at + spacingMs);
      }
      return { now, later };
    },
    /** For wakes that were not sent. */
    forget({ now, later }: SpacedWakes): void {
      for (const hpa of [...now, ...later]) lastWakes.delete(idOf(hpa));
    },
  };
}

function idOf({ cluster, namespace, name }: WokenHpa): string {
  return JSON.stringify([cluster, namespace, name]);
}
