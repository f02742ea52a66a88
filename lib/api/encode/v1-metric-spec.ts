import type { MetricSpec, MetricTarget } from "../hpa";
import { quantityOrZero, quantityText, reference, selector } from "./v1-parts";

/**
 * A metric as an entry of the metrics annotation, fields in Go's order. A target's type is lost: which field is set tells it.
 * Upstream: Convert_autoscaling_MetricSpec_To_v1_MetricSpec, pkg/apis/autoscaling/v1.
 */
export function v1MetricSpec({ type, object, pods, resource, containerResource, external }: MetricSpec): object {
  return {
    type,
    object: object && {
      target: reference(object.describedObject),
      metricName: object.metric.name,
      targetValue: quantityOrZero(object.target.value),
      selector: selector(object.metric.selector),
      averageValue: quantityText(object.target.averageValue),
    },
    pods: pods && {
      metricName: pods.metric.name,
      targetAverageValue: quantityOrZero(pods.target.averageValue),
      selector: selector(pods.metric.selector),
    },
    resource: resource && resourceTarget(resource.name, resource.target),
    containerResource: containerResource && {
      ...resourceTarget(containerResource.name, containerResource.target),
      container: containerResource.container,
    },
    external: external && {
      metricName: external.metric.name,
      metricSelector: selector(external.metric.selector),
      targetValue: quantityText(external.target.value),
      targetAverageValue: quantityText(external.target.averageValue),
    },
  };
}

function resourceTarget(name: string, { averageUtilization, averageValue }: MetricTarget): object {
  return { name, targetAverageUtilization: averageUtilization, targetAverageValue: quantityText(averageValue) };
}
