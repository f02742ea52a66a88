import type { EpochMs } from "../k8s/time";
import type { Unread, PollerLease, PollerSpending, ZeroWaits } from "../model/stored/idle";
import type { Store } from "../model/ports/store";
import { firstVersion } from "../model/stored/version";
import type { RunTime } from "../async/run-time";

export interface Poller {
  readonly id: string;
  /** The scheduled minute that started the invocation. */
  readonly minute: EpochMs;
  readonly role?: string;
}

/** The holder stops this long before the end: the next one's clock may differ by as much. */
export const skewMs = 250;

/** A longer lease is from a clock that was wrong. */
const longestMs = 5 * 60_000;

export type LeaseClaim =
  | { readonly kind: "held"; readonly lease: PollerLease }
  /** It is the next one: claim again then. */
  | { readonly kind: "next"; readonly at: EpochMs }
  /** Another one reads, or will. */
  | { readonly kind: "taken" };

type LeaseStore = Pick<Store, "pollerLease" | "replacePollerLease">;

export interface ClaimContext extends RunTime {
  readonly until: EpochMs;
}

/**
 * Conditional writes let one invocation hold the lease:
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
    // The answer to its own claim was lost.
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
 * Does nothing while another poller waits for the end.
 *
 * @returns the present lease; undefined: another poller's
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
  /** Since the lease was written. */
  readonly spent: PollerSpending;
  readonly unread: (known: Unread | undefined) => Unread | undefined;
  readonly waits: ZeroWaits | undefined;
  readonly signal: AbortSignal;
}

/**
 * Adds what the holder spent and could not read.
 *
 * @returns unread queries before and after; undefined: no lease, or others always wrote first
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

export function monthOf(at: EpochMs): string {
  return new Date(at).toISOString().slice(0, 7);
}

export function spendingIn(at: EpochMs, known: PollerSpending | undefined): PollerSpending {
  const month = monthOf(at);
  return known?.month === month ? known : { month, spent: 0 };
}

export function addSpending(known: PollerSpending, more: PollerSpending): PollerSpending {
  if (more.month < known.month) return known;
  if (more.month > known.month) return more;
  const slowed = known.slowed === true || more.slowed === true;
  return { month: known.month, spent: known.spent + more.spent, ...(slowed ? { slowed } : {}) };
}
