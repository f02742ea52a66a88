import { parseSelector, type Selector, SelectorError } from "../../lib/k8s/selector";
import { findObjects, type Listing } from "../../lib/read/find";
import { type ResourceName, resourceNames, type ResourceType, type Scope } from "../../lib/read/found";
import type { EntryKind } from "../../lib/model/entry/kinds";
import { failure, serverFailure } from "../failure";
import type { Session } from "../session";
import { fieldSelector } from "./field-selector";
import type { ResourceQuery } from "./parse-targets";

/** How a verb narrows down what it is about, besides names. */
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

/** The objects that a query selects, as they are now. @throws Failure, in kubectl's words, for a contradictory query */
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
    return { resource, clusters: [cluster], ...(namespace !== undefined && { namespace }), ...(names && { names }) };
  }
  const { namespaced } = resourceNames[resource.name];
  if (names !== undefined && allNamespaces && namespaced)
    throw failure("a resource cannot be retrieved by name across all namespaces");
  return {
    resource,
    clusters: await clustersOf(session, resource),
    ...(namespaced && !allNamespaces && { namespace: session.settings.namespace }),
    ...(names !== undefined && { names }),
  };
}

/** Clusters themselves are in no cluster. */
async function clustersOf(session: Session, { name }: ResourceType): Promise<readonly string[]> {
  if (name !== "clusters") return await session.clusters();
  return (await session.store.clusters(session.signal)).map(({ key }) => key);
}

/** One line for each name that no object has. */
export function notFoundText({ scope, missing }: Listing): readonly string[] {
  const { plural } = resourceNames[scope.resource.name];
  return missing.map((name) => serverFailure("NotFound", `${plural} "${name}" not found`).message);
}

/** @throws Failure, in the API server's words, for a text that is no selector */
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
