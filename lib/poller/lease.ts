import type { EpochMs } from "../k8s/time";
import type { Unread, PollerLease, PollerSpending, ZeroWaits } from "../model/stored/idle";
import type { Store } from "../model/ports/store";
import { firstVersion } from "../model/stored/version";

/** One invocation of the poller. */
export interface Poller {
  /** No other invocation has it. */
  readonly id: string;
  /** The scheduled minute that started it. */
  readonly minute: EpochMs;
  /** The ARN of the role that it reads with, if it has one. */
  readonly role?: string;
}

/**
 * Its holder stops reading this long before its lease ends, by its own clock. The clocks of two functions may differ by
 * as much, and the next one begins only at the end.
 */
export const skewMs = 250;

/** A lease of more than this comes from a clock that was wrong: it counts as over. */
const longestMs = 5 * 60_000;

/** What an invocation finds when it asks for the lease. */
export type LeaseClaim =
  /** It reads from now on. */
  | { readonly kind: "held"; readonly lease: PollerLease }
  /** It is the next one: ask again then. */
  | { readonly kind: "next"; readonly at: EpochMs }
  /** Somebody else reads, or will. */
  | { readonly kind: "taken" };

type LeaseStore = Pick<Store, "pollerLease" | "replacePollerLease">;

export interface ClaimContext {
  readonly now: () => EpochMs;
  /** How long the first lease of this poller lasts. */
  readonly until: EpochMs;
  readonly signal: AbortSignal;
}

/**
 * Asks for the lease. One write of the table decides each step, so whatever comes twice, late or at the same time, at
 * most one invocation holds it:
 *
 *     12:00:01          12:01:01        12:01:02      12:01:04
 *     |-- a reads until 12:01:02 --------|             a minute, and a second
 *                       b: next -------- |-- b reads until 12:02:02 --
 *                                        |-- if b is late, a renews by 2 s at a time until b says that it is next
 *
 * @throws Fault of the table
 */
export async function claimLease(store: LeaseStore, poller: Poller, context: ClaimContext): Promise<LeaseClaim> {
  for (;;) {
    const { now, until, signal } = context;
    const found = await store.pollerLease(signal);
    const at = now();
    // Its answer was lost, and it was applied.
    if (found?.holder === poller.id && at < found.until) return { kind: "held", lease: found };
    if (found === undefined || isOver(found, at)) {
      const spending = spendingIn(at, found?.spending);
      const version = found === undefined ? firstVersion(at) : found.version + 1;
      const { id: holder, minute, role } = poller;
      const { unread, waits } = found ?? {};
      const carried = { ...(unread && { unread }), ...(role && { role }), ...(waits && { waits }) };
      const lease = { version, holder, minute, until, spending, ...carried };
      if (await store.replacePollerLease(found, lease, signal)) return { kind: "held", lease };
    } else if (found.next?.holder === poller.id) return { kind: "next", at: found.until };
    else if (Math.max(found.minute, found.next?.minute ?? 0) >= poller.minute) return { kind: "taken" };
    else {
      const next = { holder: poller.id, minute: poller.minute };
      const claimed = { ...found, version: found.version + 1, next };
      if (await store.replacePollerLease(found, claimed, signal)) return { kind: "next", at: found.until };
    }
  }
}

function isOver({ until }: PollerLease, now: EpochMs): boolean {
  return until <= now || until - now > longestMs;
}

/**
 * Renews the holder's lease until then, unless somebody waits for its end.
 *
 * @returns the lease as it is now; undefined: somebody else has it.
 */
export async function renewLease(
  store: LeaseStore,
  lease: PollerLease,
  {
    until,
    spending,
    signal,
  }: { readonly until: EpochMs; readonly spending: PollerSpending; readonly signal: AbortSignal },
): Promise<PollerLease | undefined> {
  const renewed = { ...lease, version: lease.version + 1, until, spending };
  if (lease.next === undefined && (await store.replacePollerLease(lease, renewed, signal))) return renewed;
  const found = await store.pollerLease(signal);
  return found?.holder === lease.holder ? found : undefined;
}

const triesToEnd = 4;

export interface Ending {
  readonly now: EpochMs;
  /** Since its lease was written. */
  readonly spent: PollerSpending;
  /** What this invocation makes of the queries that the item says are not read. */
  readonly unread: (known: Unread | undefined) => Unread | undefined;
  /** For the poller after it. */
  readonly waits: ZeroWaits | undefined;
  readonly signal: AbortSignal;
}

/**
 * Ends the holder's time now, and adds what it spent and what it could not read. A poller that has the lease by then
 * keeps it.
 *
 * @returns the queries that were not read, before and after it; undefined: there is no lease, or others always wrote.
 */
export async function endLease(
  store: LeaseStore,
  { id }: Poller,
  { now, spent, unread, waits, signal }: Ending,
): Promise<{ readonly before: Unread | undefined; readonly after: Unread | undefined } | undefined> {
  for (let attempt = 0; attempt < triesToEnd; attempt++) {
    const found = await store.pollerLease(signal);
    if (found === undefined) return undefined;
    const { unread: before, waits: others, ...lease } = found;
    const after = unread(before);
    const spending = addSpending(found.spending, spent);
    const isHeld = found.holder === id;
    const left = isHeld ? waits : others;
    const known = { ...(after && { unread: after }), ...(left && { waits: left }) };
    const until = isHeld ? Math.min(found.until, now) : found.until;
    const ended = { ...lease, version: found.version + 1, until, spending, ...known };
    if (await store.replacePollerLease(found, ended, signal)) return { before, after };
  }
  return undefined;
}

/** "2026-11", in UTC. */
export function monthOf(at: EpochMs): string {
  return new Date(at).toISOString().slice(0, 7);
}

/** What has been spent in the month of this moment. */
export function spendingIn(at: EpochMs, known: PollerSpending | undefined): PollerSpending {
  const month = monthOf(at);
  return known?.month === month ? known : { month, spent: 0 };
}

/** An older month than the known one is over. */
export function addSpending(known: PollerSpending, more: PollerSpending): PollerSpending {
  if (more.month < known.month) return known;
  if (more.month > known.month) return more;
  const slowed = known.slowed === true || more.slowed === true;
  return { month: known.month, spent: known.spent + more.spent, ...(slowed ? { slowed } : {}) };
}
