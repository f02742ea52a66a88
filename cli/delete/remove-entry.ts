import { kinds } from "../../lib/api/kinds";
import type { EntryRef, StandingEntry } from "../../lib/table/entry-item";
import { conflict } from "../apply/apply-entry";
import { type Failure, serverFailure } from "../failure";
import type { Session } from "../session";

const attempts = 10;

/**
 * Deletes an entry as it stands, and takes up whatever somebody changes of it meanwhile: who deletes by name wants it gone. Gives what
 * stood. @throws Failure when nothing stands, or it changes without end.
 */
export async function removeEntry(
  ref: EntryRef,
  { entries, signal }: Pick<Session, "entries" | "signal">,
): Promise<StandingEntry> {
  let standing = await entries.get(ref, signal);
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    if (standing === undefined) throw notFound(ref);
    const outcome = await entries.remove(ref, { standing: standing.item }, signal);
    if (outcome.done) return standing;
    standing = outcome.standing;
  }
  throw conflict({ ref });
}

/** In the API server's words. */
export function notFound({ kind, name }: EntryRef): Failure {
  return serverFailure("NotFound", `${kinds[kind].plural} "${name}" not found`);
}
