import type {
  Behavior,
  CrossVersionObjectReference,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
  Quantity,
  ScalingRules,
} from "../hpa";
import type { LabelSelector } from "../objects";

/** The parts that metrics and their statuses share. Fields are in the order of Go's structs. */

export function v1Reference({ kind, name, apiVersion }: CrossVersionObjectReference): CrossVersionObjectReference {
  return { kind, name, ...(apiVersion === undefined || apiVersion === "" ? {} : { apiVersion }) };
}

/** JSON.stringify leaves out undefined fields, as Go leaves out nil. */
export function selector(given: LabelSelector | undefined): object | undefined {
  if (given === undefined) return undefined;
  const { matchLabels = {}, matchExpressions = [] } = given;
  return {
    matchLabels: Object.keys(matchLabels).length === 0 ? undefined : sorted(matchLabels),
    matchExpressions:
      matchExpressions.length === 0
        ? undefined
        : matchExpressions.map(({ key, operator, values = [] }) => ({
            key,
            operator,
            values: values.length === 0 ? undefined : values,
          })),
  };
}

/** A quantity that v1 cannot leave out: absent is zero. */
export function quantityOrZero(quantity: Quantity | undefined): string {
  return String(quantity ?? "0");
}

function canonicalText(quantity: Quantity | undefined): string | undefined {
  return quantity === undefined ? undefined : String(quantity);
}

export function sorted(map: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** An object of the fields that are set, in this order. */
export function withoutUndefined<T extends object>(fields: { readonly [Name in keyof T]-?: T[Name] | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

/**
 * The behavior annotation. Upstream marshals a type without JSON names there, so it has Go's field names, and null for
 * unset fields.
 */
export function v1Behavior({ scaleUp, scaleDown }: Behavior): object {
  return { ScaleUp: rules(scaleUp), ScaleDown: rules(scaleDown) };
}

function rules(given: ScalingRules | undefined): object | null {
  if (given === undefined) return null;
  const { stabilizationWindowSeconds, selectPolicy, policies, tolerance } = given;
  return {
    StabilizationWindowSeconds: stabilizationWindowSeconds ?? null,
    SelectPolicy: selectPolicy ?? null,
    Policies:
      policies?.map(({ type, value, periodSeconds }) => ({ Type: type, Value: value, PeriodSeconds: periodSeconds })) ??
      null,
    Tolerance: canonicalText(tolerance) ?? null,
  };
}

/**
 * A metric as an entry of the metrics annotation, with fields in Go's order. The target has no type: the field that is
 * set decides.
 * Upstream: Convert_autoscaling_MetricSpec_To_v1_MetricSpec, pkg/apis/autoscaling/v1.
 */
export function v1MetricSpec({ type, object, pods, resource, containerResource, external }: MetricSpec): object {
  return {
    type,
    object: object && {
      target: v1Reference(object.describedObject),
      metricName: object.metric.name,
      targetValue: quantityOrZero(object.target.value),
      selector: selector(object.metric.selector),
      averageValue: canonicalText(object.target.averageValue),
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
      targetValue: canonicalText(external.target.value),
      targetAverageValue: canonicalText(external.target.averageValue),
    },
  };
}

function resourceTarget(name: string, { averageUtilization, averageValue }: MetricTarget): object {
  return { name, targetAverageUtilization: averageUtilization, targetAverageValue: canonicalText(averageValue) };
}

/**
 * A metric's status as an entry of the current-metrics annotation, with fields in Go's order.
 * Upstream: Convert_autoscaling_MetricStatus_To_v1_MetricStatus, pkg/apis/autoscaling/v1.
 */
export function v1MetricStatus({ type, object, pods, resource, containerResource, external }: MetricStatus): object {
  return {
    type,
    object: object && {
      target: v1Reference(object.describedObject),
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
