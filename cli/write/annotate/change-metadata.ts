import { isMap } from "../../../lib/k8s/map";
import { isFault } from "../../../lib/model/fault";
import { kinds } from "../../../lib/model/entry/kinds";
import type { EntryDocument, EntryRef, StoredEntry } from "../../../lib/model/ports/entries";
import type { NextEntry } from "../../../lib/table/next-entry";
import { objectName } from "../documents/printed-object";
import { failure, failureText, isFailure } from "../../shell/failure";
import { eachInOrder } from "../../shell/in-order";
import type { ResourceQuery } from "../../shell/resources/parse-targets";
import type { Session } from "../../shell/session";
import { type Overwriting, overwrite } from "../overwrite";
import { openReport, type Report, type ReportOptions } from "../report";
import { type ChoiceOptions, chooseEntries } from "./choose-entries";

/** New values of labels and annotations by name; null removes one. */
export interface MetadataChanges {
  readonly labels?: Readonly<Record<string, string | null>>;
  readonly annotations?: Readonly<Record<string, string | null>>;
}

export interface ChangedMetadata {
  readonly isChanged: boolean;
  readonly document: EntryDocument;
}

/**
 * Applies `changes` to the latest version of the entry. A dry run writes nothing.
 * @throws Failure when the entry is gone, has unusable metadata, or keeps changing; and what `changes` throws
 */
export async function changeMetadata(
  context: Overwriting,
  entry: StoredEntry,
  changes: (stored: StoredEntry) => MetadataChanges,
): Promise<ChangedMetadata> {
  const { change, document } = await overwrite(entry, (stored) => withMetadata(stored, changes(stored)), context);
  return { isChanged: change !== "unchanged", document };
}

/** The labels or annotations that a user has written; {} where they are no map. */
export function metadataIn(
  { document }: Pick<StoredEntry, "document">,
  field: keyof MetadataChanges,
): Readonly<Record<string, unknown>> {
  const { metadata } = document;
  const values = isMap(metadata) ? metadata[field] : undefined;
  return isMap(values) ? values : {};
}

function withMetadata(entry: StoredEntry, changes: MetadataChanges): NextEntry {
  const { document, ref } = entry;
  const { metadata } = document;
  if (!isMap(metadata)) throw failure(`${nameOf(ref)}: metadata: expected a map, got ${JSON.stringify(metadata)}`);
  const next = { ...metadata };
  let isChanged = false;
  for (const field of ["labels", "annotations"] as const) {
    const before = metadataIn(entry, field);
    const after = Object.entries(changes[field] ?? {}).filter(([name, value]) => (before[name] ?? null) !== value);
    if (after.length === 0) continue;
    isChanged = true;
    const values = Object.entries({ ...before, ...Object.fromEntries(after) }).filter(([, value]) => value !== null);
    if (values.length > 0) next[field] = Object.fromEntries(values);
    else delete next[field];
  }
  return isChanged
    ? { change: "configured", document: { ...document, metadata: next } }
    : { change: "unchanged", document };
}

function nameOf({ kind, name }: EntryRef): string {
  return `${kinds[kind].plural} "${name}"`;
}

interface Changing {
  readonly targets: readonly ResourceQuery[];
  readonly options: ChoiceOptions & ReportOptions;
  /** Changes one entry, unless this is a dry run. */
  readonly change: (entry: StoredEntry, context: Overwriting) => Promise<Changed>;
  /** Prints a changed entry; default: as `openReport`. */
  readonly report?: Report;
}

export interface Changed {
  /** What to print after its name. */
  readonly said: string;
  readonly document: EntryDocument;
}

/** Changes entries in order. Reports each failure, and continues. Returns the exit code. */
export async function changeEach(session: Session, changing: Changing): Promise<number> {
  const { targets, options, change } = changing;
  const { out } = session;
  const report = changing.report ?? (await openReport(out, options));
  const context = { ...session, isDryRun: options.dryRun !== "none" };
  let code = 0;
  for (const target of targets) {
    const { entries, missing } = await out.during("reading the table", chooseEntries(session, target, options));
    await eachInOrder(session, entries, {
      doing: ({ ref }) => `changing ${objectName(ref)}`,
      call: (entry) => change(entry, context),
      done: ({ said, document }, { ref }) => report.done({ ...ref, document }, said),
      failed(error) {
        if (!isFailure(error) && !isFault(error, "lost") && !isFault(error, "badEntry")) return false;
        out.note(failureText(error));
        code = 1;
        return true;
      },
    });
    for (const message of missing) out.note(message);
    if (missing.length > 0) code = 1;
  }
  report.end();
  return code;
}
