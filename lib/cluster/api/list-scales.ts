import { isMap } from "../../k8s/map";
import type { LabelSelector, LabelSelectorRequirement, Scale } from "../../k8s/objects";
import { formatSelector, selectorFrom, SelectorError } from "../../k8s/selector";
import { Fault, isFault } from "../../model/fault";
import type { ApiClient, ApiObject } from "./api-client";
import type { Subject } from "./api-fault";
import type { ServedResource } from "./discovery-documents";
import { readLabels } from "./readable";
import { readScale, scaleSubject } from "./scale";

/** Which objects of a resource to read, in one namespace or in all. */
export interface ScaleList {
  readonly resource: ServedResource;
  readonly namespace?: string;
  /** Names by namespace. */
  readonly wanted: ReadonlyMap<string, ReadonlySet<string>>;
  /** At most so many objects are read, wanted or not. */
  readonly most: number;
  readonly timeoutMs: number;
}

export interface ListedScales {
  /** By namespace and name. What is not here has to be asked for: the list may have left it out. */
  readonly scales: ReadonlyMap<string, () => Scale>;
  /** Of the list. */
  readonly resourceVersion: bigint;
  /** Whether the list had all objects of its scope. */
  readonly isWhole: boolean;
}

/** Kinds whose objects say what their /scale says, by group, version and resource; and how they say their selector. */
const selectorOf: ReadonlyMap<string, (selector: unknown) => LabelSelector | undefined> = new Map([
  ["apps/v1/deployments", readSelector],
  ["apps/v1/statefulsets", readSelector],
  ["apps/v1/replicasets", readSelector],
  ["/v1/replicationcontrollers", (labels: unknown) => readSelector({ matchLabels: labels })],
]);

const idOf = ({ group, version, resource }: ServedResource) => `${group}/${version}/${resource}`;

/** Whether the scales of a resource can be read from a list of its objects. */
export function isListable(resource: ServedResource): boolean {
  return resource.hasScale && selectorOf.has(idOf(resource));
}

/** The same in RBAC's words, which have no versions. */
export function mayBeListed({ group, resource }: Pick<ServedResource, "group" | "resource">): boolean {
  return [...selectorOf.keys()].some((id) => id.startsWith(`${group}/`) && id.endsWith(`/${resource}`));
}

/**
 * Reads scales from a list of their objects. Without a resourceVersion in the query, the API server answers with what
 * is stored when the request arrives, as for a GET. An object that says anything unusual is left to GET /scale.
 */
export async function listScales(api: ApiClient, list: ScaleList, signal: AbortSignal): Promise<ListedScales> {
  const { resource, namespace, most, timeoutMs } = list;
  const group = resource.group === "" ? "api" : `apis/${resource.group}`;
  const scope = namespace === undefined ? "" : `/namespaces/${encodeURIComponent(namespace)}`;
  const path = `/${group}/${resource.version}${scope}/${resource.resource}`;
  const { group: apiGroup, resource: plural } = resource;
  const place = namespace === undefined ? {} : { namespace };
  const subject: Subject = { verb: "list", group: apiGroup, resource: plural, path, ...place };
  const answer = await api(
    {
      ...{ method: "GET", subject, large: true, fate: `list ${path}`, timeoutMs },
      query: { limit: String(most) },
      kinds: [`${resource.kind}List`],
      trim: (item) => trimObject(item, list.wanted),
    },
    signal,
  );
  return { ...versionOf(answer, subject), scales: scalesIn(answer, resource) };
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

/** Since Kubernetes 1.35, versions of built-in kinds can be compared as numbers. They have been numbers all along. */
export function isNumber(resourceVersion: string): boolean {
  return /^[0-9]{1,20}$/.test(resourceVersion);
}

/** What the scale of a wanted object is made of; null for any other item. */
interface Trimmed {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly replicas: unknown;
  readonly statusReplicas: unknown;
  readonly selector: unknown;
}

/** A served Deployment has 1.5 KB and more. This has 0.2 KB. */
function trimObject(item: unknown, wanted: ScaleList["wanted"]): Trimmed | null {
  const { metadata, spec, status } = membersOf(item);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = membersOf(metadata);
  if (typeof name !== "string" || typeof namespace !== "string") return null;
  if (wanted.get(namespace)?.has(name) !== true) return null;
  const { replicas, selector } = membersOf(spec);
  const { replicas: statusReplicas = 0 } = membersOf(status);
  return { metadata: { name, namespace, uid, resourceVersion, creationTimestamp }, replicas, statusReplicas, selector };
}

function scalesIn(list: ApiObject, resource: ServedResource): ListedScales["scales"] {
  const scales = new Map<string, () => Scale>();
  const twice = new Set<string>();
  const items = Array.isArray(list["items"]) ? (list["items"] as readonly (Trimmed | null)[]) : [];
  for (const item of items) {
    if (!isMap(item)) continue;
    const { metadata } = item as unknown as Trimmed;
    const key = scaleKey(String(metadata["namespace"]), String(metadata["name"]));
    const scale = readable(item, resource);
    if (scales.has(key)) twice.add(key);
    if (scale !== undefined) scales.set(key, scale);
  }
  for (const key of twice) scales.delete(key);
  return scales;
}

/** Makes a new Scale at each call; undefined if the object does not say all of it. */
function readable(item: Trimmed, resource: ServedResource): (() => Scale) | undefined {
  const { metadata, replicas, statusReplicas, selector } = item;
  const { name, namespace, uid } = metadata as { readonly name: string; readonly namespace: string; uid: unknown };
  const subject = scaleSubject("get", resource, { kind: resource.kind, namespace, name });
  if (typeof uid !== "string" || typeof replicas !== "number") return undefined;
  const structured = selectorOf.get(idOf(resource))?.(selector);
  if (structured === undefined) return undefined;
  try {
    const text = formatSelector(selectorFrom(structured));
    const object = {
      kind: "Scale",
      metadata,
      spec: { replicas },
      status: { replicas: statusReplicas, selector: text },
    };
    const make = () => readScale(object, subject);
    make();
    return make;
  } catch (error) {
    if (isFault(error) || error instanceof SelectorError) return undefined;
    throw error;
  }
}

/** A selector of this form; undefined for anything else. */
function readSelector(value: unknown): LabelSelector | undefined {
  if (!isMap(value)) return undefined;
  const { matchLabels = {}, matchExpressions = [] } = value;
  const labels = readLabels(matchLabels);
  if (labels === undefined || !Array.isArray(matchExpressions) || !matchExpressions.every(isExpression))
    return undefined;
  return { matchLabels: labels, matchExpressions };
}

function isExpression(value: unknown): value is LabelSelectorRequirement {
  if (!isMap(value)) return false;
  const { key, operator, values = [] } = value;
  const isTexts = Array.isArray(values) && values.every((each) => typeof each === "string");
  return typeof key === "string" && typeof operator === "string" && isTexts;
}

export function scaleKey(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isMap(value) ? value : {};
}
