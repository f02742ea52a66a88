import { onAbort } from "../async/within-time";
import type { MetricResponse } from "../k8s/objects";
import type { EpochMs } from "../k8s/time";
import { errorText } from "../model/fault";
import type { Store } from "../model/ports/store";
import type { PollerLease, PollerSpending, Unread } from "../model/stored/idle";
import { type Poller, addSpending, endLease, renewLease, skewMs, spendingIn } from "./lease";
import { type Pace, leastIntervalMs, paceOf, type Spending, openSpending } from "./pace";
import { openPoll } from "./poll";
import { type PolledQueries, type PolledQuery, rotationAt } from "./polled-queries";
import type { PollerContext, PollerCounts, PollerPorts } from "./ports";
import { openUnread, reportUnread } from "./unread";
import { openWakes } from "./wakes";
import type { RunTime } from "../async/run-time";

/** Finds HPAs that went to zero or up. */
const reloadMs = 4_000;
const endingMs = 2_000;
/** SHARD items in one read of 4 KB. */
const shardsPerRead = 8;
/** The pace is reused for this long. */
const sameForMs = 5_000;

interface LoopState {
  readonly ports: PollerPorts;
  readonly polled: PolledQueries;
  readonly poller: Poller;
  readonly lease: PollerLease;
}

interface LoopContext extends PollerContext {
  readonly arrivedAt: EpochMs;
  readonly loadedAt: EpochMs;
  readonly latest: EpochMs;
}

/** Polls while the lease lasts. When this resolves, all that it started is over. */
export async function runPollLoop(held: LoopState, context: LoopContext): Promise<PollerCounts> {
  const { ports, polled, poller, lease } = held;
  const { now, signal, prices, arrivedAt, loadedAt, latest, budget } = context;
  const life = new AbortController();
  const unlisten = onAbort(signal, () => life.abort(signal.reason));
  const spending = openSpending(prices, arrivedAt, now);
  const failed = reportOnce(ports, now);
  const background = openBackground(context, (error) => (life.signal.aborted ? undefined : failed(error)));
  const wakes = openWakes(ports, { now, signal: life.signal, ended: polled.end, failed, known: lease.waits });
  const unread = openUnread();
  const noted = (query: PolledQuery, response: MetricResponse) => unread.note(query, response, now());
  const polls = openPoll(ports, { now, found: wakes.found, noted }, now());
  const leaseRenewal = openLeaseRenewal(ports.store, lease, { now, latest, signal, spending, failed });
  const counts = { polls: 0, reads: 0 };
  let outcome: PollerCounts["outcome"] = "watched";
  // It may have waited for its lease since.
  let [reloadAt, lastPollAt] = [loadedAt + reloadMs, -Infinity];

  let known: { readonly pace: Pace; readonly queries: readonly PolledQuery[]; readonly at: EpochMs } | undefined;
  const paceNow = () => {
    const [at, queries] = [now(), polled.queries()];
    // Dividing the budget among 20,000 queries takes a while, and each wake changes them.
    const isKnown = known !== undefined && (known.queries === queries || known.pace.isSlowed);
    if (known !== undefined && isKnown && at < known.at + sameForMs) return known.pace;
    const money = { perMonth: budget, perSecondRunning: prices.perSecond };
    const spent = leaseRenewal.spendingNow();
    const pace = paceOf(queries, money, { now: at, spending: spent, rotation: rotationAt(at) });
    known = { pace, queries, at };
    if (pace.isSlowed && spent.slowed !== true) {
      const message = slowMessage(queries, pace, budget);
      ports.reporter.failed({ cluster: "all", reason: "WatchBudget", message, at });
      spending.slow();
    }
    return pace;
  };

  const startPoll = (pace: Pace) => {
    lastPollAt = now();
    const due = polls.due(polled.queries(), pace, lastPollAt);
    counts.polls += 1;
    counts.reads += due.length;
    for (const { price } of due) spending.add(price);
    if (due.length > 0) background.start(() => polls.read(due, lastPollAt, life.signal));
  };

  const startReload = () => {
    reloadAt = now() + reloadMs;
    spending.add(Math.ceil(polled.shards() / shardsPerRead) * prices.tableRead);
    background.start(() => polled.reload(life.signal));
  };

  while (!signal.aborted && (leaseRenewal.mayRead() || (await leaseRenewal.goesOn()))) {
    if (polled.queries().length === 0) break;
    const pace = paceNow();
    if (pace.intervals.size === 0) {
      outcome = "overBudget";
      break;
    }
    const renewal = leaseRenewal.renewIfDue();
    if (renewal !== undefined) background.start(() => renewal);
    if (now() >= reloadAt) startReload();
    if (now() >= lastPollAt + leastIntervalMs) startPoll(pace);
    await background.pauseUntil(Math.min(leaseRenewal.nextAt(), reloadAt, lastPollAt + leastIntervalMs));
  }

  unlisten();
  life.abort(new Error("the poller's lease is over"));
  await background.settled();
  await wakes.settled();
  const unreadAfter = (known: Unread | undefined) => unread.after(known, polled.queries());
  const spent = spending.unsaved();
  const left = { spent, unread: unreadAfter, waits: wakes.waits() };
  const ending = { now: now(), ...left, signal: AbortSignal.timeout(endingMs) };
  const ended = await endLease(ports.store, poller, ending).catch(failed);
  if (ended) reportUnread(ports.reporter, { ...ended, hasAnswered: (id) => unread.hasAnswered(id) }, now());
  return { outcome, ...counts, woken: wakes.woken() };
}

function openBackground({ signal, sleepUntil }: PollerContext, failed: (error: unknown) => void) {
  const underWay = new Set<Promise<void>>();
  let pause = new AbortController();

  return {
    start(work: () => Promise<void>): void {
      const run: Promise<void> = work()
        .catch(failed)
        .finally(() => {
          underWay.delete(run);
          pause.abort();
        });
      underWay.add(run);
    },
    async pauseUntil(at: EpochMs): Promise<void> {
      pause = new AbortController();
      const unlisten = onAbort(signal, () => pause.abort());
      if (!signal.aborted) await sleepUntil(at, pause.signal);
      unlisten();
    },
    async settled(): Promise<void> {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

/** A lasting failure is reported once. */
function reportOnce({ reporter }: Pick<PollerPorts, "reporter">, now: () => EpochMs) {
  const known = new Set<string>();
  return (error: unknown): void => {
    const message = errorText(error);
    if (known.has(message) || known.size > 100) return;
    known.add(message);
    reporter.failed({ cluster: "all", reason: "FailedWatch", message, at: now() });
  };
}

function slowMessage(queries: readonly PolledQuery[], { intervals }: Pace, budget: number): string {
  const left = `the $${budget} a month of watchBudget`;
  const slowest = Math.max(...queries.map(({ id }) => intervals.get(id) ?? 0));
  const unread = queries.length - intervals.size;
  const seconds = (slowest / 1_000).toFixed(1);
  const what =
    intervals.size === 0
      ? `${left} do not pay for reading HPAs at zero faster than their slots do: the slots wake them`
      : `${left} pay for reading ${intervals.size} of ${queries.length} queries of HPAs at zero, some of them every ${seconds} s, not every second`;
  const others = unread > 0 && intervals.size > 0 ? ", and leave the others to the slots" : "";
  return `${what}${others}; raise the param watchBudget, or set ebb.dev/wake: fast on fewer HPAs (ebb cost --watched)`;
}

const renewalMs = 2_000;
const renewAheadMs = 700;
const renewAgainMs = 250;

interface RenewalContext extends RunTime {
  readonly latest: EpochMs;
  readonly spending: Spending;
  readonly failed: (error: unknown) => void;
}

/** Renews until the next poller has come. */
export function openLeaseRenewal(
  store: Pick<Store, "pollerLease" | "replacePollerLease">,
  first: PollerLease,
  { now, latest, signal, spending, failed }: RenewalContext,
) {
  /** Undefined: another poller's. */
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
    /** Check before each poll: the poller may have been paused. */
    mayRead,
    /** Resolves when a due renewal has ended. */
    renewIfDue(): Promise<void> | undefined {
      if (held === undefined || renewing !== undefined || !mayRenew() || now() < renewAt) return undefined;
      return (renewing = renew(held));
    },
    /** True if the lease goes on after a renewal under way. */
    async goesOn(): Promise<boolean> {
      await renewing;
      return mayRead();
    },
    nextAt(): EpochMs {
      const end = (held?.until ?? 0) - skewMs;
      return renewing === undefined && mayRenew() ? Math.min(renewAt, end) : end;
    },
    spendingNow(): PollerSpending {
      return addSpending(spendingIn(now(), (held ?? first).spending), spending.unsaved());
    },
  };
}
