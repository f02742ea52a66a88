import { isMap } from "../../../k8s/map";
import type { Scale } from "../../../k8s/objects";
import { Fault, isFault } from "../../../model/fault";
import type { ApiClient, ApiObject } from "../api-client";
import type { Subject } from "../api-fault";
import type { ServedResource } from "../discovery-documents";
import { readScale, scaleSubject } from "./scale";
import type { ScaleForm, ScaleParts } from "./scale-forms";

export interface ScaleList {
  readonly resource: ServedResource;
  readonly form: ScaleForm;
  readonly namespace?: string;
  readonly wanted: ReadonlyMap<string, ReadonlySet<string>>;
  readonly most: number;
  readonly timeoutMs: number;
}

export interface ListedScales {
  /** By namespace and name. Missing ones need GET: the list may have left them out. */
  readonly scales: ReadonlyMap<string, () => Scale>;
  readonly resourceVersion: bigint;
  /** True if the list had all objects of its scope. */
  readonly isWhole: boolean;
  readonly elsewhere: number;
}

/**
 * Without a resourceVersion in the query, the API server answers as consistently as for a GET. Unusual objects are left
 * to GET /scale.
 */
export async function listScales(api: ApiClient, list: ScaleList, signal: AbortSignal): Promise<ListedScales> {
  const { resource, form, namespace, most, timeoutMs } = list;
  const group = resource.group === "" ? "api" : `apis/${resource.group}`;
  const scope = namespace === undefined ? "" : `/namespaces/${encodeURIComponent(namespace)}`;
  const path = `/${group}/${resource.version}${scope}/${resource.resource}`;
  const { group: apiGroup, resource: plural } = resource;
  const inNamespace = namespace === undefined ? {} : { namespace };
  const subject: Subject = { verb: "list", group: apiGroup, resource: plural, path, ...inNamespace };
  const answer = await api(
    {
      ...{ method: "GET", subject, large: true, failureKey: `list ${path}`, timeoutMs },
      query: { limit: String(most) },
      kinds: [form.listKind],
      trim: { keep: (item) => trimObject(item, list), unread: form.unread },
    },
    signal,
  );
  const items: readonly unknown[] = Array.isArray(answer["items"]) ? answer["items"] : [];
  const elsewhere = items.filter((item) => item === "elsewhere").length;
  return { ...versionOf(answer, subject), scales: scalesIn(items, list), elsewhere };
}

function versionOf(list: ApiObject, subject: Subject): Pick<ListedScales, "resourceVersion" | "isWhole"> {
  const metadata = isMap(list["metadata"]) ? list["metadata"] : {};
  const { resourceVersion, continue: token = "" } = metadata;
  if (typeof resourceVersion !== "string" || !isNumber(resourceVersion)) {
    const got = String(JSON.stringify(resourceVersion)).slice(0, 200);
    throw new Fault("badAnswer", `${subject.resource}: expected metadata.resourceVersion as a number, got ${got}`);
  }
  return { resourceVersion: BigInt(resourceVersion), isWhole: token === "" };
}

/** Versions of built-in kinds are comparable numbers: always in practice, by contract since Kubernetes 1.35. */
export function isNumber(resourceVersion: string): boolean {
  return /^[0-9]{1,20}$/.test(resourceVersion);
}

/** "elsewhere": in a namespace without a wanted one. */
type Item = Trimmed | "elsewhere" | null;

interface Trimmed extends ScaleParts {
  readonly metadata: Readonly<Record<string, unknown>>;
}

function trimObject(item: unknown, { wanted, form }: ScaleList): Item {
  if (!isMap(item) || !isMap(item["metadata"])) return null;
  const { name, namespace, uid, resourceVersion, creationTimestamp } = item["metadata"];
  if (typeof name !== "string" || typeof namespace !== "string") return null;
  const names = wanted.get(namespace);
  if (names === undefined) return "elsewhere";
  if (!names.has(name)) return null;
  return { metadata: { name, namespace, uid, resourceVersion, creationTimestamp }, ...form.parts(item) };
}

function scalesIn(items: readonly unknown[], list: ScaleList): ListedScales["scales"] {
  const scales = new Map<string, () => Scale>();
  const twice = new Set<string>();
  for (const item of items.filter(isMap) as unknown as readonly Trimmed[]) {
    const { metadata } = item;
    const key = scaleKey(String(metadata["namespace"]), String(metadata["name"]));
    const scale = readable(item, list);
    if (scales.has(key)) twice.add(key);
    if (scale !== undefined) scales.set(key, scale);
  }
  for (const key of twice) scales.delete(key);
  return scales;
}

/** Undefined: an incomplete object. */
function readable(item: Trimmed, { resource, form }: ScaleList): (() => Scale) | undefined {
  const { metadata, replicas, statusReplicas, selector } = item;
  const { name, namespace, uid } = metadata as { readonly name: string; readonly namespace: string; uid: unknown };
  const subject = scaleSubject("get", resource, { kind: resource.kind, namespace, name });
  if (typeof uid !== "string" || typeof replicas !== "number") return undefined;
  const text = form.selectorText(selector);
  if (text === undefined) return undefined;
  const object = { kind: "Scale", metadata, spec: { replicas }, status: { replicas: statusReplicas, selector: text } };
  const make = () => readScale(object, subject);
  try {
    make();
    return make;
  } catch (error) {
    if (isFault(error)) return undefined;
    throw error;
  }
}

export function scaleKey(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}
