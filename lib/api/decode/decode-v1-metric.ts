import type { CrossVersionObjectReference, MetricIdentifier, MetricSpec, MetricTarget, Quantity } from "../hpa";
import type { LabelSelector } from "../meta";
import { parseQuantity, signOf } from "../quantity";
import { quantity } from "./decode-quantity";
import { labelSelector, reference } from "./decode-spec";
import { type Decoder, int32, isAbsent, object, optional, string } from "./decoder";

/** autoscaling/v1 MetricSpec, the form inside the metrics annotation. There a target has no type: which field is set tells it. */

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

const decodeV1 = object<V1Metric>(
  {
    type: string,
    object: optional(
      object<V1Object>(
        {
          target: reference,
          metricName: string,
          targetValue: quantityOrZero,
          selector: optional(labelSelector),
          averageValue: optional(quantity),
        },
        "ignored",
      ),
    ),
    pods: optional(
      object<V1Pods>(
        { metricName: string, targetAverageValue: quantityOrZero, selector: optional(labelSelector) },
        "ignored",
      ),
    ),
    resource: optional(object<V1Resource>(resourceFields, "ignored")),
    containerResource: optional(
      object<V1Resource & { readonly container: string }>({ ...resourceFields, container: string }, "ignored"),
    ),
    external: optional(
      object<V1External>(
        {
          metricName: string,
          metricSelector: optional(labelSelector),
          targetValue: optional(quantity),
          targetAverageValue: optional(quantity),
        },
        "ignored",
      ),
    ),
  },
  "ignored",
);

/** Reads a v1 metric as the v2 metric that it stands for. */
export const v1Metric: Decoder<MetricSpec> = (value, place) => {
  const { type, object, pods, resource, containerResource, external } = decodeV1(value, place);
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
};

/** v1 cannot leave targetValue out; beside an averageValue, a zero there means that none was meant. */
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
