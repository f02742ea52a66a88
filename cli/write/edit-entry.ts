import { present } from "../../lib/k8s/map";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toYaml } from "../shell/print/to-yaml";
import { validateStoredHpa } from "../../lib/model/entry/validate-hpa-entry";
import { keyNamed } from "../../lib/model/hpa-key";
import { kinds } from "../../lib/model/entry/kinds";
import type { Entries, EntryDocument, EntryRef, StoredEntry } from "../../lib/model/ports/entries";
import { misnamed } from "../../lib/table/items/resource-items";
import { editedEntry } from "../../lib/table/next-entry";
import { adviceText } from "../shell/advice/print";
import { advice } from "../shell/advice/table";
import { checkDocument, unusableErrors } from "./documents/check-document";
import { tableAround } from "./documents/table-around";
import { readDocuments } from "../shell/input/read-documents";
import { entryFailure, failureText } from "../shell/failure";
import type { Session } from "../shell/session";
import type { Output } from "../shell/output";
import type { Settings } from "../shell/settings";
import { entryWarnings } from "./entry-warnings";

const intro = [
  "Please edit the object below. Lines beginning with a '#' will be ignored,",
  "and an empty file will abort the edit. If an error occurs while saving this file will be",
  "reopened with the relevant failures.",
  "",
];

/** As in kubectl, shows the last attempt's problems, then the object. */
export function editedText(body: string, problems: readonly string[]): string {
  const lines = [...intro, ...problems.flatMap((problem) => [...problem.split("\n"), ""])];
  return `${lines.map((line) => `# ${line}`.trimEnd()).join("\n")}\n${body}`;
}

export function withoutComments(text: string): string {
  return text
    .split("\n")
    .filter((line) => !/^\s*#/.test(line))
    .join("\n");
}

/** Problems open the editor again. */
export function readEdited(
  text: string,
  { ref, document: stored }: Pick<StoredEntry, "ref" | "document">,
): { readonly document: EntryDocument } | { readonly problem: string } {
  const [source, ...more] = readDocuments(text);
  if (source === undefined || more.length > 0) return { problem: "The edited file must have one object" };
  if ("error" in source) {
    const line = text.split("\n")[source.line - 1] ?? "";
    return { problem: `The edited file had a syntax error: ${source.error}: ${line.trim()}` };
  }
  const result = checkDocument(source.value, ref.namespace ?? "", { stored, ...present({ numbers: source.numbers }) });
  const subject = `${kinds[ref.kind].plural} "${ref.name}"`;
  if ("errors" in result) return { problem: invalidText(ref, textsOf(result.errors)) };
  const { ref: given, document } = result.checked;
  const [expected, got] = [ref, given].map(calledText);
  if (expected === got) return { document };
  return { problem: `${subject}: kind, name and namespace cannot be changed: expected ${expected}, got ${got}` };
}

function calledText({ kind, namespace, name }: Pick<EntryRef, "kind" | "namespace" | "name">): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

/** The problems, in words for a person who opens the entry to fix it. */
function storedProblems({ ref, document }: StoredEntry): readonly string[] {
  const errors =
    ref.kind === "HorizontalPodAutoscaler"
      ? validateStoredHpa({ key: keyNamed(ref.namespace ?? "", ref.name), document }).errors
      : [misnamed({ ref, document })].filter((problem) => problem !== undefined);
  return errors.length === 0 ? [] : [invalidText(ref, errors)];
}

function textsOf(errors: readonly { readonly text: string }[]): readonly string[] {
  return errors.map(({ text }) => text);
}

function invalidText({ kind, name }: EntryRef, errors: readonly string[]): string {
  const lines = [...new Set(errors.map((text) => `* ${text}`))];
  return [`${kinds[kind].plural} "${name}" was not valid:`, ...lines].join("\n");
}

/** Also checks metric parameters, and secrets that are variables. */
async function usable(
  read: ReturnType<typeof readEdited>,
  ref: EntryRef,
  { entries, settings }: Pick<Editing, "entries" | "settings">,
): Promise<ReturnType<typeof readEdited>> {
  if ("problem" in read) return read;
  const signal = AbortSignal.timeout(tableMs);
  const around = await tableAround(ref.cluster, [{ ref, ...read }], { entries, signal });
  const errors = unusableErrors({ ref, ...read }, { settings, ...around });
  return errors.length === 0 ? read : { problem: invalidText(ref, textsOf(errors)) };
}

interface Editing extends Pick<Session, "callerFor"> {
  readonly entries: Entries;
  readonly settings: Pick<Settings, "table">;
  readonly out: Output;
  /** Resolves when the user is done. */
  readonly open: (file: string) => Promise<void>;
}

/** Neither the time in the editor nor a Ctrl-C there cuts a call short. */
const tableMs = 30_000;

/** Writes a valid entry unless it has changed meanwhile. @returns the exit code */
export async function editEntry(stored: StoredEntry, editing: Editing): Promise<number> {
  const { out } = editing;
  const folder = await mkdtemp(join(tmpdir(), "ebb-edit-"));
  const file = join(folder, `${stored.ref.name.replace(/[^\w.-]/g, "_")}.yaml`);
  let isKept = false;
  try {
    const edited = await edit(file, stored, editing);
    if (typeof edited === "string") {
      out.note(...edited.split("\n"));
      return 0;
    }
    if (edited === undefined) {
      isKept = true;
      out.note("error: Edit cancelled, no valid changes were saved.");
      return 1;
    }
    const problem = await write(stored, edited, editing);
    isKept = problem !== undefined;
    if (problem !== undefined) out.note(...problem.split("\n"));
    return isKept ? 1 : 0;
  } catch (error) {
    isKept = true;
    throw error;
  } finally {
    if (isKept) {
      const { cluster, namespace } = stored.ref;
      const todo = adviceText(advice.applyCopy({ file, cluster, namespace }), await editing.callerFor([]));
      out.note(`A copy of your changes has been stored to "${file}": ${todo}.`);
    } else await rm(folder, { recursive: true, force: true });
  }
}

/** A text: why there is nothing to do; undefined: the user gave up. */
async function edit(
  file: string,
  stored: StoredEntry,
  { entries, settings, open, out }: Editing,
): Promise<EntryDocument | string | undefined> {
  const { document, ref } = stored;
  const original = toYaml(document);
  let shown = original;
  const problems: string[] = [];
  for (;;) {
    const notes = problems.length > 0 ? problems : storedProblems(stored);
    await writeFile(file, editedText(shown, notes), { mode: 0o600 });
    await open(file);
    const text = withoutComments(await readFile(file, "utf8"));
    if (problems.length > 0 && text === shown) return undefined;
    if (text === withoutComments(original)) return "Edit cancelled, no changes made.";
    if (text.trim() === "") return "Edit cancelled, saved file was empty.";
    const read = await usable(readEdited(text, stored), ref, { entries, settings });
    if ("document" in read) return read.document;
    out.note(...`error: ${read.problem}`.split("\n"));
    problems.splice(0, problems.length, read.problem);
    shown = text;
  }
}

/** Undefined: written, or nothing to write; else the problem. */
async function write(
  stored: StoredEntry,
  edited: EntryDocument,
  { entries, out }: Editing,
): Promise<string | undefined> {
  const { ref } = stored;
  const { singular, plural } = kinds[ref.kind];
  const { change, document } = editedEntry(stored, edited);
  if (change === "unchanged") {
    out.note("Edit cancelled, no changes made.");
    return undefined;
  }
  const signal = AbortSignal.timeout(tableMs);
  const outcome = await entries.put({ ref, document }, stored, signal);
  if (outcome.done) {
    out.print(`${singular}/${ref.name} edited`);
    for (const warning of await entryWarnings([{ ref, document }], { entries, signal })) out.warn(warning);
    return undefined;
  }
  return outcome.stored === undefined
    ? `error: ${plural} "${ref.name}" could not be found on the server`
    : failureText(entryFailure("Conflict", stored.ref));
}
