import { escapeLine } from "../../../lib/k8s/escape-terminal";
import { present } from "../../../lib/k8s/map";
import { toYaml } from "../../shell/print/to-yaml";
import type { EntryDocument } from "../../../lib/model/ports/entries";
import { applyAll } from "../../write/file-verbs";
import { refuseUnusable } from "../../write/refuse-unusable";
import { checkDocument, sourcesAmong } from "../../write/documents/check-document";
import { placeEach } from "../../write/documents/place-checked";
import { type Checked, checkUsable, problemsAmong, refuseTwice, validAmong } from "../../write/documents/read-given";
import type { ImportContext, ImportOptions } from "./import-context";

export interface Imported {
  readonly document: EntryDocument;
  readonly place: string;
  readonly comments?: readonly string[];
  /** In the words of what it comes from. */
  readonly problems?: readonly string[];
  /** A problem of the document, in those words. */
  readonly inWords?: (problem: string) => string;
}

/** Foreign text could end the comment's line. */
function commentOf(line: string): string {
  return `# ${escapeLine(line)}\n`;
}

/** `refused`: where the documents are that `apply` refuses. */
interface Finished {
  readonly code: number;
  readonly refused: ReadonlySet<string>;
}

export async function finishImport(
  imported: readonly Imported[],
  { apply, context }: { readonly apply: boolean; readonly context: ImportContext },
): Promise<Finished> {
  const { out, settings, session } = context;
  const checked = refuseTwice(imported.map((one) => checkImported(one, settings.namespace)));
  const known = sourcesAmong(validAmong(checked));
  const usable = checked.map((one) => checkUsable(one, { known, settings }));
  const placed = apply && session !== undefined ? await placeEach(usable, session) : undefined;
  const final = placed ?? usable;
  const problems = problemsAmong(final);
  const refused = new Set(imported.filter((_, index) => "problems" in (final[index] ?? {})).map(({ place }) => place));
  for (const problem of new Set(problems)) out.warn(problem);
  if (placed === undefined || session === undefined) {
    out.write(
      imported
        .map(({ document, comments = [] }) => comments.map(commentOf).join("") + toYaml(document, out))
        .join("---\n"),
    );
    return { code: problems.length === 0 ? 0 : 1, refused };
  }
  const given = validAmong(placed);
  await refuseUnusable(given, session);
  const code = await applyAll(given, session);
  return { code: problems.length === 0 ? code : 1, refused };
}

function checkImported(one: Imported, namespace: string, stored?: EntryDocument): Checked {
  const { document, place, problems: known = [], inWords = (text: string) => text } = one;
  if (known.length > 0) return { problems: known.map((text) => `${place}: ${text}`) };
  const result = checkDocument(document, namespace, present({ stored }));
  if ("checked" in result) return { ...result.checked, place, inWords };
  const problems = result.errors.map(({ text }) => `${place}: ${inWords(text)}`);
  const { ref } = result;
  if (ref === undefined) return { problems };
  return { problems, update: { ref, against: (before) => checkImported(one, namespace, before) } };
}

interface Takeover {
  readonly compare: string;
  readonly stop: string;
}

export function handOver(options: ImportOptions, { compare, stop }: Takeover): readonly string[] {
  const steps = [...dryRunSteps(options), `compare: ${compare}`, stop, "ebb dry-run hpa NAME off", zeros];
  return steps.map((step, index) => `  ${index + 1}. ${step}`);
}

const zeros = "ebb status: names workloads at a zero that ebb will not end; to make one ebb's, ebb adopt hpa NAME";

const dryRun = "they decide and record, and write no scale";

function dryRunSteps({ apply, dryRunFirst }: ImportOptions): readonly string[] {
  if (apply === true)
    return dryRunFirst === true
      ? [`the entries are in the table as a dry run: ${dryRun}`]
      : ["ebb dry-run hpa NAME on, now: the entries are in the table, and they write scales already"];
  return dryRunFirst === true
    ? [`apply the entries as they are printed, a dry run: ${dryRun}`]
    : [`import again with --dry-run-first, and apply what that prints: as a dry run, ${dryRun}`];
}
