import { type EntryKind, kinds } from "../../lib/model/entry/kinds";
import { toJson } from "../../lib/k8s/printing/to-json";
import { toYaml } from "../../lib/k8s/printing/to-yaml";
import type { EntryDocument } from "../../lib/table/items/entry-item";

export const objectFormats = ["name", "yaml", "json"] as const;
export type ObjectFormat = (typeof objectFormats)[number];

/** An entry's kind, name and document. */
export interface PrintedObject {
  readonly kind: EntryKind;
  readonly name: string;
  readonly document: EntryDocument;
}

/** As `kubectl apply -o` prints objects: several as one List. */
export function formatObjects(objects: readonly PrintedObject[], format: ObjectFormat): string {
  if (format === "name") return objects.map((object) => `${objectName(object)}\n`).join("");
  const items = objects.map(({ document }) => document);
  const [only, ...others] = items;
  const whole =
    only !== undefined && others.length === 0 ? only : { apiVersion: "v1", items, kind: "List", metadata: {} };
  return format === "yaml" ? toYaml(whole) : toJson(whole);
}

/** "horizontalpodautoscaler.autoscaling/web" */
export function objectName({ kind, name }: Pick<PrintedObject, "kind" | "name">): string {
  return `${kinds[kind].singular}/${name}`;
}
