import { isMap } from "../../../lib/k8s/map";
import { kinds } from "../../../lib/model/entry/kinds";
import type { EntryContent, StoredEntry } from "../../../lib/model/ports/entries";
import type { NextEntry } from "../../../lib/table/next-entry";
import { failure } from "../../shell/failure";
import type { ResourceQuery } from "../../shell/input/parse-targets";
import type { Session } from "../../shell/session";
import { type Change, overwrite } from "../overwrite";
import { openReport, type ReportOptions } from "../report";
import { openWrites, type Writes } from "../write-each";
import { type ChoiceOptions, chooseEntries } from "./choose-entries";

/** By name; null removes one. */
export interface MetadataChanges {
  readonly labels?: Readonly<Record<string, string | null>>;
  readonly annotations?: Readonly<Record<string, string | null>>;
}

/** {} if they are no map. */
export function metadataIn(
  { document }: Pick<EntryContent, "document">,
  field: keyof MetadataChanges,
): Readonly<Record<string, unknown>> {
  const { metadata } = document;
  const values = isMap(metadata) ? metadata[field] : undefined;
  return isMap(values) ? values : {};
}

/** @throws Failure for unusable metadata */
export function withMetadata(entry: StoredEntry, changes: MetadataChanges): NextEntry {
  const { document, ref } = entry;
  const { metadata } = document;
  if (!isMap(metadata))
    throw failure(`${kinds[ref.kind].plural} "${ref.name}": metadata: expected a map, got ${JSON.stringify(metadata)}`);
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

interface Changing {
  readonly queries: readonly ResourceQuery[];
  readonly options: ChoiceOptions & ReportOptions;
  readonly doing: string;
  readonly change: Change;
  readonly said: (isChanged: boolean) => string;
}

/** In order, each in its latest version. Reports each failure, and continues. */
export async function changeEach(session: Session, changing: Changing, writes: Writes): Promise<void> {
  const { queries, options, doing, change, said } = changing;
  const context = { ...session, isDryRun: options.dryRun !== "none" };
  for (const query of queries) {
    const choosing = chooseEntries(session, query, options);
    const { entries, missing } = await session.out.during("reading the table", choosing);
    await writes.each(entries, {
      doing,
      async write(entry) {
        const next = await overwrite(entry, change, context);
        return { document: next.document, said: said(next.change !== "unchanged") };
      },
    });
    for (const message of missing) writes.problem(message);
  }
}

interface Annotating extends Omit<Changing, "change" | "doing"> {
  readonly annotations: NonNullable<MetadataChanges["annotations"]>;
}

/** Returns the exit code. */
export async function annotateEach(session: Session, { annotations, ...chosen }: Annotating): Promise<number> {
  const writes = openWrites(session, await openReport(session.out, chosen.options));
  const change = (stored: StoredEntry) => withMetadata(stored, { annotations });
  await changeEach(session, { ...chosen, doing: "changing", change }, writes);
  return await writes.end();
}
