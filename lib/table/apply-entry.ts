import { randomUUID } from "node:crypto";
import type { Entries, EntryContent, StoredEntry } from "../model/ports/entries";
import { isSameDesired, nextEntry, type NextEntry } from "./next-entry";
import type { RunTime } from "../async/run-time";

export interface ApplyContext extends RunTime {
  readonly entries: Pick<Entries, "get" | "put">;
  /** Throws if the document may not replace what is stored. */
  readonly admit?: (stored: StoredEntry | undefined) => void;
}

export interface PlannedEntry extends NextEntry {
  readonly stored: StoredEntry | undefined;
}

export type Overtaken = "created" | "deleted" | "changed";

export type Applied = NextEntry | { readonly overtaken: Overtaken };

/** How often others may pause or resume an entry between reading and writing it. */
const attempts = 10;

/** Only operations (pause, dry run) and the status may have changed since the read. Rejects with a Fault. */
export async function applyEntry({ ref, document }: EntryContent, context: ApplyContext): Promise<Applied> {
  const { entries, signal, now, admit } = context;
  const birth = { at: now(), uid: randomUUID() };
  let stored = await entries.get(ref, signal);
  for (let attempt = 0; attempt < attempts; attempt++) {
    admit?.(stored);
    const next = nextEntry(stored, document, birth);
    if (next.change === "unchanged") return next;
    const outcome = await entries.put({ ref, document: next.document }, stored ?? "nothing", signal);
    if (outcome.done) return next;
    // Somebody else applied the same first.
    const found = outcome.stored && nextEntry(outcome.stored, document, birth);
    if (found?.change === "unchanged") return found;
    const overtaken = overtakenBy(stored, outcome.stored);
    if (overtaken !== undefined) return { overtaken };
    stored = outcome.stored;
  }
  return { overtaken: "changed" };
}

export async function planEntry({ ref, document }: EntryContent, context: ApplyContext): Promise<PlannedEntry> {
  const { entries, signal, now, admit } = context;
  const stored = await entries.get(ref, signal);
  admit?.(stored);
  return { ...nextEntry(stored, document, { at: now(), uid: randomUUID() }), stored };
}

/** Undefined: the change does not concern the document. */
function overtakenBy(read: StoredEntry | undefined, found: StoredEntry | undefined): Overtaken | undefined {
  if (read === undefined) return "created";
  if (found === undefined) return "deleted";
  return isSameDesired(read, found) ? undefined : "changed";
}
