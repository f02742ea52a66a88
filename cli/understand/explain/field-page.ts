import { escapeLine } from "../../../lib/k8s/escape-terminal";
import {
  type Field,
  type DocumentedKind,
  type FoundField,
  documentedKinds,
  findFields,
  memberNames,
} from "./field-help";
import { type EntryKind, kinds } from "../../../lib/model/entry/kinds";
import { failure } from "../../shell/failure";
import { resourceOf } from "../../shell/input/parse-targets";
import { wrap } from "./page";

interface PageStyle {
  readonly isDocument: boolean;
  readonly asTree: boolean;
}

/**
 * In the layout of `kubectl explain`, with tabs before types. Source: k8s.io/kubectl,
 * pkg/explain/v2/templates/plaintext.tmpl
 */
export function fieldPage(kind: EntryKind, found: readonly FoundField[], { isDocument, asTree }: PageStyle): string {
  const [group, version] = kinds[kind].apiVersion.split("/");
  const heading = [`GROUP:      ${group}`, `KIND:       ${kind}`, `VERSION:    ${version}`, ""];
  const sections = found.flatMap((one) => [
    ...(isDocument ? [] : title(one)),
    "DESCRIPTION:",
    ...indented(4, long(one.field)),
    "",
    ...(asTree ? trees(one.field) : lists(one.field)),
  ]);
  return [...heading, ...sections].join("\n");
}

function title({ field: { name, type, values }, when }: FoundField): readonly string[] {
  const known = values.length === 0 ? [] : ["ENUM:", ...values.map((value) => `    ${value}`)];
  return [`FIELD: ${name} <${type}>${when === undefined ? "" : ` (${when})`}`, ...known, ""];
}

function lists({ members, variants }: Field): readonly string[] {
  const own = members.length === 0 ? [] : ["FIELDS:", ...listed(members)];
  return [
    ...own,
    ...variants.flatMap(({ when, description, members }) => [
      `FIELDS (${when}):`,
      ...indented(2, description),
      "",
      ...listed(members),
    ]),
  ];
}

function trees({ members, variants }: Field): readonly string[] {
  const own = members.length === 0 ? [] : ["FIELDS:", ...branches(members, 1), ""];
  return [...own, ...variants.flatMap(({ when, members }) => [`FIELDS (${when}):`, ...branches(members, 1), ""])];
}

function branches(members: readonly Field[], level: number): readonly string[] {
  const indent = "  ".repeat(level);
  return byName(members).flatMap((member) => [
    ...head(member).map((line) => indent + line),
    ...branches(member.members, level + 1),
    ...member.variants.flatMap(({ when, members }) => [`${indent}  (${when})`, ...branches(members, level + 2)]),
  ]);
}

function head({ name, type, isRequired, values }: Field): readonly string[] {
  const line = `${name}\t<${type}>${isRequired ? " -required-" : ""}`;
  return values.length === 0 ? [line] : [line, `enum: ${fewOf(values)}`];
}

function byName(members: readonly Field[]): readonly Field[] {
  return [...members].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function listed(members: readonly Field[]): readonly string[] {
  return byName(members).flatMap((member) => [
    ...head(member).map((line) => `  ${line}`),
    ...indented(4, short(member)),
    "",
  ]);
}

function fewOf(values: readonly string[]): string {
  return `${values.slice(0, 4).join(", ")}${values.length > 4 ? ", ...." : ""}`;
}

function short({ description, default: ifAbsent }: Field): string {
  const parts = [description, ...(ifAbsent === undefined ? [] : [`Default: ${ifAbsent}.`])];
  return parts.filter((part) => part !== "").join(" ");
}

function long(field: Field): string {
  const { form, values, members, variants, examples } = field;
  const isEvident = members.length + variants.length + values.length > 0 || form === "";
  const such = form === "text" && examples.length > 0 ? `, such as ${examples.join(", ")}` : "";
  return [short(field), ...(isEvident ? [] : [`Expected: ${form}${such}.`])].join(" ");
}

function indented(by: number, text: string): readonly string[] {
  return wrap(text, 80 - by).map((line) => `${" ".repeat(by)}${line}`);
}

/**
 * For a path such as "hpa.spec.behavior", or from an error: "hpa.spec.metrics[0].type".
 *
 * @throws Failure when there is no such field.
 */
export function explainFields(path: string, asTree = false): string {
  const [word = "", ...names] = path.replace(/\[[^\]]*\]/g, "").split(".");
  const { kind, document, word: shown } = kindOf(word);
  const whole = document();
  for (const [depth, name] of names.entries()) {
    const known = memberNames(findFields(whole, names.slice(0, depth)));
    if (known.includes(name)) continue;
    const parent = [shown, ...names.slice(0, depth)].join(".");
    const others = known.length === 0 ? `${parent} has none` : `${parent} has ${known.join(", ")}`;
    throw failure(`field "${escapeLine(name)}" does not exist; ${others}`);
  }
  return fieldPage(kind, findFields(whole, names), { isDocument: names.length === 0, asTree });
}

function kindOf(word: string): DocumentedKind {
  const { name } = resourceOf(word);
  if (name !== "events") return documentedKinds[name];
  throw failure("events have no fields to explain; expected cluster, hpa or source");
}
