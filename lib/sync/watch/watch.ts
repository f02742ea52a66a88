import type { EpochMs } from "../../k8s/time";
import type { WatchLease } from "../../model/stored/idle";
import { claimLease, type Watcher } from "./lease";
import type { WatchContext, WatchCounts, WatchPorts } from "./frame";
import { hold } from "./hold";
import { openWatched } from "./watched";

/** The first lease: until the next minute's watcher is there, and a second for it to start. */
const leaseMs = 61_000;
const shortestLeaseMs = 5_000;
/** Of the invocation, for what is left when it stops reading. */
const endingMs = 3_000;

const nothing = { rounds: 0, reads: 0, woken: 0 } as const;

/**
 * The idle watcher: reads the sources of HPAs at zero every second, and wakes those that have work. It decides no size
 * and writes no state. Each minute starts one, which takes over from the one before. It ends by itself when no HPA is
 * left to watch. docs/protocol.md
 *
 * @throws Fault of the table
 */
export async function watch(ports: WatchPorts, watcher: Watcher, context: WatchContext): Promise<WatchCounts> {
  const arrivedAt = context.now();
  const watched = openWatched(ports, context.now);
  // Before it has the lease, so that it reads as soon as it has it.
  await watched.reload(context.signal);
  const loadedAt = context.now();
  if (watched.queries().length === 0) return { outcome: "nothing", ...nothing };
  const latest = context.deadline - endingMs;
  const lease = await waitForLease(ports.store, watcher, { ...context, arrivedAt, latest });
  if (lease === undefined) return { outcome: "taken", ...nothing };
  return await hold({ ports, watched, watcher, lease }, { ...context, arrivedAt, loadedAt, latest });
}

async function waitForLease(
  store: WatchPorts["store"],
  watcher: Watcher,
  context: WatchContext & { readonly arrivedAt: EpochMs; readonly latest: EpochMs },
): Promise<WatchLease | undefined> {
  const { now, sleepUntil, signal, arrivedAt, latest } = context;
  while (!signal.aborted && now() < latest) {
    const until = Math.min(Math.max(arrivedAt + leaseMs, now() + shortestLeaseMs), latest);
    const claim = await claimLease(store, watcher, { now, until, signal });
    if (claim.kind === "held") return claim.lease;
    if (claim.kind === "taken") return undefined;
    await sleepUntil(claim.at, signal);
  }
  return undefined;
}
