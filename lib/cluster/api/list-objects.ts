import { isMap, present } from "../../k8s/map";
import { Fault } from "../../model/fault";
import type { ApiClient } from "./api-client";
import { listPages } from "./pages";

export interface ObjectList {
  /** "" is the core group. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespace?: string;
}

/** With apiVersion and kind, which a list's items lack. */
export type ListedObject = Readonly<Record<string, unknown>> & {
  readonly metadata: Readonly<Record<string, unknown>> & { readonly name: string };
};

const limit = "500";

/** Rejects with a Fault. */
export async function listObjects(
  api: ApiClient,
  { group, version, resource, kind, namespace }: ObjectList,
  signal: AbortSignal,
): Promise<readonly ListedObject[]> {
  const apiVersion = group === "" ? version : `${group}/${version}`;
  const scope = namespace === undefined ? "" : `/namespaces/${encodeURIComponent(namespace)}`;
  const path = `/${group === "" ? "api" : "apis"}/${apiVersion}${scope}/${resource}`;
  const subject = { verb: "list", group, resource, path, ...present({ namespace }) } as const;
  const query = { first: {}, all: { limit } };
  const items = await listPages(api, { subject, query, large: true, kinds: [`${kind}List`] }, signal);
  return items.map((item, index) => {
    if (hasName(item)) return { ...item, apiVersion, kind };
    const got = JSON.stringify(item).slice(0, 200);
    throw new Fault("badAnswer", `${resource}: expected items[${index}].metadata.name, got ${got}`);
  });
}

function hasName(item: unknown): item is ListedObject {
  return isMap(item) && isMap(item["metadata"]) && typeof item["metadata"]["name"] === "string";
}
