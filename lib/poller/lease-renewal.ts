import type { EpochMs } from "../k8s/time";
import type { PollerLease, PollerSpending } from "../model/stored/idle";
import type { Store } from "../model/ports/store";
import { addSpending, renewLease, skewMs, spendingIn } from "./lease";
import type { Spending } from "./spending";

/** A renewal is for so long, and is asked for early enough to be there in time. */
const renewalMs = 2_000;
const renewAheadMs = 700;
const renewAgainMs = 250;

interface RenewalContext {
  readonly now: () => EpochMs;
  /** Nothing is renewed beyond this. */
  readonly latest: EpochMs;
  readonly signal: AbortSignal;
  readonly spending: Spending;
  readonly failed: (error: unknown) => void;
}

/** The time of one holder: its lease, and the renewals until the next one has come. */
export function openLeaseRenewal(
  store: Pick<Store, "pollerLease" | "replacePollerLease">,
  first: PollerLease,
  { now, latest, signal, spending, failed }: RenewalContext,
) {
  /** undefined: somebody else has it. */
  let held: PollerLease | undefined = first;
  let renewing: Promise<void> | undefined;
  let renewAt = first.until - renewAheadMs;

  async function renew(lease: PollerLease): Promise<void> {
    const unsaved = spending.unsaved();
    const until = Math.min(lease.until + renewalMs, latest);
    const spent = addSpending(spendingIn(now(), lease.spending), unsaved);
    try {
      const found = await renewLease(store, lease, { until, spending: spent, signal });
      if (found?.version === lease.version + 1 && found.spending.spent === spent.spent) spending.saved(unsaved);
      held = found;
      renewAt = (found?.until ?? 0) - renewAheadMs;
    } catch (error) {
      renewAt = now() + renewAgainMs;
      failed(error);
    } finally {
      renewing = undefined;
    }
  }

  const mayRead = () => held !== undefined && now() < held.until - skewMs;
  const mayRenew = () => held !== undefined && held.next === undefined && held.until < latest;

  return {
    /** Asked before each poll: a poller that was paused finds its lease over. */
    mayRead,
    /** Starts a renewal if one is due. Resolves when it is there. */
    renewIfDue(): Promise<void> | undefined {
      if (held === undefined || renewing !== undefined || !mayRenew() || now() < renewAt) return undefined;
      return (renewing = renew(held));
    },
    /** Whether a renewal that is under way lets it go on. */
    async goesOn(): Promise<boolean> {
      await renewing;
      return mayRead();
    },
    /** When something here changes by itself. */
    nextAt(): EpochMs {
      const end = (held?.until ?? 0) - skewMs;
      return renewing === undefined && mayRenew() ? Math.min(renewAt, end) : end;
    },
    spendingNow(): PollerSpending {
      return addSpending(spendingIn(now(), (held ?? first).spending), spending.unsaved());
    },
  };
}
