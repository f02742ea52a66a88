import type {
  HorizontalPodAutoscaler,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from "../../../lib/k8s/hpa";
import { alignColumns } from "./columns";
import { escapeLine } from "../../../lib/k8s/escape-terminal";
import { ageOf } from "../../../lib/k8s/human-duration";

const SHOWN = 2;

/** TARGETS: current/target of the first two metrics. Upstream: formatHPAMetrics, pkg/printers/internalversion. */
function formatTargets(metrics: readonly MetricSpec[], statuses: readonly MetricStatus[]): string {
  if (metrics.length === 0) return "<none>";
  const shown = metrics.slice(0, SHOWN).map((metric, index) => formatMetric(metric, statuses[index]));
  const hidden = metrics.length - shown.length;
  return shown.join(", ") + (hidden > 0 ? ` + ${hidden} more...` : "");
}

function formatMetric(metric: MetricSpec, status: MetricStatus | undefined): string {
  const { type, external, object, pods, resource, containerResource } = metric;
  if (type === "External" && external) return formatTotal(external.target, status?.external?.current);
  if (type === "Object" && object) return formatTotal(object.target, status?.object?.current);
  if (type === "Pods" && pods) {
    return `${averageOf(status?.pods?.current)}/${quantityText(pods.target.averageValue)}`;
  }
  if (type === "Resource" && resource) return formatResource(resource, status?.resource?.current);
  if (type === "ContainerResource" && containerResource) {
    return formatResource(containerResource, status?.containerResource?.current);
  }
  return "<unknown type>";
}

function formatTotal(target: MetricTarget, current: MetricValueStatus | undefined): string {
  if (target.averageValue !== undefined) {
    return `${current?.averageValue ?? "<unknown>"}/${quantityText(target.averageValue)} (avg)`;
  }
  return `${valueOf(current)}/${quantityText(target.value)}`;
}

function formatResource(
  { name, target }: { readonly name: string; readonly target: MetricTarget },
  current: MetricValueStatus | undefined,
): string {
  if (target.averageValue !== undefined) {
    return `${name}: ${averageOf(current)}/${quantityText(target.averageValue)}`;
  }
  return `${name}: ${percent(current?.averageUtilization) ?? "<unknown>"}/${targetPercent(target)}`;
}

export function targetPercent({ averageUtilization }: MetricTarget): string {
  return percent(averageUtilization) ?? "<auto>";
}

export function percent(utilization: number | undefined): string | undefined {
  return utilization === undefined ? undefined : `${utilization}%`;
}

/** "<unknown>" without a status. A status without the value prints Go's nil. */
export function averageOf(current: MetricValueStatus | undefined): string {
  return current === undefined ? "<unknown>" : quantityText(current.averageValue);
}

export function valueOf(current: MetricValueStatus | undefined): string {
  return current === undefined ? "<unknown>" : quantityText(current.value);
}

export function quantityText(quantity: string | number | undefined): string {
  return quantity === undefined ? "<nil>" : String(quantity);
}

export const getColumns: readonly string[] = ["NAME", "REFERENCE", "TARGETS", "MINPODS", "MAXPODS", "REPLICAS", "AGE"];

export function getRow({ metadata, spec, status }: HorizontalPodAutoscaler, now: number): readonly string[] {
  return [
    metadata.name,
    `${spec.scaleTargetRef.kind}/${spec.scaleTargetRef.name}`,
    formatTargets(spec.metrics ?? [], status?.currentMetrics ?? []),
    spec.minReplicas === undefined ? "<unset>" : String(spec.minReplicas),
    String(spec.maxReplicas),
    String(status?.currentReplicas ?? 0),
    ageOf(metadata.creationTimestamp, now),
  ];
}

/** In kubectl's layout: a cell of several lines is cut after its first. */
export function formatTable(
  columns: readonly string[] | undefined,
  rows: readonly (readonly string[])[],
  align = alignColumns,
): string {
  const lines = (columns === undefined ? rows : [columns, ...rows]).map(
    (cells) => `${cells.map(oneLine).join("\t")}\n`,
  );
  return align(lines.join(""), { minWidth: 6, padding: 3 });
}

function oneLine(cell: string): string {
  const end = cell.search(/[\f\n\r]/);
  return escapeLine(end === -1 ? cell : `${cell.slice(0, end)}...`);
}
