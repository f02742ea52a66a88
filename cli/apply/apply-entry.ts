import { randomUUID } from "node:crypto";
import { kinds } from "../../lib/model/kinds";
import type { StandingEntry } from "../../lib/table/items/entry-item";
import { isSameWish, nextEntry, type NextEntry } from "../../lib/table/next-entry";
import { type Failure, serverFailure } from "../failure";
import type { Session } from "../session";
import type { PlacedDocument } from "./place-documents";

export interface PlannedEntry extends NextEntry {
  readonly standing: StandingEntry | undefined;
}

type Deps = Pick<Session, "entries" | "signal" | "now">;

/** How often an entry may be paused or resumed by others between reading and writing it. */
const attempts = 10;

/**
 * Writes what the document makes of the entry, if nothing but operations and the status changed since it was read.
 *
 * @throws Failure when somebody else decided something about the entry meanwhile: neither change is lost, and both are told of.
 */
export async function applyEntry({ ref, document }: PlacedDocument, deps: Deps): Promise<NextEntry> {
  const { entries, signal, now } = deps;
  const birth = { at: now(), uid: randomUUID() };
  let standing = await entries.get(ref, signal);
  for (let attempt = 0; attempt < attempts; attempt++) {
    const next = nextEntry(standing, document, birth);
    if (next.change === "unchanged") return next;
    const expected = standing === undefined ? "nothing" : { standing: standing.item };
    const outcome = await entries.put({ ref, document: next.document }, expected, signal);
    if (outcome.done) return next;
    // Somebody who applied the same was first.
    const found = outcome.standing && nextEntry(outcome.standing, document, birth);
    if (found?.change === "unchanged") return found;
    refuseOther(standing, outcome.standing, { ref });
    standing = outcome.standing;
  }
  throw conflict({ ref });
}

/** What stands, and what the document would make of it. */
export async function planEntry(
  { ref, document }: PlacedDocument,
  { entries, signal, now }: Deps,
): Promise<PlannedEntry> {
  const standing = await entries.get(ref, signal);
  return { ...nextEntry(standing, document, { at: now(), uid: randomUUID() }), standing };
}

/** @throws Failure unless all that was changed is none of the document's business. */
function refuseOther(
  read: StandingEntry | undefined,
  found: StandingEntry | undefined,
  { ref }: Pick<PlacedDocument, "ref">,
): void {
  const object = `${kinds[ref.kind].plural} "${ref.name}"`;
  if (read === undefined) throw serverFailure("AlreadyExists", `${object} already exists`);
  if (found === undefined) throw serverFailure("NotFound", `${object} not found`);
  if (!isSameWish(read, found)) throw conflict({ ref });
}

/** In the API server's words. */
export function conflict({ ref }: Pick<PlacedDocument, "ref">): Failure {
  const object = `${kinds[ref.kind].plural} "${ref.name}"`;
  const words = "the object has been modified; please apply your changes to the latest version and try again";
  return serverFailure("Conflict", `Operation cannot be fulfilled on ${object}: ${words}`);
}
