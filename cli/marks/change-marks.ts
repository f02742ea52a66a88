import { isMap } from "../../lib/k8s/map";
import { isFault } from "../../lib/model/fault";
import { kinds } from "../../lib/model/entry/kinds";
import type { EntryDocument, EntryRef, StoredEntry } from "../../lib/table/items/entry-item";
import { objectName } from "../documents/format-objects";
import { entryFailure, failure, failureText, isFailure } from "../failure";
import type { ResourceQuery } from "../resources/parse-targets";
import type { Session } from "../session";
import { openReport, type Report, type ReportOptions } from "../write/report";
import { type ChoiceOptions, chooseEntries } from "./choose-entries";

/** New values of labels and annotations by name; null removes one. */
export interface MarkChanges {
  readonly labels?: Readonly<Record<string, string | null>>;
  readonly annotations?: Readonly<Record<string, string | null>>;
}

export interface ChangedMarks {
  readonly isChanged: boolean;
  readonly document: EntryDocument;
}

export interface ChangingMarks extends Pick<Session, "entries" | "signal"> {
  readonly isDryRun: boolean;
}

/** How often others may change an entry between reading and writing it. */
const attempts = 10;

/**
 * Applies `changes` to the latest version of the entry: when others write meanwhile, it reads again and calls `changes`
 * again. A dry run writes nothing.
 *
 * @throws Failure when the entry is gone, has unusable metadata, or keeps changing; and what `changes` throws
 */
export async function changeMarks(
  { entries, signal, isDryRun }: ChangingMarks,
  entry: StoredEntry,
  changes: (stored: StoredEntry) => MarkChanges,
): Promise<ChangedMarks> {
  let stored = entry;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const document = withMarks(stored, changes(stored));
    if (document === undefined) return { isChanged: false, document: stored.document };
    if (isDryRun) return { isChanged: true, document };
    const expected = { stored: stored.item };
    const outcome = await entries.put({ ref: entry.ref, document }, expected, signal);
    if (outcome.done) return { isChanged: true, document };
    if (outcome.stored === undefined) throw entryFailure("NotFound", entry.ref);
    stored = outcome.stored;
  }
  throw entryFailure("Conflict", entry.ref);
}

/** The labels or annotations that a user has written; {} where they are no map. */
export function marksIn(
  { document }: Pick<StoredEntry, "document">,
  field: keyof MarkChanges,
): Readonly<Record<string, unknown>> {
  const { metadata } = document;
  const marks = isMap(metadata) ? metadata[field] : undefined;
  return isMap(marks) ? marks : {};
}

/** undefined: nothing changes. */
function withMarks(entry: StoredEntry, changes: MarkChanges): EntryDocument | undefined {
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

interface Changing {
  readonly targets: readonly ResourceQuery[];
  readonly options: ChoiceOptions & ReportOptions;
  /** Changes one entry, unless this is a dry run. */
  readonly change: (entry: StoredEntry, context: ChangingMarks) => Promise<Changed>;
  /** Prints a changed entry; default: as `openReport`. */
  readonly report?: Report;
}

export interface Changed {
  /** What to print after its name. */
  readonly said: string;
  readonly document: EntryDocument;
}

/** Changes entries one by one. Reports each failure, and continues. Returns the exit code. */
export async function changeEach(session: Session, changing: Changing): Promise<number> {
  const { targets, options, change } = changing;
  const { out } = session;
  const report = changing.report ?? (await openReport(out, options));
  const context = { ...session, isDryRun: options.dryRun !== "none" };
  let code = 0;
  for (const target of targets) {
    const { entries, missing } = await out.during("reading the table", chooseEntries(session, target, options));
    for (const entry of entries) {
      const name = objectName(entry.ref);
      try {
        const { said, document } = await out.during(`changing ${name}`, change(entry, context));
        report.done({ ...entry.ref, document }, said);
      } catch (error) {
        if (!isFailure(error) && !isFault(error, "lost") && !isFault(error, "badEntry")) throw error;
        out.note(failureText(error));
        code = 1;
      }
    }
    for (const message of missing) out.note(message);
    if (missing.length > 0) code = 1;
  }
  return code;
}
