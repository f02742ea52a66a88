import type { HorizontalPodAutoscaler } from "../../../lib/k8s/hpa";
import { getColumns, getRow } from "../../shell/print/get-row";
import { ageOf, sinceText } from "../../../lib/k8s/human-duration";
import { eventColumns, eventRow, wideEventColumns, wideEventRow } from "../print-events";
import { type Found, type ResourceName, resourceNames, type Scope } from "../../../lib/read/found";
import type { EpochMs } from "../../../lib/k8s/time";
import { readersOf, type ObservedReading } from "../../../lib/read/source-readings";
import { isPaused, readOperations } from "../../../lib/model/entry/annotations";
import { columnWord } from "../../../lib/model/hpa-states";

export interface TableStyle {
  readonly wide: boolean;
  readonly headers: boolean;
  readonly showLabels: boolean;
  readonly labelColumns: readonly string[];
  /** kubectl adds the type when several types are listed. */
  readonly typedNames: boolean;
}

const columns: Readonly<Record<ResourceName, readonly string[]>> = {
  clusters: ["NAME", "ENDPOINT", "AUTH", "HPAS", "AGE"],
  hpa: getColumns,
  sources: ["NAME", "KIND", "VALUE", "READ", "HPAS", "AGE"],
  events: eventColumns,
};

export function headerOf({ resource, clusters, namespace }: Scope, style: TableStyle): readonly string[] {
  return [
    ...(hasCluster(resource.name, clusters) ? ["CLUSTER"] : []),
    ...(resourceNames[resource.name].namespaced && namespace === undefined ? ["NAMESPACE"] : []),
    ...(style.wide && resource.name === "events" ? wideEventColumns : columns[resource.name]),
    ...(style.wide && resource.name === "hpa" ? ["STATE"] : []),
    ...style.labelColumns.map((label) => label.slice(label.lastIndexOf("/") + 1).toUpperCase()),
    ...(style.showLabels ? ["LABELS"] : []),
  ];
}

export function cellsOf(found: Found, { resource, clusters, namespace }: Scope, style: TableStyle): readonly string[] {
  const { name, singular, namespaced } = { name: resource.name, ...resourceNames[resource.name] };
  const [first = "", ...rest] = rowOf(found, style.wide);
  return [
    ...(hasCluster(name, clusters) ? [found.cluster] : []),
    ...(namespaced && namespace === undefined ? [found.namespace ?? ""] : []),
    style.typedNames && name !== "events" ? `${singular}/${first}` : first,
    ...rest,
    ...(style.wide && found.type === "hpa"
      ? [("states" in found ? found.states : (["failing"] as const)).map(columnWord).join(",")]
      : []),
    ...style.labelColumns.map((label) => found.labels[label] ?? ""),
    ...(style.showLabels ? [labelsText(found.labels)] : []),
  ];
}

function rowOf(found: Found, wide: boolean): readonly string[] {
  const { name, readAt } = found;
  switch (found.type) {
    case "clusters":
      return [name, ...reachedBy(found.entry), String(found.hpas), ageOf(found.created, readAt)];
    case "hpa":
      if ("hpa" in found) return wide ? getRow(found.hpa, readAt) : plainRow(found.hpa, readAt);
      return [name, "<invalid>", shortened(found.invalid[0] ?? ""), "", "", "", ""];
    case "sources": {
      const { entry, readings, created } = found;
      const kind = "invalid" in entry ? `<invalid> ${entry.invalid}` : entry.value.spec.kind;
      const hpas = String(readersOf(readings));
      return [name, kind, ...lastRead(readings, { now: readAt, wide }), hpas, ageOf(created, readAt)];
    }
    case "events": {
      const listed = { ...found.event, object: `horizontalpodautoscaler/${found.hpa}` };
      return (wide ? wideEventRow : eventRow)(listed, readAt);
    }
  }
}

/**
 * Equals kubectl's, except for a pause or a dry run. A column for these would move those that scripts count from the
 * end.
 */
function plainRow(hpa: HorizontalPodAutoscaler, now: EpochMs): readonly string[] {
  const operation = operationOf(hpa, now);
  const row = getRow(hpa, now);
  return operation === undefined ? row : row.with(targetsColumn, `${operation} ${row[targetsColumn] ?? ""}`);
}

const targetsColumn = getColumns.indexOf("TARGETS");

const shownValues = 2;

/** VALUE and READ. A failure goes first, because people look for it. */
function lastRead(
  readings: readonly ObservedReading[],
  { now, wide }: { readonly now: EpochMs; readonly wide: boolean },
): readonly [string, string] {
  const [first] = readings;
  if (first === undefined) return ["<none>", "<none>"];
  const read = sinceText(first.readAt, now);
  if (first.error !== undefined) return [`<error> ${wide ? first.error : shortened(first.error)}`, read];
  const byMetric = new Map<string, string>();
  for (const { metric, value } of readings)
    if (value !== undefined && !byMetric.has(metric)) byMetric.set(metric, value);
  const values = [...new Set(byMetric.values())];
  if (values.length === 0) return ["<unknown>", read];
  const more = values.length - shownValues;
  return [values.slice(0, shownValues).join(", ") + (more > 0 ? ` + ${more} more...` : ""), read];
}

function reachedBy(entry: Extract<Found, { type: "clusters" }>["entry"]): readonly [string, string] {
  if ("invalid" in entry) return ["<invalid>", entry.invalid];
  const { endpoint = "<kubeconfig>", auth } = entry.value.spec;
  return [endpoint, auth.type];
}

function shortened(problem: string): string {
  return problem.length > 100 ? `${problem.slice(0, 100)}…` : problem;
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

/** `<paused>`; undefined if the HPA scales. */
export function operationOf({ metadata }: HorizontalPodAutoscaler, now: EpochMs): string | undefined {
  const operations = readOperations(metadata);
  if ("errors" in operations) return undefined;
  if (isPaused(operations, now)) return "<paused>";
  return operations.dryRun ? "<dry-run>" : undefined;
}
