import { type JsonPathTemplate, parseTemplate } from "../jsonpath/template";
import { failure } from "../failure";

/** What `-o` asks for. */
export type OutputFormat =
  | { readonly kind: "table"; readonly wide: boolean }
  | { readonly kind: "json" | "name" | "yaml" }
  | { readonly kind: "jsonpath"; readonly template: JsonPathTemplate };

/** @throws Failure for a format that there is not, or a template that cannot be read. */
export function outputFormat(given: string | undefined): OutputFormat {
  if (given === undefined || given === "wide") return { kind: "table", wide: given === "wide" };
  if (given === "json" || given === "name" || given === "yaml") return { kind: given };
  const [, template] = /^jsonpath=(.*)$/s.exec(given) ?? [];
  if (template !== undefined && template !== "") return { kind: "jsonpath", template: parseTemplate(template) };
  if (/^jsonpath=?$/.test(given)) throw failure("template format specified but no template given", 2);
  const allowed = "json,jsonpath,name,wide,yaml";
  throw failure(
    `unable to match a printer suitable for the output format "${given}", allowed formats are: ${allowed}`,
    2,
  );
}
