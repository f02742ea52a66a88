import { randomUUID } from "node:crypto";
import { kinds } from "../../lib/api/kinds";
import type { EntryDocument, StandingEntry } from "../../lib/table/entry-item";
import { nextEntry } from "../../lib/table/next-entry";
import { serverFailure } from "../failure";
import type { Session } from "../session";

/** Writes an entry where none stands, unless it is a dry run. Gives what stands. @throws Failure when one stands */
export async function createEntry(
  { ref, document }: Pick<StandingEntry, "ref" | "document">,
  { entries, signal, now }: Pick<Session, "entries" | "signal" | "now">,
  isDryRun: boolean,
): Promise<EntryDocument> {
  const exists = () => serverFailure("AlreadyExists", `${kinds[ref.kind].plural} "${ref.name}" already exists`);
  const next = nextEntry(undefined, document, { at: now(), uid: randomUUID() });
  if (isDryRun) {
    if ((await entries.get(ref, signal)) !== undefined) throw exists();
    return next.document;
  }
  const outcome = await entries.put({ ref, document: next.document }, "nothing", signal);
  if (!outcome.done) throw exists();
  return next.document;
}
