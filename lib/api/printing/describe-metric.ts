import { goQuote } from "../go-quote";
import type { MetricSpec, MetricStatus, MetricTarget, MetricValueStatus } from "../hpa";
import { averageOf, percent, quantityText, targetPercent, valueOf } from "./format-targets";

/** One line under `Metrics:`, its two cells separated by a tab. Upstream: describeHorizontalPodAutoscalerV2 of kubectl. */
export function describeMetric(metric: MetricSpec, status: MetricStatus | undefined): string {
  const { type, external, object, pods, resource, containerResource } = metric;
  if (type === "External" && external) {
    const current = status?.external?.current;
    const average = external.target.averageValue === undefined ? undefined : (current?.averageValue ?? "<unknown>");
    return `${goQuote(external.metric.name)} ${total(external.target, current, average)}`;
  }
  if (type === "Object" && object) {
    const { kind, name } = object.describedObject;
    const current = status?.object?.current;
    const average = object.target.type === "AverageValue" ? averageOf(current) : undefined;
    return `"${object.metric.name}" on ${kind}/${name} ${total(object.target, current, average)}`;
  }
  if (type === "Pods" && pods) {
    const current = averageOf(status?.pods?.current);
    return `${goQuote(pods.metric.name)} on pods:\t${current} / ${quantityText(pods.target.averageValue)}`;
  }
  if (type === "Resource" && resource) {
    return `resource ${resource.name} on pods${ofPods(resource.target, status?.resource?.current)}`;
  }
  if (type === "ContainerResource" && containerResource) {
    const { name, container, target } = containerResource;
    return `resource ${name} of container "${container}" on pods${ofPods(target, status?.containerResource?.current)}`;
  }
  return `<unknown metric type ${goQuote(type)}>`;
}

/** `average` is the current average in print, for a target that is one. */
function total(target: MetricTarget, current: MetricValueStatus | undefined, average: string | undefined): string {
  return average === undefined
    ? `(target value):\t${valueOf(current)} / ${quantityText(target.value)}`
    : `(target average value):\t${average} / ${quantityText(target.averageValue)}`;
}

function ofPods(target: MetricTarget, current: MetricValueStatus | undefined): string {
  if (target.averageValue !== undefined) return `:\t${averageOf(current)} / ${quantityText(target.averageValue)}`;
  const utilization = percent(current?.averageUtilization);
  const shown = utilization === undefined ? "<unknown>" : `${utilization} (${quantityText(current?.averageValue)})`;
  return `  (as a percentage of request):\t${shown} / ${targetPercent(target)}`;
}
