import { kinds } from "../../lib/api/kinds";
import type { EntryDocument, EntryRef } from "../../lib/table/entry-item";
import { checkDocument } from "../documents/check-document";
import { readDocuments } from "../documents/read-documents";

/** The edited object, or why it cannot be taken: what the editor is opened again with. */
export function readEdited(
  text: string,
  ref: EntryRef,
): { readonly document: EntryDocument } | { readonly problem: string } {
  const [source, ...more] = readDocuments(text);
  if (source === undefined || more.length > 0) return { problem: "The edited file must have one object" };
  if ("error" in source) {
    const line = text.split("\n")[source.line - 1] ?? "";
    return { problem: `The edited file had a syntax error: ${source.error}: ${line.trim()}` };
  }
  const result = checkDocument(source.value, ref.namespace ?? "");
  const subject = `${kinds[ref.kind].plural} "${ref.name}"`;
  if ("errors" in result) {
    const errors = [...new Set(result.errors)].map((error) => `* ${error}`);
    return { problem: [`${subject} was not valid:`, ...errors].join("\n") };
  }
  const { kind, name, namespace, document } = result.checked;
  const isSame = kind === ref.kind && name === ref.name && namespace === ref.namespace;
  return isSame ? { document } : { problem: `${subject}: kind, name and namespace cannot be changed` };
}
