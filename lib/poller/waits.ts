import { createHash } from "node:crypto";
import type { EpochMs } from "../k8s/time";
import type { ZeroWaits } from "../model/stored/idle";
import { leastIntervalMs } from "./pace";
import { zeroText, type ZeroId } from "./polled-queries";

/** A zero that a wake did not end is woken again after 5 s, then 10 s, 20 s, 40 s, and each minute. */
const firstWaitMs = 5_000;
const longestWaitMs = 60_000;
/** One that had no work for so long begins with the first wait again. */
const forgottenMs = 10 * 60_000;
/** The lease item has so many, which is about 12 KB. Beyond them, every other zero waits for a minute. */
export const mostWaits = 200;

interface Wait {
  /** Infinity: its wake is on its way to the queue. */
  readonly until: EpochMs;
  readonly waitMs: number;
}

/** How long zeros wait for their next wake: the lease item carries it from one poller to the next. */
export function openWaits(known: ZeroWaits | undefined, openedAt: EpochMs) {
  const waits = new Map<string, Wait>(
    // A clock that was wrong may not keep a zero asleep.
    Object.entries(known?.zeros ?? {}).map(([id, { until, waitMs }]) => [
      id,
      { until: Math.min(until, openedAt + longestWaitMs), waitMs: Math.min(waitMs, longestWaitMs) },
    ]),
  );
  const over = new Set<string>();

  return {
    /** @returns whether a wake is due. If so, the zero waits from now on, until `begin` says since when. */
    take(zero: ZeroId, at: EpochMs): boolean {
      const id = idOf(zero);
      const last = waits.get(id);
      if (last !== undefined && last.until > at) return false;
      const first = known?.more === true ? longestWaitMs : firstWaitMs;
      waits.set(id, { until: Infinity, waitMs: last === undefined ? first : Math.min(2 * last.waitMs, longestWaitMs) });
      return true;
    },
    /** Waits begin when the wakes are on the queue, however long that took, and end between two polls. */
    begin(zeros: readonly ZeroId[], at: EpochMs): void {
      for (const zero of zeros) {
        const { waitMs = firstWaitMs } = waits.get(idOf(zero)) ?? {};
        waits.set(idOf(zero), { until: at + waitMs - leastIntervalMs / 2, waitMs });
      }
    },
    /** No wake was sent. */
    forget(zeros: readonly ZeroId[]): void {
      for (const zero of zeros) waits.delete(idOf(zero));
    },
    /** They are up. */
    end(zeros: readonly ZeroId[]): void {
      for (const zero of zeros) over.add(idOf(zero));
    },
    /** For the next poller: those that wait longest, and whether there are more. */
    left(at: EpochMs): ZeroWaits | undefined {
      const left = [...waits]
        .filter(([id, { until }]) => !over.has(id) && until > at - forgottenMs)
        .map(([id, { until, waitMs }]) => [id, { until: Math.min(until, at + waitMs), waitMs }] as const)
        .sort(([, a], [, b]) => b.waitMs - a.waitMs || b.until - a.until);
      if (left.length === 0) return undefined;
      const zeros = Object.fromEntries(left.slice(0, mostWaits));
      return { zeros, ...(left.length > mostWaits && { more: true as const }) };
    },
  };
}

/** Keys may be long, and the lease item has many. */
function idOf(zero: ZeroId): string {
  return createHash("sha256").update(zeroText(zero)).digest("base64url").slice(0, 12);
}
