import type { Field } from "../../cli/understand/explain/field-help";
import { cellText, code } from "./cell-text";

/** One list of a kind: its fields and all nested fields, as dotted paths relative to the list's path. */
export interface FieldList {
  /** The path in the document that the list describes, with a dot at its end: "spec.". */
  readonly path: string;
  /** A link to the field's own list; undefined if this list describes the field. */
  readonly elsewhere: (path: string) => string | undefined;
  /** The list's name, for later lists that have the same fields. */
  readonly title: string;
  /** By content, the title of the list that described a field first. All lists of a page share it, and add to it. */
  readonly described: Map<string, string>;
}

/**
 * The fields as a Markdown list: name, value, default, description. A field with the members of an earlier one of the
 * list refers to it. Fields that an earlier list has described are only named, at the end.
 */
export function fieldList(members: readonly Field[], { path, elsewhere, title, described }: FieldList): string {
  const shownFor = new Map<string, string>();
  const again = new Map<string, string[]>();
  const forms = new Set<string>();

  /** A form that a field of the same name has above is not repeated: `queries[].statistic`. */
  const lineOf = (field: Field, name: string, more?: string) => {
    const known = `${field.name} ${field.form}`;
    const isKnown = forms.has(known);
    forms.add(known);
    return fieldLine(isKnown ? { ...field, form: "text", values: [], examples: [] } : field, name, more);
  };

  const linesOf = (field: Field, prefix: string): string[] => {
    if (/^The API server's own|; set (?:by ebb|on creation)\.$/.test(field.description)) return [];
    const name = `${prefix}${field.name}${field.isList && field.members.length > 0 ? "[]" : ""}`;
    const link = elsewhere(`${path}${name}`.replaceAll("[]", ""));
    if (link !== undefined) return [fieldLine({ ...field, description: "" }, name, link)];
    const content = JSON.stringify(field);
    const first = described.get(content) ?? title;
    if (first !== title) {
      again.set(first, [...(again.get(first) ?? []), code(name)]);
      return [];
    }
    described.set(content, title);
    const inner = JSON.stringify(field.members, (key, value: unknown) => (key === "isRequired" ? undefined : value));
    const like = shownFor.get(inner);
    if (like !== undefined) return [lineOf(field, name, `Its fields: as of ${code(like)}.`)];
    if (field.members.length > 0) shownFor.set(inner, name);
    const { own, alike } = field.isList ? splitAlike(field.members, members) : { own: field.members, alike: [] };
    const asAbove = alike.length === 0 ? "" : `Each may have its own ${alike.map(code).join(", ")}.`;
    return [lineOf(field, name, asAbove), ...own.flatMap((member) => linesOf(member, `${name}.`))];
  };

  const lines = members.flatMap((member) => linesOf(member, ""));
  const others = [...again].map(([first, names]) => `As ${first} has them: ${names.join(", ")}.`);
  return [lines.join("\n"), ...others].filter(Boolean).join("\n\n");
}

/** Members of a list's elements that are called like fields beside the list, and mean the same for one element. */
function splitAlike(inner: readonly Field[], beside: readonly Field[]) {
  const isAlike = ({ name }: Field) => beside.some((field) => field.name === name);
  return {
    own: inner.filter((member) => !isAlike(member)),
    alike: inner.filter(isAlike).map(({ name }) => name),
  };
}

export function fieldLine(field: Field, name: string, more = ""): string {
  const { isRequired, default: ifAbsent } = field;
  const needed = isRequired ? "required" : ifAbsent === undefined ? "" : `default ${cellText(ifAbsent)}`;
  // For fields that are always required; those that labels may set say it in words alone.
  const description = isRequired ? field.description.replace(/ Required\.$/, "") : field.description;
  const value = [valueOf(field), needed].filter(Boolean).join("; ");
  const head = value === "" ? code(name) : `${code(name)} (${value})`;
  return `- ${[`${head}:`, cellText(description), more].filter(Boolean).join(" ")}`;
}

/** Empty for what the members, the default or the description say. */
function valueOf({ form, values, examples, members, default: ifAbsent = "" }: Field): string {
  if (members.length > 0 || form === "an object" || form === "text") {
    return examples.length === 0 ? "" : `such as ${examples.map(code).join(", ")}`;
  }
  if (form === "true or false" && /^(?:true|false|)$/.test(ifAbsent)) return ifAbsent === "" ? form : "";
  if (values.length > 0 && form === values.join(", ")) return values.map(code).join(", ");
  return cellText(exampleIn(form).replace(/^(?:a whole number(?: from|,)|one of) /, ""));
}

/** The example of "an AWS region such as eu-west-1", the values of "a period in seconds: 1, 5"; nothing of words. */
function exampleIn(form: string): string {
  const [, example] = /(?:, which only .*)?(such as .*|(?<=: ).*)$/.exec(form) ?? [];
  return example ?? (/^(?:a|an|the|host:port|base64) (?!(?:whole )?number)/.test(form) ? "" : form);
}
