import { type EntryKind, kinds } from "../../../lib/model/entry/kinds";
import type { EntryDocument } from "../../../lib/model/ports/entries";

/** An entry's kind, name and document. */
export interface PrintedObject {
  readonly kind: EntryKind;
  readonly name: string;
  readonly document: EntryDocument;
}

/** "horizontalpodautoscaler.autoscaling/web" */
export function objectName({ kind, name }: Pick<PrintedObject, "kind" | "name">): string {
  return `${kinds[kind].singular}/${name}`;
}
