import type { Field } from "../../lib/model/field-help";
import { cellText, code } from "./cell-text";

export const fieldHead = ["field", "value", "default", "what"];

/** One table of a kind: its fields and all nested fields, as dotted paths relative to the table's path. */
export interface Table {
  /** The path in the document that the table describes, with a dot at its end: "spec.". */
  readonly path: string;
  /** A link to the field's own table; undefined if this table describes the field. */
  readonly elsewhere: (path: string) => string | undefined;
}

/** Rows of a table: field, value, default, description. A field with the members of an earlier one refers to it. */
export function fieldRows(members: readonly Field[], { path, elsewhere }: Table): string[][] {
  const shownFor = new Map<string, string>();

  const rowsOf = (field: Field, prefix: string): string[][] => {
    if (field.description.startsWith("The API server's own")) return [];
    const name = `${prefix}${field.name}${field.isList && field.members.length > 0 ? "[]" : ""}`;
    const link = elsewhere(`${path}${name}`.replaceAll("[]", ""));
    if (link !== undefined) return [row({ ...field, description: "" }, name, link)];
    const inner = JSON.stringify(field.members, (key, value: unknown) => (key === "isRequired" ? undefined : value));
    const like = shownFor.get(inner);
    if (like !== undefined) return [row(field, name, `Its fields: as of ${code(like)}.`)];
    if (field.members.length > 0) shownFor.set(inner, name);
    return [row(field, name), ...field.members.flatMap((member) => rowsOf(member, `${name}.`))];
  };

  return members.flatMap((member) => rowsOf(member, ""));
}

function row(field: Field, name: string, more = ""): string[] {
  const ifAbsent = field.isRequired ? "required" : cellText(field.default ?? "");
  return [code(name), valueOf(field), ifAbsent, [cellText(field.description), more].filter(Boolean).join(" ")];
}

function valueOf({ form, values, examples }: Field): string {
  if (values.length > 0 && form === values.join(", ")) return values.map(code).join(", ");
  if (form !== "text" || examples.length === 0) return cellText(form);
  return `text, such as ${examples.map(code).join(", ")}`;
}
