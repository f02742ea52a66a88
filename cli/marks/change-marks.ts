import { kinds } from "../../lib/api/kinds";
import { isMap } from "../../lib/table/checks";
import type { EntryDocument, EntryRef, StandingEntry } from "../../lib/table/entry-item";
import { conflict } from "../apply/apply-entry";
import { failure, serverFailure } from "../failure";
import type { Session } from "../session";

/** What becomes of labels and annotations by name; null: it goes. */
export interface MarkChanges {
  readonly labels?: Readonly<Record<string, string | null>>;
  readonly annotations?: Readonly<Record<string, string | null>>;
}

/** How often others may change the entry between reading and writing it. */
const attempts = 10;

/**
 * Changes what `changes` finds necessary on the entry as it stands, whatever else others change of it meanwhile: `changes` is asked again of
 * each reading. Gives whether anything was written.
 *
 * @throws Failure when the entry is gone, is half-written, or never stands still; and what `changes` throws
 */
export async function changeMarks(
  session: Pick<Session, "entries" | "signal">,
  entry: StandingEntry,
  changes: (standing: StandingEntry) => MarkChanges,
): Promise<boolean> {
  let standing = entry;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const document = withMarks(standing, changes(standing));
    if (document === undefined) return false;
    const expected = { standing: standing.item };
    const outcome = await session.entries.put({ ref: entry.ref, document }, expected, session.signal);
    if (outcome.done) return true;
    if (outcome.standing === undefined) throw serverFailure("NotFound", `${nameOf(entry.ref)} not found`);
    standing = outcome.standing;
  }
  throw conflict(entry);
}

/** What a user has written of labels or annotations; nothing of what is no map. */
export function marksIn({ document }: StandingEntry, field: keyof MarkChanges): Readonly<Record<string, unknown>> {
  const { metadata } = document;
  const marks = isMap(metadata) ? metadata[field] : undefined;
  return isMap(marks) ? marks : {};
}

/** undefined: nothing changes. */
function withMarks(entry: StandingEntry, changes: MarkChanges): EntryDocument | undefined {
  const { document, ref } = entry;
  const { metadata } = document;
  if (!isMap(metadata)) throw failure(`${nameOf(ref)}: metadata: expected a map, got ${JSON.stringify(metadata)}`);
  const next = { ...metadata };
  let isChanged = false;
  for (const field of ["labels", "annotations"] as const) {
    const before = marksIn(entry, field);
    const after = Object.entries(changes[field] ?? {}).filter(([name, value]) => (before[name] ?? null) !== value);
    if (after.length === 0) continue;
    isChanged = true;
    const marks = Object.entries({ ...before, ...Object.fromEntries(after) }).filter(([, value]) => value !== null);
    if (marks.length > 0) next[field] = Object.fromEntries(marks);
    else delete next[field];
  }
  return isChanged ? { ...document, metadata: next } : undefined;
}

function nameOf({ kind, name }: EntryRef): string {
  return `${kinds[kind].plural} "${name}"`;
}
