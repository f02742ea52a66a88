import type { HpaKey } from "../../model/hpa-key";
import type { EventRecorder } from "../events/event-recorder";
import type { Store } from "../../model/ports/store";

/** 2,000 decisions of one HPA, in about 100 calls. The next sync deletes the rest. */
const maxRounds = 8;

/**
 * Deletes everything of an HPA whose entry is gone, as upstream forgets a deleted HPA. A load is several queries, not a
 * snapshot: an entry that was created between two of them looks deleted, so this asks the table again. The state goes
 * last: as long as it exists, the next sync knows that something is left to delete.
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
