import type { MetricSpec, MetricStatus, MetricTarget, MetricValueStatus } from "../hpa";

const SHOWN = 2;

/** The TARGETS column: current/target of the first two metrics. Upstream: formatHPAMetrics, pkg/printers/internalversion. */
export function formatTargets(metrics: readonly MetricSpec[], statuses: readonly MetricStatus[]): string {
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

/** What a status slot says, or that there is none. A slot without the value is Go's nil. */
export function averageOf(current: MetricValueStatus | undefined): string {
  return current === undefined ? "<unknown>" : quantityText(current.averageValue);
}

export function valueOf(current: MetricValueStatus | undefined): string {
  return current === undefined ? "<unknown>" : quantityText(current.value);
}

export function quantityText(quantity: string | number | undefined): string {
  return quantity === undefined ? "<nil>" : String(quantity);
}
