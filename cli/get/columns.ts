import { eventColumns, wideEventColumns } from "../../lib/api/printing/event-row";
import { getColumns } from "../../lib/api/printing/get-row";
import type { Found } from "../resources/found";
import { type ResourceName, resourceNames } from "../resources/resource";
import type { Scope } from "../resources/scope";

/** How a table is to look. */
export interface TableStyle {
  readonly wide: boolean;
  readonly headers: boolean;
  readonly showLabels: boolean;
  /** Labels that have a column of their own. */
  readonly labelColumns: readonly string[];
  /** Names with their type, as kubectl prints them when several types were asked for. */
  readonly typedNames: boolean;
}

const columns: Readonly<Record<ResourceName, readonly string[]>> = {
  clusters: ["NAME", "ENDPOINT", "AUTH", "HPAS", "AGE"],
  hpa: getColumns,
  sources: ["NAME", "KIND", "AGE"],
  events: eventColumns,
};

/** CLUSTER when objects of several can come; NAMESPACE when those of several can. */
export function headerOf({ resource, clusters, namespace }: Scope, style: TableStyle): readonly string[] {
  return [
    ...(hasCluster(resource.name, clusters) ? ["CLUSTER"] : []),
    ...(resourceNames[resource.name].namespaced && namespace === undefined ? ["NAMESPACE"] : []),
    ...(style.wide && resource.name === "events" ? wideEventColumns : columns[resource.name]),
    ...style.labelColumns.map((label) => label.slice(label.lastIndexOf("/") + 1).toUpperCase()),
    ...(style.showLabels ? ["LABELS"] : []),
  ];
}

/** The cells of an object, one for each column. */
export function cellsOf(found: Found, { resource, clusters, namespace }: Scope, style: TableStyle): readonly string[] {
  const { name, singular, namespaced } = { name: resource.name, ...resourceNames[resource.name] };
  const [first = "", ...rest] = style.wide ? (found.wideRow ?? found.row) : found.row;
  return [
    ...(hasCluster(name, clusters) ? [found.cluster] : []),
    ...(namespaced && namespace === undefined ? [found.namespace ?? ""] : []),
    style.typedNames && name !== "events" ? `${singular}/${first}` : first,
    ...rest,
    ...style.labelColumns.map((label) => found.labels[label] ?? ""),
    ...(style.showLabels ? [labelsText(found.labels)] : []),
  ];
}

function hasCluster(name: ResourceName, clusters: readonly string[]): boolean {
  return name !== "clusters" && clusters.length > 1;
}

function labelsText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .sort();
  return pairs.length === 0 ? "<none>" : pairs.join(",");
}
