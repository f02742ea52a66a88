import { readFile } from "node:fs/promises";
import { unreadable } from "../input/read-inputs";
import { type Failure, failure } from "../failure";
import { type JsonPathTemplate, parseTemplate, fillAsJson, fillTemplate } from "./json-path-template";
import { type Column, columnsInFile, parseColumns, printColumns } from "./custom-columns";
import { escapeLine, type TerminalSize } from "../../../lib/k8s/escape-terminal";
import { toJson } from "./to-json";
import { toYaml } from "./to-yaml";
import { type Found, resourceNames, type Scope } from "../../../lib/read/found";

export type OutputFormat = { readonly kind: "table"; readonly wide: boolean } | DocumentFormat;

export type DocumentFormat = ObjectFormat | { readonly kind: "columns"; readonly columns: readonly Column[] };

export type ObjectFormat =
  | { readonly kind: "json" | "name" | "yaml" }
  | { readonly kind: "jsonpath"; readonly template: JsonPathTemplate; readonly asJson: boolean };

export const tableFormats =
  "wide, json, yaml, name, jsonpath=…, jsonpath-as-json=…, jsonpath-file=…, custom-columns=… or custom-columns-file=…";

export const documentFormats = "json, yaml, name, jsonpath=…, jsonpath-as-json=… or jsonpath-file=…";

const allowed = {
  table: "custom-columns,custom-columns-file,json,jsonpath,jsonpath-as-json,jsonpath-file,name,wide,yaml",
  document: "json,jsonpath,jsonpath-as-json,jsonpath-file,name,yaml",
};

/** @throws Failure, in kubectl's words */
export async function outputFormat(given: string | undefined): Promise<OutputFormat> {
  if (given === undefined || given === "wide") return { kind: "table", wide: given === "wide" };
  const [, name = given, argument] = /^([\w-]+)=(.*)$/s.exec(given) ?? [];
  if (name === "custom-columns" || name === "custom-columns-file") {
    if (!argument) throw failure("custom-columns format specified but no custom columns given");
    const columns =
      name === "custom-columns" ? parseColumns(argument) : columnsInFile(await templateFile(argument, "template"));
    return { kind: "columns", columns };
  }
  return (await readFormat(name, argument)) ?? refuse(given, name, allowed.table);
}

/** For a verb that prints what it writes. @throws Failure */
export async function documentFormat(given: string | undefined): Promise<ObjectFormat | undefined> {
  if (given === undefined) return undefined;
  const [, name = given, argument] = /^([\w-]+)=(.*)$/s.exec(given) ?? [];
  return (await readFormat(name, argument)) ?? refuse(given, name, allowed.document);
}

async function readFormat(name: string, argument: string | undefined): Promise<ObjectFormat | undefined> {
  if ((name === "json" || name === "name" || name === "yaml") && argument === undefined) return { kind: name };
  if (name !== "jsonpath" && name !== "jsonpath-as-json" && name !== "jsonpath-file") return undefined;
  if (!argument) throw failure("template format specified but no template given");
  const template = name === "jsonpath-file" ? await templateFile(argument, "--template") : argument;
  return { kind: "jsonpath", template: parseTemplate(template), asJson: name === "jsonpath-as-json" };
}

async function templateFile(path: string, what: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw failure(`error reading ${what} ${path}: ${unreadable(path, error).message}`);
  }
}

function refuse(given: string, name: string, formats: string): never {
  throw /^(go-template|go-template-file|template|templatefile)$/.test(name)
    ? noGoTemplates(name)
    : failure(`unable to match a printer suitable for the output format "${given}", allowed formats are: ${formats}`);
}

/** docs/decisions/0040-no-go-templates.md */
function noGoTemplates(name: string): Failure {
  return failure(`-o ${name}: ebb does not have Go's templates: use -o jsonpath=… or -o custom-columns=…`);
}

export interface Printable {
  readonly scope: Scope;
  readonly found: Found;
}

interface ListStyle extends TerminalSize {
  /** Selected by name, so not in a List. */
  readonly single: boolean;
  readonly headers: boolean;
}

export function printObjects(objects: readonly Printable[], format: DocumentFormat, style: ListStyle): string {
  if (format.kind === "name") return objects.map(nameLine).join("");
  const documents = objects.map(({ found }) => found.object);
  if (format.kind === "columns") return printColumns(format.columns, documents, style.headers);
  const [first] = documents;
  return printDocument(style.single && first ? first : listOf(documents), format, style);
}

export function printDocument(
  document: object,
  format: Exclude<DocumentFormat, { readonly kind: "name" | "columns" }>,
  screen: TerminalSize,
): string {
  if (format.kind === "jsonpath") return (format.asJson ? fillAsJson : fillTemplate)(format.template, document, screen);
  return (format.kind === "json" ? toJson : toYaml)(document, screen);
}

export function nameLine({ scope, found }: Printable): string {
  return `${resourceNames[scope.resource.name].singular}/${escapeLine(found.name)}\n`;
}

function listOf(items: readonly object[]): object {
  return { apiVersion: "v1", items, kind: "List", metadata: { resourceVersion: "" } };
}
