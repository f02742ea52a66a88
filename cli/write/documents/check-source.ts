import { isMap } from "../../../lib/k8s/map";
import { type CheckedDocument, checkDocument } from "./check-document";
import type { Position, SourceDocument } from "./read-documents";

/** The kind and name in a document that may be invalid. */
export function kindAndName(given: unknown): { readonly kind: string; readonly name: string } {
  const { kind, metadata } = (given ?? {}) as { readonly kind?: unknown; readonly metadata?: unknown };
  const { name } = (metadata ?? {}) as { readonly name?: unknown };
  return {
    kind: typeof kind === "string" && kind !== "" ? kind : "HorizontalPodAutoscaler",
    name: typeof name === "string" ? name : "",
  };
}

/** How a message about an invalid document begins, as kubectl's. */
export function invalidSubject({ kind, name }: { readonly kind: string; readonly name: string }): string {
  return `The ${kind} ${JSON.stringify(name)} is invalid`;
}

/** A valid document and where it was written: "file:line:column". */
export interface GivenDocument extends CheckedDocument {
  readonly place: string;
  /** The place of a field, or of its nearest parent that was written. */
  readonly placeOf?: (field: string) => string;
}

export interface Reading {
  /** What messages call the input. */
  readonly input: string;
  /** The namespace of an HPA that names none. With `enforceNamespace`, an HPA that names another is an error. */
  readonly namespace: string;
  readonly enforceNamespace?: boolean;
}

/** The document, or one line per problem, which begins with the place of the field. */
export function checkSource(
  source: SourceDocument,
  reading: Reading,
): GivenDocument | { readonly problems: readonly string[] } {
  const at = ({ line, column }: Position) => `${reading.input}:${line}:${column}`;
  if ("error" in source) return { problems: [`${at(source)}: ${source.error}`] };
  const result = checkDocument(source.value, reading.namespace);
  if ("errors" in result) {
    const hasNoKind = isMap(source.value) && source.value["kind"] === undefined;
    const subject = hasNoKind ? "The document is invalid" : invalidSubject(kindAndName(source.value));
    const lines = result.errors.map(({ path, text }) => `${at(source.locate(path))}: ${subject}: ${text}`);
    return { problems: [...new Set(lines)] };
  }
  const { checked } = result;
  const elsewhere = namespaceProblem(checked, reading);
  if (elsewhere !== undefined) return { problems: [`${at(source.locate("metadata.namespace"))}: ${elsewhere}`] };
  return { ...checked, place: at(source), placeOf: (field) => at(source.locate(field)) };
}

/** In the words of cli-runtime's RequireNamespace. */
function namespaceProblem(
  { namespace: own }: CheckedDocument,
  { namespace, enforceNamespace }: Reading,
): string | undefined {
  if (enforceNamespace !== true || own === undefined || own === namespace) return undefined;
  return `the namespace from the provided object "${own}" does not match the namespace "${namespace}". You must pass '--namespace=${own}' to perform this operation.`;
}
