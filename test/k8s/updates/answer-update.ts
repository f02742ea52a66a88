import { checkDocument } from "../../../cli/write/documents/check-document";
import type { EntryDocument, StoredEntry } from "../../../lib/model/ports/entries";
import { editedEntry } from "../../../lib/table/next-entry";
import type { HpaLike } from "./update-pairs";

/** What an update answers. `spec`: with its defaults, for a document in autoscaling/v2. */
export type UpdateAnswer =
  { readonly generation: unknown; readonly spec?: unknown } | { readonly errors: readonly string[] };

/** As the writing verbs answer. */
export function answerUpdate(stored: HpaLike, given: HpaLike): UpdateAnswer {
  const result = checkDocument(given, "default", { stored: { ...stored } });
  if ("errors" in result) return { errors: [...new Set(result.errors.map(({ text }) => text))] };
  const { ref, document } = result.checked;
  const entry = { ref: { cluster: "e2e", ...ref }, document: { ...stored } } as unknown as StoredEntry;
  const next = editedEntry(entry, document).document;
  const { generation } = next["metadata"] as EntryDocument;
  return given.apiVersion === "autoscaling/v2" ? { generation, spec: document["spec"] } : { generation };
}
