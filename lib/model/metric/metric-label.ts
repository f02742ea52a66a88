import type { MetricIdentifier, MetricSpec, MetricTarget } from "../../k8s/hpa";
import { SelectorError, formatSelector, selectorFrom } from "../../k8s/selector";

/** "cpu", "cpu of container app", "hits of Ingress/main", "sqs(queue=orders)" */
export function metricLabel({ type, resource, containerResource, pods, object, external }: MetricSpec): string {
  if (resource !== undefined) return resource.name;
  if (containerResource !== undefined) return `${containerResource.name} of container ${containerResource.container}`;
  if (pods !== undefined) return `${nameOfMetric(pods.metric)} of each pod`;
  if (object !== undefined) {
    return `${nameOfMetric(object.metric)} of ${object.describedObject.kind}/${object.describedObject.name}`;
  }
  return external === undefined ? type : nameOfMetric(external.metric);
}

export function nameOfMetric({ name, selector }: MetricIdentifier): string {
  if (selector === undefined) return name;
  try {
    const text = formatSelector(selectorFrom(selector));
    return text === "" ? name : `${name}(${text})`;
  } catch (error) {
    // A source's parameters need not be valid labels: a queue's URL is not.
    if (!(error instanceof SelectorError)) throw error;
    return `${name}(${Object.entries(selector.matchLabels ?? {})
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([label, value]) => `${label}=${value}`)
      .join(",")})`;
  }
}

/** Undefined: unknown type. */
export function metricName(metric: MetricSpec): string | undefined {
  const { resource, containerResource, pods, object, external } = metric;
  return resource?.name ?? containerResource?.name ?? (pods ?? object ?? external)?.metric.name;
}

/** Undefined: unknown type. */
export function metricTarget(metric: MetricSpec): MetricTarget | undefined {
  const { resource, containerResource, pods, object, external } = metric;
  return (resource ?? containerResource ?? pods ?? object ?? external)?.target;
}
