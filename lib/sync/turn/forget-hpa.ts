import type { EventRecorder } from "../events/event-recorder";
import type { Store } from "../../model/ports";

/** 2,000 decisions of one HPA at a time, some 100 calls. The next sync goes on with what is more. */
const maxRounds = 8;

/**
 * Leaves nothing of an HPA whose entry is gone, as upstream forgets a deleted one. Its state goes last: while it stands, the next sync finds that
 * there is something to forget.
 *
 * @throws Fault
 */
export async function forgetHpa(
  { store, events }: { readonly store: Store; readonly events: EventRecorder },
  { cluster, key, version }: { readonly cluster: string; readonly key: string; readonly version: number },
  signal: AbortSignal,
): Promise<void> {
  events.forget(cluster, key);
  for (let round = 1; round <= maxRounds; round++) {
    if (!(await store.deleteRecords(cluster, key, signal))) continue;
    await store.deleteState(cluster, key, version, signal);
    return;
  }
}
