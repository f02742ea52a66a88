import type { HpaKey } from "../../model/hpa-key";
import type { EventRecorder } from "../events/event-recorder";
import type { Store } from "../../model/ports/store";

/** 2,000 decisions in about 100 calls. The next sync continues. */
const maxRounds = 8;

/**
 * A load is no snapshot: an entry created meanwhile looks deleted, so this reads again. The state goes last: it shows
 * the next sync that something is left.
 *
 * @throws Fault
 */
export async function forgetHpa(
  { store, events }: { readonly store: Store; readonly events: EventRecorder },
  { cluster, key, version }: { readonly cluster: string; readonly key: HpaKey; readonly version: number },
  signal: AbortSignal,
): Promise<void> {
  if ((await store.document(cluster, key, signal)) !== undefined) return;
  events.forget(cluster, key);
  for (let round = 1; round <= maxRounds; round++) {
    if (!(await store.deleteRecords(cluster, key, signal))) continue;
    await store.deleteState(cluster, key, version, signal);
    return;
  }
}
