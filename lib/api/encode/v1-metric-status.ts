import type { MetricStatus, MetricValueStatus } from "../hpa";
import { quantityOrZero, reference, selector } from "./v1-parts";

/**
 * A metric's status as an entry of the current-metrics annotation, fields in Go's order.
 * Upstream: Convert_autoscaling_MetricStatus_To_v1_MetricStatus, pkg/apis/autoscaling/v1.
 */
export function v1MetricStatus({ type, object, pods, resource, containerResource, external }: MetricStatus): object {
  return {
    type,
    object: object && {
      target: reference(object.describedObject),
      metricName: object.metric.name,
      currentValue: quantityOrZero(object.current.value),
      selector: selector(object.metric.selector),
      averageValue: object.current.averageValue,
    },
    pods: pods && {
      metricName: pods.metric.name,
      currentAverageValue: quantityOrZero(pods.current.averageValue),
      selector: selector(pods.metric.selector),
    },
    resource: resource && currentResource(resource.name, resource.current),
    containerResource: containerResource && {
      ...currentResource(containerResource.name, containerResource.current),
      container: containerResource.container,
    },
    external: external && {
      metricName: external.metric.name,
      metricSelector: selector(external.metric.selector),
      currentValue: quantityOrZero(external.current.value),
      currentAverageValue: external.current.averageValue,
    },
  };
}

function currentResource(name: string, { averageUtilization, averageValue }: MetricValueStatus): object {
  return { name, currentAverageUtilization: averageUtilization, currentAverageValue: quantityOrZero(averageValue) };
}
