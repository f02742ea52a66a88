import { validateHpa } from "../../lib/k8s/validate/validate-hpa";
import type { EntryRef, StoredEntry } from "../../lib/table/items/entry-item";
import { adviceText } from "../advice/print";
import { advice } from "../advice/table";
import { kubectlTarget } from "../explain/kubectl-target";
import type { Session } from "../session";
import { type Attempt, onLatest } from "../write/overwrite";

/** A warning before deleting an HPA that has scaled its workload to zero: nothing wakes the workload afterwards. */
export async function zeroWarning(
  { store, signal, callerFor }: Pick<Session, "store" | "signal" | "callerFor">,
  { cluster, namespace = "", name }: EntryRef,
): Promise<string | undefined> {
  const key = `${namespace}/${name}`;
  const { hpas, states, cluster: entry } = await store.load({ cluster, from: key, to: `${key}\u0000` }, signal);
  const conditions = states[key]?.status.conditions ?? [];
  const { hpa } = validateHpa(hpas[0]?.document, { assumeKind: true });
  if (hpa === undefined || !conditions.some(({ type, status }) => type === "ScaledToZero" && status === "True"))
    return undefined;
  const target = kubectlTarget(hpa);
  const caller = await callerFor(["value" in entry ? entry.value : undefined]);
  return `${target} is at zero and stays there; ${adviceText(advice.wake({ cluster, namespace, name, target }), caller)}`;
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
