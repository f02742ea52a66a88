import type { HpaStatus, MetricStatus, MetricValueStatus } from "../api/hpa";
import type { HpaEvent } from "../core/situation";
import type { State } from "../core/state";

/**
 * A state without what moves all the time and tells nobody anything by itself: how large a metric is (that it is known, and not zero, stays),
 * and what conditions and warnings say in numbers. Nothing of it decides: docs/decisions/0013.
 */
export function outline(state: State): State {
  const { warnings, status } = state;
  return { ...state, status: outlineStatus(status), ...(warnings && { warnings: warnings.map(outlineWarning) }) };
}

function outlineStatus(status: HpaStatus): HpaStatus {
  const { conditions, currentMetrics } = status;
  return {
    ...status,
    ...(conditions && { conditions: conditions.map(({ message: _, ...condition }) => condition) }),
    ...(currentMetrics && { currentMetrics: currentMetrics.map(outlineMetric) }),
  };
}

function outlineMetric(metric: MetricStatus): MetricStatus {
  const { object, pods, resource, containerResource, external, type } = metric;
  return {
    type,
    ...(object && { object: { ...object, current: outlineValue(object.current) } }),
    ...(pods && { pods: { ...pods, current: outlineValue(pods.current) } }),
    ...(resource && { resource: { ...resource, current: outlineValue(resource.current) } }),
    ...(containerResource && {
      containerResource: { ...containerResource, current: outlineValue(containerResource.current) },
    }),
    ...(external && { external: { ...external, current: outlineValue(external.current) } }),
  };
}

/** Any value but none stands for all of its kind. */
function outlineValue({ value, averageValue, averageUtilization }: MetricValueStatus): MetricValueStatus {
  return {
    ...(value !== undefined && { value: outlineQuantity(value) }),
    ...(averageValue !== undefined && { averageValue: outlineQuantity(averageValue) }),
    ...(averageUtilization !== undefined && { averageUtilization: averageUtilization === 0 ? 0 : 1 }),
  };
}

/** Status has quantities in canonical form, in which zero has no unit. */
function outlineQuantity(quantity: string): string {
  return quantity === "0" ? "0" : "1";
}

/** What a warning says apart from its numbers ("no datapoint since 12:03:15"). */
export function outlineWarning({ message, ...event }: HpaEvent): HpaEvent {
  return { ...event, message: message.replace(/\d+(?:[.:]\d+)*/g, "#") };
}
