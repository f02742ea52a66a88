import { storeOn } from "../../compose";
import { formatTable, getColumns } from "../../lib/k8s/printing/get-row";
import { eventColumns, wideEventColumns } from "../../lib/k8s/printing/print-events";
import type { Table } from "../../lib/table/reads";
import type { Output } from "../output";
import { findHpas } from "../resources/find-hpas";
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

const style: TableStyle = { wide: false, headers: true, showLabels: false, labelColumns: [], typedNames: false };

/** All HPAs of all namespaces at a glance, for whoever already holds the table. */
export async function printHpas(table: Table, out: Output): Promise<void> {
  const now = () => Date.now();
  const store = storeOn(table, { now });
  const signal = AbortSignal.timeout(30_000);
  const clusters = (await store.clusters(signal)).map(({ key }) => key);
  const scope = { resource: { name: "hpa" }, clusters } as const;
  const found = await findHpas({ store, signal, now, out }, scope);
  if (found.length === 0) out.note("No resources found");
  else
    out.write(
      formatTable(
        headerOf(scope, style),
        found.map((one) => cellsOf(one, scope, style)),
      ),
    );
}
