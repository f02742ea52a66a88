import type { EntryOutcome, EntryRef, StoredEntry } from "../../lib/model/ports/entries";
import type { NextEntry } from "../../lib/table/next-entry";
import { entryFailure } from "../shell/failure";
import type { Session } from "../shell/session";

/** Others may change an entry between reading and writing it. */
const attempts = 10;

/** Not done: the version that somebody else wrote meanwhile (undefined: deleted). */
export type Attempt<T> = { readonly done: true; readonly result: T } | Extract<EntryOutcome, { readonly done: false }>;

/**
 * Retries with each version that others write meanwhile. @throws Failure if the entry does not exist or keeps changing;
 * errors of `attempt`
 */
export async function onLatest<T>(
  ref: EntryRef,
  read: StoredEntry | undefined,
  attempt: (stored: StoredEntry) => Promise<Attempt<T>>,
): Promise<T> {
  let stored = read;
  for (let count = 0; count < attempts; count += 1) {
    if (stored === undefined) throw entryFailure("NotFound", ref);
    const outcome = await attempt(stored);
    if (outcome.done) return outcome.result;
    stored = outcome.stored;
  }
  throw entryFailure("Conflict", ref);
}

export interface Overwriting extends Pick<Session, "entries" | "signal"> {
  readonly isDryRun: boolean;
}

export type Change = (stored: StoredEntry) => NextEntry | Promise<NextEntry>;

/** Calls `change` again if others write meanwhile. @throws as `onLatest` */
export async function overwrite(
  read: StoredEntry,
  change: Change,
  { entries, signal, isDryRun }: Overwriting,
): Promise<NextEntry> {
  const { ref } = read;
  return await onLatest(ref, read, async (stored): Promise<Attempt<NextEntry>> => {
    const next = await change(stored);
    if (isDryRun || next.change === "unchanged") return { done: true, result: next };
    const outcome = await entries.put({ ref, document: next.document }, stored, signal);
    return outcome.done ? { done: true, result: next } : outcome;
  });
}
