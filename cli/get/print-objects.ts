import { toJson } from "../../lib/api/printing/to-json";
import { toYaml } from "../../lib/api/printing/to-yaml";
import { fillTemplate } from "../jsonpath/template";
import type { Found } from "../resources/found";
import { resourceNames } from "../resources/resource";
import type { Scope } from "../resources/scope";
import type { OutputFormat } from "./output-format";

export type ObjectFormat = Exclude<OutputFormat, { readonly kind: "table" }>;

export interface Printable {
  readonly scope: Scope;
  readonly found: Found;
}

/** Objects as text. One that was asked for by its name stands alone, all else is a List, as with kubectl. */
export function printObjects(objects: readonly Printable[], format: ObjectFormat, single: boolean): string {
  if (format.kind === "name") return objects.map(nameLine).join("");
  const [first] = objects;
  return printDocument(single && first ? first.found.object : listOf(objects.map(({ found }) => found.object)), format);
}

/** One object, or one List. */
export function printDocument(document: object, format: Exclude<ObjectFormat, { readonly kind: "name" }>): string {
  if (format.kind === "jsonpath") return fillTemplate(format.template, document);
  return format.kind === "json" ? toJson(document) : toYaml(document);
}

export function nameLine({ scope, found }: Printable): string {
  return `${resourceNames[scope.resource.name].singular}/${found.name}\n`;
}

function listOf(items: readonly object[]): object {
  return { apiVersion: "v1", items, kind: "List", metadata: { resourceVersion: "" } };
}
