import type { EntryRef, StoredEntry } from "../../lib/table/items/entry-item";
import { entryFailure } from "../failure";
import type { Session } from "../session";
import type { NextEntry } from "../../lib/table/next-entry";

/** How often others may change an entry between reading and writing it. */
const attempts = 10;

interface Overwriting extends Pick<Session, "entries" | "signal"> {
  readonly isDryRun: boolean;
}

/**
 * Writes what `next` makes of the latest version of an entry. When others write meanwhile, it reads again and calls
 * `next` again.
 * @throws Failure when the entry does not exist, or keeps changing; and what `next` throws
 */
export async function overwrite(
  ref: EntryRef,
  next: (stored: StoredEntry) => NextEntry,
  { entries, signal, isDryRun }: Overwriting,
): Promise<NextEntry> {
  let stored = await entries.get(ref, signal);
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (stored === undefined) throw entryFailure("NotFound", ref);
    const planned = next(stored);
    if (isDryRun || planned.change === "unchanged") return planned;
    const outcome = await entries.put({ ref, document: planned.document }, { stored: stored.item }, signal);
    if (outcome.done) return planned;
    stored = outcome.stored;
  }
  throw entryFailure("Conflict", ref);
}
