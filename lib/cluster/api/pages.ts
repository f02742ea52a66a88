import { Fault, isFault } from "../../model/fault";
import type { ApiClient, ApiObject, ApiRequest } from "./api-client";
import { isMap, present } from "../../k8s/map";

/** Far above any list: 100,000 objects at 500 a page. */
const maxPages = 200;
const gone = 410;

export interface PagedQuery {
  readonly first: Readonly<Record<string, string>>;
  readonly all: Readonly<Record<string, string>>;
}

/** Restarts once after an expired page. An incomplete list is an error, because a decision would take it for all. */
export async function listPages(
  api: ApiClient,
  request: Omit<ApiRequest, "method" | "query"> & { readonly query: PagedQuery },
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  try {
    return await readPages(api, request, signal);
  } catch (error) {
    if (!isFault(error) || error.status !== gone) throw error;
    return await readPages(api, request, signal);
  }
}

async function readPages(
  api: ApiClient,
  { query: { first, all }, ...request }: Parameters<typeof listPages>[1],
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  const what = request.subject.resource ?? request.subject.path;
  const read = (query: Readonly<Record<string, string>>) => api({ ...request, method: "GET", query }, signal);
  const items: unknown[] = [];
  const tokens = new Set<string>();
  let page = await read({ ...all, ...first });
  for (;;) {
    for (const item of itemsOf(page, what)) items.push(item);
    const token = continueToken(page, what);
    if (token === undefined) return items;
    if (tokens.has(token))
      throw new Fault(
        "badAnswer",
        `${what}: expected each page to have its own continue token, got the same one again`,
      );
    tokens.add(token);
    if (tokens.size === maxPages) throw new Fault("badAnswer", `${what}: expected at most ${maxPages} pages, got more`);
    page = await read({ ...all, continue: token });
  }
}

/** Go may serialize an empty list as null. */
function itemsOf(list: ApiObject, what: string): readonly unknown[] {
  const items = list["items"] ?? [];
  if (Array.isArray(items)) return items;
  throw new Fault("badAnswer", `${what}: expected items as a list, got ${JSON.stringify(items).slice(0, 200)}`);
}

function continueToken(list: ApiObject, what: string): string | undefined {
  const token = (list["metadata"] as { readonly continue?: unknown } | null | undefined)?.continue ?? "";
  if (typeof token === "string") return token === "" ? undefined : token;
  throw new Fault(
    "badAnswer",
    `${what}: expected metadata.continue as text, got ${JSON.stringify(token).slice(0, 200)}`,
  );
}

export interface ObjectList {
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
