import type { CrossVersionObjectReference, MetricStatus, MetricValueStatus } from "../hpa";
import type { LabelSelector } from "../objects";
import { quantity } from "./decoder";
import { labelSelector, reference } from "./decode-v2";
import { type Decoder, int32, isAbsent, object, optional, string } from "./decoder";

/** MetricStatus of autoscaling/v2beta1, and of v1's current-metrics annotation. */
interface V1MetricStatus {
  readonly type: string;
  readonly object?: V1ObjectStatus;
  readonly pods?: V1PodsStatus;
  readonly resource?: V1ResourceStatus;
  readonly containerResource?: V1ContainerStatus;
  readonly external?: V1ExternalStatus;
}

interface V1ObjectStatus {
  readonly target: CrossVersionObjectReference;
  readonly metricName: string;
  readonly currentValue: string;
  readonly selector?: LabelSelector;
  readonly averageValue?: string;
}

interface V1PodsStatus {
  readonly metricName: string;
  readonly currentAverageValue: string;
  readonly selector?: LabelSelector;
}

interface V1ResourceStatus {
  readonly name: string;
  readonly currentAverageUtilization?: number;
  readonly currentAverageValue: string;
}

interface V1ContainerStatus extends V1ResourceStatus {
  readonly container: string;
}

interface V1ExternalStatus {
  readonly metricName: string;
  readonly metricSelector?: LabelSelector;
  readonly currentValue: string;
  readonly currentAverageValue?: string;
}

const quantityText: Decoder<string> = (value, place) => String(quantity(value, place));

/** A quantity that Go holds by value: absent is zero. */
const quantityOrZero: Decoder<string> = (value, place) => (isAbsent(value) ? "0" : quantityText(value, place));

const resourceFields = {
  name: string,
  currentAverageUtilization: optional(int32),
  currentAverageValue: quantityOrZero,
};

const decode = object<V1MetricStatus>({
  type: string,
  object: optional(
    object<V1ObjectStatus>({
      target: reference,
      metricName: string,
      currentValue: quantityOrZero,
      selector: optional(labelSelector),
      averageValue: optional(quantityText),
    }),
  ),
  pods: optional(
    object<V1PodsStatus>({
      metricName: string,
      currentAverageValue: quantityOrZero,
      selector: optional(labelSelector),
    }),
  ),
  resource: optional(object<V1ResourceStatus>(resourceFields)),
  containerResource: optional(object<V1ContainerStatus>({ ...resourceFields, container: string })),
  external: optional(
    object<V1ExternalStatus>({
      metricName: string,
      metricSelector: optional(labelSelector),
      currentValue: quantityOrZero,
      currentAverageValue: optional(quantityText),
    }),
  ),
});

/** Reads a v1 status as the same status in v2. */
export const decodeV1MetricStatus: Decoder<MetricStatus> = (value, place) => {
  const { type, object, pods, resource, containerResource, external } = decode(value, place);
  return {
    type,
    ...(object && {
      object: {
        metric: identifier(object.metricName, object.selector),
        current: { value: object.currentValue, ...average(object.averageValue) },
        describedObject: object.target,
      },
    }),
    ...(pods && {
      pods: { metric: identifier(pods.metricName, pods.selector), current: average(pods.currentAverageValue) },
    }),
    ...(resource && { resource: { name: resource.name, current: ofResource(resource) } }),
    ...(containerResource && {
      containerResource: {
        name: containerResource.name,
        container: containerResource.container,
        current: ofResource(containerResource),
      },
    }),
    ...(external && {
      external: {
        metric: identifier(external.metricName, external.metricSelector),
        current: { value: external.currentValue, ...average(external.currentAverageValue) },
      },
    }),
  };
};

function ofResource({ currentAverageUtilization, currentAverageValue }: V1ResourceStatus): MetricValueStatus {
  return {
    ...average(currentAverageValue),
    ...(currentAverageUtilization === undefined ? {} : { averageUtilization: currentAverageUtilization }),
  };
}

function average(averageValue: string | undefined): MetricValueStatus {
  return averageValue === undefined ? {} : { averageValue };
}

function identifier(name: string, selector: LabelSelector | undefined) {
  return { name, ...(selector === undefined ? {} : { selector }) };
}
