import { escapeLine, type TerminalSize } from "../../../lib/k8s/escape-terminal";
import { toJson } from "./to-json";
import { toYaml } from "./to-yaml";
import { type Found, resourceNames, type Scope } from "../../../lib/read/found";
import { fillAsJson, fillTemplate } from "./json-path-template";
import { printColumns } from "./custom-columns";
import type { DocumentFormat } from "./output-format";

export interface Printable {
  readonly scope: Scope;
  readonly found: Found;
}

export interface ListStyle extends TerminalSize {
  /** Selected by name, so printed without a List. */
  readonly single: boolean;
  readonly headers: boolean;
}

/** A single object or a List, as in kubectl. */
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
