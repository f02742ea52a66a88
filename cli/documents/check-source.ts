import { type CheckedDocument, checkDocument } from "./check-document";
import { fieldOf } from "./field-of";
import { nameOf } from "./name-of";
import type { Position, SourceDocument } from "./read-documents";

/** A valid document and where it was written: "file:line:column". */
export interface GivenDocument extends CheckedDocument {
  readonly place: string;
}

export interface Reading {
  /** What messages call the input. */
  readonly input: string;
  /** Where an HPA that names no namespace belongs; one that names another is refused when `enforceNamespace` is set. */
  readonly namespace: string;
  readonly enforceNamespace?: boolean;
}

/** The document, or a line for each of its problems, each with the place of the field that it is about. */
export function checkSource(
  source: SourceDocument,
  reading: Reading,
): GivenDocument | { readonly problems: readonly string[] } {
  const at = ({ line, column }: Position) => `${reading.input}:${line}:${column}`;
  if ("error" in source) return { problems: [`${at(source)}: ${source.error}`] };
  const result = checkDocument(source.value, reading.namespace);
  if ("errors" in result) {
    const { kind, name } = nameOf(source.value);
    const subject = `The ${kind} ${JSON.stringify(name)} is invalid`;
    const distinct = [...new Set(result.errors)];
    return { problems: distinct.map((error) => `${at(source.locate(fieldOf(error)))}: ${subject}: ${error}`) };
  }
  const { checked } = result;
  const elsewhere = namespaceProblem(checked, reading);
  if (elsewhere !== undefined) return { problems: [`${at(source.locate("metadata.namespace"))}: ${elsewhere}`] };
  return { ...checked, place: at(source) };
}

/** In the words of cli-runtime's RequireNamespace. */
function namespaceProblem(
  { namespace: own }: CheckedDocument,
  { namespace, enforceNamespace }: Reading,
): string | undefined {
  if (enforceNamespace !== true || own === undefined || own === namespace) return undefined;
  return `the namespace from the provided object "${own}" does not match the namespace "${namespace}". You must pass '--namespace=${own}' to perform this operation.`;
}
