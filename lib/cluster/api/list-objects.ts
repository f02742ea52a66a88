import { isMap } from "../../k8s/map";
import { Fault, isFault } from "../../model/fault";
import { type ApiClient, type ApiObject } from "../transport/api-client";

/** The items of a list. Go may serialize an empty list as null. Anything but a list of objects is an error. */
export function listItems<T>(list: ApiObject, what: string): readonly T[] {
  const items = list["items"] ?? [];
  if (!Array.isArray(items))
    throw new Fault("badAnswer", `${what}: expected items as a list, got ${JSON.stringify(items)}`);
  const bad = items.findIndex((item) => !isMap(item));
  if (bad >= 0)
    throw new Fault("badAnswer", `${what}: expected items[${bad}] as an object, got ${JSON.stringify(items[bad])}`);
  return items as T[];
}

/** The items of a list of Kubernetes objects. Each has a name. */
export function namedItems<T>(list: ApiObject, what: string): readonly T[] {
  const items = listItems<{ readonly metadata?: { readonly name?: unknown } | null }>(list, what);
  items.forEach(({ metadata }, index) => {
    const name = metadata?.name;
    if (typeof name !== "string")
      throw new Fault("badAnswer", `${what}: expected items[${index}].metadata.name, got ${JSON.stringify(name)}`);
  });
  return items as readonly T[];
}

/** What to list: all objects of a resource, in one namespace or in all. */
export interface ObjectList {
  /** "" is the core group. */
  readonly group: string;
  readonly version: string;
  /** Plural, as in paths. */
  readonly resource: string;
  /** The kind of one object. */
  readonly kind: string;
  readonly namespace?: string;
}

/** With apiVersion and kind, which a list's items lack. */
export type ListedObject = Readonly<Record<string, unknown>> & {
  readonly metadata: Readonly<Record<string, unknown>> & { readonly name: string };
};

const PAGE = "500";
/** Far above any cluster's number of autoscalers. */
const MAX_PAGES = 200;
/** The HTTP status of a page that has expired. */
const GONE = 410;

/**
 * Lists all objects, page by page. If a page has expired, it starts once more from the first page. Rejects with a
 * Fault.
 */
export async function listObjects(
  api: ApiClient,
  list: ObjectList,
  signal: AbortSignal,
): Promise<readonly ListedObject[]> {
  try {
    return await readPages(api, list, signal);
  } catch (error) {
    if (!isFault(error) || error.status !== GONE) throw error;
    return await readPages(api, list, signal);
  }
}

async function readPages(
  api: ApiClient,
  { group, version, resource, kind, namespace }: ObjectList,
  signal: AbortSignal,
): Promise<readonly ListedObject[]> {
  const apiVersion = group === "" ? version : `${group}/${version}`;
  const scope = namespace === undefined ? "" : `/namespaces/${encodeURIComponent(namespace)}`;
  const path = `/${group === "" ? "api" : "apis"}/${apiVersion}${scope}/${resource}`;
  const subject = { verb: "list", group, resource, path, ...(namespace === undefined ? {} : { namespace }) } as const;
  const objects: ListedObject[] = [];
  let query: Readonly<Record<string, string>> = { limit: PAGE };
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await api({ method: "GET", subject, query, large: true, kinds: [`${kind}List`] }, signal);
    for (const object of namedItems<ListedObject>(page, resource)) objects.push({ ...object, apiVersion, kind });
    const { continue: next } = (page["metadata"] ?? {}) as { readonly continue?: unknown };
    if (typeof next !== "string" || next === "") break;
    query = { limit: PAGE, continue: next };
  }
  return objects;
}
