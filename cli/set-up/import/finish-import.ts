import { escapeLine } from "../../../lib/k8s/escape-terminal";
import { toYaml } from "../../shell/print/to-yaml";
import type { EntryDocument } from "../../../lib/model/ports/entries";
import { applyAll } from "../../write/file-verbs";
import { placeDocuments } from "../../write/place-documents";
import { refuseUnusable } from "../../write/refuse-unusable";
import { checkDocument, type GivenRef } from "../../write/documents/check-document";
import type { GivenDocument } from "../../write/documents/read-given";
import type { ImportContext } from "./import-context";

/** `comments` precede it, one a line. */
export interface Imported {
  readonly document: EntryDocument;
  readonly place: string;
  readonly comments?: readonly string[];
}

/** Escapes foreign text, which could end the comment's line. */
function commentOf(line: string): string {
  return `# ${escapeLine(line)}\n`;
}

/** Prints YAML, or applies it in a session. Returns the exit code. */
export async function finishImport(
  imported: readonly Imported[],
  { apply, context }: { readonly apply: boolean; readonly context: ImportContext },
): Promise<number> {
  const { out, settings, session } = context;
  const given: GivenDocument<GivenRef>[] = [];
  for (const { document, place } of imported) {
    const result = checkDocument(document, settings.namespace);
    if ("checked" in result) given.push({ ...result.checked, place });
    else for (const { text } of result.errors) out.warn(`${place}: ${text}`);
  }
  const isWhole = given.length === imported.length;
  if (!apply || session === undefined) {
    out.write(
      imported
        .map(({ document, comments = [] }) => comments.map(commentOf).join("") + toYaml(document, out))
        .join("---\n"),
    );
    return isWhole ? 0 : 1;
  }
  const placed = await placeDocuments(given, session);
  await refuseUnusable(placed, session);
  const code = await applyAll(placed, session);
  return isWhole ? code : 1;
}
