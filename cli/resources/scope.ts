import { failure } from "../failure";
import type { Session } from "../session";
import { type Resource, resourceNames } from "./resource";

/** Where to look for objects of a resource. */
export interface Scope {
  readonly resource: Resource;
  /** The chosen cluster, or all. */
  readonly clusters: readonly string[];
  /** Absent: all namespaces. */
  readonly namespace?: string;
  readonly names?: readonly string[];
}

/** A cluster that is chosen need not have an entry: its HPAs can stand there all the same. */
async function clustersOf({ settings, store, signal }: Session, { name }: Resource): Promise<readonly string[]> {
  if (settings.cluster !== undefined && name !== "clusters") return [settings.cluster];
  return (await store.clusters(signal)).map(({ key }) => key);
}

export interface Asked {
  readonly resource: Resource;
  readonly names?: readonly string[];
  readonly allNamespaces: boolean;
}

/** @throws Failure, in kubectl's words, for names across namespaces. */
export async function scopeOf(session: Session, { resource, names, allNamespaces }: Asked): Promise<Scope> {
  const inNamespace = resourceNames[resource.name].namespaced;
  if (names !== undefined && allNamespaces && inNamespace)
    throw failure("a resource cannot be retrieved by name across all namespaces", 2);
  return {
    resource,
    clusters: await clustersOf(session, resource),
    ...(inNamespace && !allNamespaces && { namespace: session.settings.namespace }),
    ...(names !== undefined && { names }),
  };
}
