import { escapeLine } from "../../../lib/k8s/escape-terminal";
import { present } from "../../../lib/k8s/map";
import { type Selector, SelectorError, parseSelector } from "../../../lib/k8s/selector";
import type { EntryKind } from "../../../lib/model/entry/kinds";
import { type Listing, findObjects } from "../../../lib/read/find";
import { type Found, type ResourceName, type ResourceType, type Scope, resourceNames } from "../../../lib/read/found";
import { failure, serverFailure } from "../failure";
import type { Session } from "../session";
import type { ResourceQuery } from "./parse-targets";
import { type SearchLocation, otherNamespaces, suggestions } from "./suggest";

export interface Narrowing {
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  readonly fieldSelector?: string;
}

export const resourceOfKind: Readonly<Record<EntryKind, ResourceName>> = {
  Cluster: "clusters",
  HorizontalPodAutoscaler: "hpa",
  MetricSource: "sources",
};

export function entryKindOf(resource: ResourceName): EntryKind | undefined {
  return (Object.keys(resourceOfKind) as EntryKind[]).find((kind) => resourceOfKind[kind] === resource);
}

/** @throws Failure, in kubectl's words, for a contradictory query */
export async function find(session: Session, query: ResourceQuery, narrowing: Narrowing): Promise<Listing> {
  const { resource, names } = query;
  const { allNamespaces = false, selector, fieldSelector: fields } = narrowing;
  if (names !== undefined && (selector !== undefined || fields !== undefined))
    throw failure("name cannot be provided when a selector is specified");
  const hasFields = fields === undefined ? undefined : fieldSelector(fields, resource.name);
  const selected = selector === undefined ? undefined : selectorFor(selector, resource.name);
  const listing = await findObjects(session, await scopeOf(session, query, allNamespaces), selected);
  for (const problem of listing.problems) session.out.warn(problem);
  return hasFields === undefined ? listing : { ...listing, found: listing.found.filter(hasFields) };
}

async function scopeOf(session: Session, query: ResourceQuery, allNamespaces: boolean): Promise<Scope> {
  const { resource, names, place } = query;
  if (place !== undefined) {
    const { cluster, namespace } = place;
    return { resource, clusters: [cluster], ...present({ namespace, names }) };
  }
  const { namespaced } = resourceNames[resource.name];
  if (names !== undefined && allNamespaces && namespaced)
    throw failure("a resource cannot be retrieved by name across all namespaces");
  return {
    resource,
    clusters: await clustersOf(session, resource),
    ...(namespaced && !allNamespaces && { namespace: session.settings.namespace }),
    ...present({ names }),
  };
}

async function clustersOf(session: Session, { name }: ResourceType): Promise<readonly string[]> {
  if (name !== "clusters") return await session.clusters();
  return (await session.store.clusters(session.signal)).map(({ key }) => key);
}

export async function notFoundLines(session: Session, { scope, missing }: Listing): Promise<readonly string[]> {
  return await missingLines(session, locationOf(scope), missing);
}

/** Prints kubectl's words, and namespaces that have objects. */
export async function noteNothing(session: Session, place: SearchLocation): Promise<void> {
  const { namespace } = place;
  session.out.note(namespace === undefined ? "No resources found" : `No resources found in ${namespace} namespace.`);
  const others = await otherNamespaces(session, place);
  if (others !== undefined) session.out.note(others);
}

export function locationOf({ resource, clusters, namespace }: Scope): SearchLocation {
  return { resource: resource.name, clusters, ...present({ namespace }) };
}

export async function missingLines(
  session: Pick<Session, "entries" | "store" | "signal">,
  place: SearchLocation,
  names: readonly string[],
): Promise<readonly string[]> {
  const { plural } = resourceNames[place.resource];
  const meant = await suggestions(session, place, names);
  return names.flatMap((name, at) => {
    const line = serverFailure("NotFound", `${plural} "${escapeLine(name)}" not found`).message;
    const hint = meant[at];
    return hint === undefined ? [line] : [line, hint];
  });
}

/** @throws Failure, in the API server's words, for an invalid selector */
export function selectorFor(text: string, name: ResourceName): Selector {
  try {
    return parseSelector(text);
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    const { plural } = resourceNames[name];
    throw serverFailure(
      "BadRequest",
      `Unable to find "${plural}" that match label selector "${text}": ${error.message}`,
    );
  }
}

type FieldSelector = (found: Found) => boolean;

/** The API server selects each type by these. */
const metadataFields = ["metadata.name", "metadata.namespace"];
const eventFields = [
  "involvedObject.kind",
  "involvedObject.namespace",
  "involvedObject.name",
  "involvedObject.uid",
  "involvedObject.apiVersion",
  "reason",
  "reportingComponent",
  "source",
  "type",
];

interface Requirement {
  readonly field: string;
  readonly value: string;
  readonly equal: boolean;
}

/** `field=value`, `field==value` or `field!=value`, separated by commas. @throws Failure */
function fieldSelector(text: string, name: ResourceName): FieldSelector {
  const required = text
    .split(",")
    .filter((part) => part !== "")
    .map((part) => requirementOf(part, text, name));
  return (found) => required.every(({ field, value, equal }) => (fieldOf(found, field) === value) === equal);
}

function requirementOf(part: string, text: string, name: ResourceName): Requirement {
  const [, field, operator, value = ""] = /^(.*?)(!=|==|=)(.*)$/s.exec(part) ?? [];
  if (field === undefined) throw refusal(text, name, `invalid selector: '${text}'; can't understand '${part}'`);
  const known = [...metadataFields, ...(name === "events" ? eventFields : [])];
  if (!known.includes(field)) {
    const only = known.map((one) => `"${one}"`).join(", ");
    throw refusal(text, name, `"${field}" is not a known field selector: only ${only}`);
  }
  return { field, value, equal: operator !== "!=" };
}

function refusal(text: string, name: ResourceName, why: string): Error {
  const resource = name === "hpa" ? "autoscaling/v2, Resource=horizontalpodautoscalers" : resourceNames[name].plural;
  const message = `Unable to find "${resource}" that match label selector "", field selector "${text}": ${why}`;
  return serverFailure("BadRequest", message);
}

function fieldOf(found: Found, field: string): string {
  if (field === "metadata.name") return found.name;
  if (field === "metadata.namespace") return found.namespace ?? "";
  const [first = "", second = ""] = (field === "source" ? "source.component" : field).split(".");
  const member = (found.object as Readonly<Record<string, unknown>>)[first];
  const value = second === "" ? member : (member as Readonly<Record<string, unknown>> | undefined)?.[second];
  return typeof value === "string" ? value : "";
}
