import type { CrossVersionObjectReference, MetricIdentifier, MetricSpec, MetricTarget, Quantity } from "../hpa";
import type { LabelSelector } from "../objects";
import { parseQuantity, signOf } from "../quantity";
import { quantity } from "./decoder";
import { labelSelector, reference } from "./decode-v2";
import { type Decoder, int32, isAbsent, object, optional, string } from "./decoder";

/**
 * MetricSpec of autoscaling/v2beta1, and of v1's metrics annotation. Its target has no type: the field that is set
 * decides. v2alpha1 is v2beta1 before it had selectors, averages and External metrics.
 */

interface V1Metric {
  readonly type: string;
  readonly object?: V1Object;
  readonly pods?: V1Pods;
  readonly resource?: V1Resource;
  readonly containerResource?: V1Resource & { readonly container: string };
  readonly external?: V1External;
}

interface V1Object {
  readonly target: CrossVersionObjectReference;
  readonly metricName: string;
  readonly targetValue: Quantity;
  readonly selector?: LabelSelector;
  readonly averageValue?: Quantity;
}

interface V1Pods {
  readonly metricName: string;
  readonly targetAverageValue: Quantity;
  readonly selector?: LabelSelector;
}

interface V1Resource {
  readonly name: string;
  readonly targetAverageUtilization?: number;
  readonly targetAverageValue?: Quantity;
}

interface V1External {
  readonly metricName: string;
  readonly metricSelector?: LabelSelector;
  readonly targetValue?: Quantity;
  readonly targetAverageValue?: Quantity;
}

/** A quantity that Go holds by value: absent is zero. */
const quantityOrZero: Decoder<Quantity> = (value, place) => (isAbsent(value) ? "0" : quantity(value, place));

const resourceFields = {
  name: string,
  targetAverageUtilization: optional(int32),
  targetAverageValue: optional(quantity),
};

const decodeFields = object<V1Metric>({
  type: string,
  object: optional(
    object<V1Object>({
      target: reference,
      metricName: string,
      targetValue: quantityOrZero,
      selector: optional(labelSelector),
      averageValue: optional(quantity),
    }),
  ),
  pods: optional(
    object<V1Pods>({ metricName: string, targetAverageValue: quantityOrZero, selector: optional(labelSelector) }),
  ),
  resource: optional(object<V1Resource>(resourceFields)),
  containerResource: optional(
    object<V1Resource & { readonly container: string }>({ ...resourceFields, container: string }),
  ),
  external: optional(
    object<V1External>({
      metricName: string,
      metricSelector: optional(labelSelector),
      targetValue: optional(quantity),
      targetAverageValue: optional(quantity),
    }),
  ),
});

/** Reads a v1 metric as the same metric in v2. */
export const decodeV1Metric: Decoder<MetricSpec> = (value, place) => fromV1(decodeFields(value, place));

function fromV1({ type, object, pods, resource, containerResource, external }: V1Metric): MetricSpec {
  return {
    type,
    ...(object === undefined ? {} : { object: fromObject(object) }),
    ...(pods === undefined ? {} : { pods: fromPods(pods) }),
    ...(resource === undefined ? {} : { resource: { name: resource.name, target: resourceTarget(resource) } }),
    ...(containerResource === undefined
      ? {}
      : {
          containerResource: {
            name: containerResource.name,
            container: containerResource.container,
            target: resourceTarget(containerResource),
          },
        }),
    ...(external === undefined ? {} : { external: fromExternal(external) }),
  };
}

/** v1 cannot leave out targetValue. Beside an averageValue, a zero there means that it is not set. */
function fromObject({ target, metricName, targetValue, selector, averageValue }: V1Object) {
  const isAverage = averageValue !== undefined;
  const hasValue = !isAverage || signOf(parseQuantity(targetValue)) !== 0;
  return {
    describedObject: target,
    metric: identifier(metricName, selector),
    target: {
      type: isAverage ? "AverageValue" : "Value",
      ...(hasValue ? { value: targetValue } : {}),
      ...(isAverage ? { averageValue } : {}),
    },
  };
}

function fromPods({ metricName, targetAverageValue, selector }: V1Pods) {
  return {
    metric: identifier(metricName, selector),
    target: { type: "AverageValue", averageValue: targetAverageValue },
  };
}

function fromExternal({ metricName, metricSelector, targetValue, targetAverageValue }: V1External) {
  return {
    metric: identifier(metricName, metricSelector),
    target: {
      type: targetValue === undefined ? "AverageValue" : "Value",
      ...(targetValue === undefined ? {} : { value: targetValue }),
      ...(targetAverageValue === undefined ? {} : { averageValue: targetAverageValue }),
    },
  };
}

function resourceTarget({ targetAverageUtilization, targetAverageValue }: V1Resource): MetricTarget {
  return {
    type: targetAverageUtilization === undefined ? "AverageValue" : "Utilization",
    ...(targetAverageValue === undefined ? {} : { averageValue: targetAverageValue }),
    ...(targetAverageUtilization === undefined ? {} : { averageUtilization: targetAverageUtilization }),
  };
}

function identifier(name: string, selector: LabelSelector | undefined): MetricIdentifier {
  return { name, ...(selector === undefined ? {} : { selector }) };
}
