import type { HpaStatus, MetricStatus, MetricValueStatus } from "../hpa";
import { QuantityError, canonicalQuantity, parseQuantity } from "../quantity";

/** A controller writes memory as BinarySI, "268000000"; the API server reads DecimalSI, and serves "268M". */
export function servedStatus(status: HpaStatus): HpaStatus {
  const { currentMetrics } = status;
  return currentMetrics ? { ...status, currentMetrics: currentMetrics.map(servedMetric) } : status;
}

function servedMetric(metric: MetricStatus): MetricStatus {
  const { object, pods, resource, containerResource, external } = metric;
  return {
    ...metric,
    ...(object && { object: withServed(object) }),
    ...(pods && { pods: withServed(pods) }),
    ...(resource && { resource: withServed(resource) }),
    ...(containerResource && { containerResource: withServed(containerResource) }),
    ...(external && { external: withServed(external) }),
  };
}

function withServed<Source extends { readonly current: MetricValueStatus }>(source: Source): Source {
  const { value, averageValue } = source.current;
  return {
    ...source,
    current: {
      ...source.current,
      ...(value !== undefined && { value: servedQuantity(value) }),
      ...(averageValue !== undefined && { averageValue: servedQuantity(averageValue) }),
    },
  };
}

/** States may be edited by hand. */
function servedQuantity(text: string): string {
  try {
    return canonicalQuantity(parseQuantity(text));
  } catch (error) {
    if (error instanceof QuantityError) return text;
    throw error;
  }
}
