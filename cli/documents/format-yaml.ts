import { stringify } from "yaml";

/** A document as kubectl prints it with -o yaml: keys in order, lists not indented, and what YAML 1.1 would misread in quotes. */
export function formatYaml(document: unknown): string {
  return stringify(document, {
    version: "1.1",
    sortMapEntries: true,
    indentSeq: false,
    lineWidth: 0,
    aliasDuplicateObjects: false,
  });
}
