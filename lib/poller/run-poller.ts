import type { EpochMs } from "../k8s/time";
import type { PollerLease } from "../model/stored/idle";
import { claimLease, type Poller } from "./lease";
import type { PollerContext, PollerCounts, PollerPorts } from "./ports";
import { runPollLoop } from "./poll-loop";
import { openPolledQueries } from "./polled-queries";

/** Until the next minute's poller has started. */
const leaseMs = 61_000;
const shortestLeaseMs = 5_000;
const endingMs = 3_000;

const nothing = { polls: 0, reads: 0, woken: 0 } as const;

/**
 * Reads the sources of HPAs at zero every second, and wakes those with work. Each minute's poller takes over; it ends
 * when no HPA is left. docs/protocol.md
 *
 * @throws Fault of the table
 */
export async function runPoller(ports: PollerPorts, poller: Poller, context: PollerContext): Promise<PollerCounts> {
  const arrivedAt = context.now();
  const polled = openPolledQueries(ports, context.now);
  // Before the lease, so that it polls at once.
  await polled.reload(context.signal);
  const loadedAt = context.now();
  if (polled.queries().length === 0) return { outcome: "nothing", ...nothing };
  const latest = context.deadline - endingMs;
  const lease = await waitForLease(ports.store, poller, { ...context, arrivedAt, latest });
  if (lease === undefined) return { outcome: "taken", ...nothing };
  return await runPollLoop({ ports, polled, poller, lease }, { ...context, arrivedAt, loadedAt, latest });
}

async function waitForLease(
  store: PollerPorts["store"],
  poller: Poller,
  context: PollerContext & { readonly arrivedAt: EpochMs; readonly latest: EpochMs },
): Promise<PollerLease | undefined> {
  const { now, sleepUntil, signal, arrivedAt, latest } = context;
  while (!signal.aborted && now() < latest) {
    const until = Math.min(Math.max(arrivedAt + leaseMs, now() + shortestLeaseMs), latest);
    const claim = await claimLease(store, poller, { now, until, signal });
    if (claim.kind === "held") return claim.lease;
    if (claim.kind === "taken") return undefined;
    await sleepUntil(claim.at, signal);
  }
  return undefined;
}
