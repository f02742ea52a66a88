import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, type ScalarTag } from "yaml";
import { validateHpa } from "../../lib/k8s/validate/validate-hpa";
import type { Item } from "../../lib/table/items/attributes";
import { decodeCluster, decodeSource } from "../../lib/table/items/resource-items";
import { decodeHpaItem } from "../../lib/table/items/hpa-document";

export const examplePath = (name: string) => join(__dirname, "../../examples", name);
export const exampleText = (name: string) => readFileSync(examplePath(name), "utf8");

/** What a sync makes of an item that a user wrote. */
export function meaningOf(item: Item): unknown {
  const sk = item["sk"]?.S ?? "";
  if (sk === "CLUSTER") {
    const cluster = decodeCluster(item);
    // When it was registered, only `ebb apply` writes; a sync does not look at it.
    return "value" in cluster ? { ...cluster, value: { ...cluster.value, registeredAt: undefined } } : cluster;
  }
  if (sk.startsWith("SOURCE#")) return decodeSource(item);
  const { key, document } = decodeHpaItem(item);
  const { errors, hpa } = validateHpa(document, { assumeKind: true });
  return { key, errors, apiVersion: hpa?.apiVersion, spec: hpa?.spec };
}

/** Of several items, by their keys. */
export function meaningsOf(items: readonly Item[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(items.map((item) => [`${item["pk"]?.S} ${item["sk"]?.S}`, meaningOf(item)]));
}

/** The three entries that every way of writing them makes: `put-*.json` are the items themselves. */
export function putItems(): readonly Item[] {
  return ["put-cluster.json", "put-hpa.json", "put-source.json"].map((name) => JSON.parse(exampleText(name)) as Item);
}

export interface Template {
  readonly Resources: Readonly<
    Record<string, { readonly Type: string; readonly Properties: Readonly<Record<string, unknown>> }>
  >;
}

/** CloudFormation's short forms are tags that YAML does not know; here only their text matters. */
export function readTemplate(): Template {
  const tag = (name: string): ScalarTag => ({ tag: name, resolve: (text) => text });
  const customTags = ["!Ref", "!Sub", "!GetAtt"].map(tag);
  return parse(exampleText("cloudformation/entries.yaml"), { customTags }) as Template;
}
