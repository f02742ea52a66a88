import { validateHpa } from "../../lib/k8s/validate/validate-hpa";
import type { EntryRef, StoredEntry } from "../../lib/table/items/entry-item";
import type { Session } from "../session";
import { type Attempt, onLatest } from "../write/overwrite";

/** A warning before deleting an HPA that has scaled its workload to zero: nothing wakes the workload afterwards. */
export async function zeroWarning(
  { store, signal }: Pick<Session, "store" | "signal">,
  { cluster, namespace = "", name }: EntryRef,
): Promise<string | undefined> {
  const key = `${namespace}/${name}`;
  const { hpas, states } = await store.load({ cluster, from: key, to: `${key}\u0000` }, signal);
  const conditions = states[key]?.status.conditions ?? [];
  const { hpa } = validateHpa(hpas[0]?.document, { assumeKind: true });
  if (hpa === undefined || !conditions.some(({ type, status }) => type === "ScaledToZero" && status === "True"))
    return undefined;
  const target = `${hpa.spec.scaleTargetRef.kind.toLowerCase()}/${hpa.spec.scaleTargetRef.name}`;
  return `${target} is at zero and stays there; to wake it: kubectl scale ${target} -n ${namespace} --replicas=1`;
}

/**
 * Deletes an entry even if others change it meanwhile: a delete by name means any version. Returns the deleted entry.
 * @throws Failure when the entry does not exist, or keeps changing
 */
export async function removeEntry(
  ref: EntryRef,
  { entries, signal }: Pick<Session, "entries" | "signal">,
): Promise<StoredEntry> {
  return await onLatest(ref, await entries.get(ref, signal), async (stored): Promise<Attempt<StoredEntry>> => {
    const outcome = await entries.remove(ref, { stored: stored.item }, signal);
    return outcome.done ? { done: true, result: stored } : outcome;
  });
}
