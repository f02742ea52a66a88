import { escapeLine } from "../../lib/k8s/printing/columns";
import { toJson } from "../../lib/k8s/printing/to-json";
import { toYaml } from "../../lib/k8s/printing/to-yaml";
import { type Found, resourceNames, type Scope } from "../../lib/read/found";
import { failure } from "../failure";
import { type JsonPathTemplate, fillTemplate, parseTemplate } from "../jsonpath/template";

/** What `-o` asks for. */
export type OutputFormat =
  | { readonly kind: "table"; readonly wide: boolean }
  | { readonly kind: "json" | "name" | "yaml" }
  | { readonly kind: "jsonpath"; readonly template: JsonPathTemplate };

/** @throws Failure for an unknown format, or a template that does not parse */
export function outputFormat(given: string | undefined): OutputFormat {
  if (given === undefined || given === "wide") return { kind: "table", wide: given === "wide" };
  if (given === "json" || given === "name" || given === "yaml") return { kind: given };
  const [, template] = /^jsonpath=(.*)$/s.exec(given) ?? [];
  if (template !== undefined && template !== "") return { kind: "jsonpath", template: parseTemplate(template) };
  if (/^jsonpath=?$/.test(given)) throw failure("template format specified but no template given");
  const allowed = "json,jsonpath,name,wide,yaml";
  throw failure(`unable to match a printer suitable for the output format "${given}", allowed formats are: ${allowed}`);
}

export type DocumentFormat = Exclude<OutputFormat, { readonly kind: "table" }>;

export interface Printable {
  readonly scope: Scope;
  readonly found: Found;
}

/** Objects as text: a single one if asked for by name, else a List, as in kubectl. */
export function printObjects(objects: readonly Printable[], format: DocumentFormat, single: boolean): string {
  if (format.kind === "name") return objects.map(nameLine).join("");
  const [first] = objects;
  return printDocument(single && first ? first.found.object : listOf(objects.map(({ found }) => found.object)), format);
}

/** One object, or one List. */
export function printDocument(document: object, format: Exclude<DocumentFormat, { readonly kind: "name" }>): string {
  if (format.kind === "jsonpath") return fillTemplate(format.template, document);
  return format.kind === "json" ? toJson(document) : toYaml(document);
}

export function nameLine({ scope, found }: Printable): string {
  return `${resourceNames[scope.resource.name].singular}/${escapeLine(found.name)}\n`;
}

function listOf(items: readonly object[]): object {
  return { apiVersion: "v1", items, kind: "List", metadata: { resourceVersion: "" } };
}
