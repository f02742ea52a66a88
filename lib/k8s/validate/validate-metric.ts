import type { MetricIdentifier, MetricSpec, MetricTarget, Quantity } from "../hpa";
import { containerResourceNameErrors, labelErrors, pathSegmentErrors } from "../names";
import { parseQuantity, signOf } from "../quantity";
import { type FieldError, forbidden, invalid, invalidName, required, unsupported } from "./field-error";
import { type VersionRule, validateReference } from "./validate-reference";

/** Upstream: validateMetricTarget. */
function validateTarget(field: string, target: MetricTarget): FieldError[] {
  const { type, averageUtilization } = target;
  return [
    ...(type === "" ? [required(`${field}.type`, "must specify a metric target type")] : []),
    ...(type === "Utilization" || type === "Value" || type === "AverageValue"
      ? []
      : [invalidName(`${field}.type`, type, "must be either Utilization, Value, or AverageValue")]),
    ...positiveErrors(`${field}.value`, target.value),
    ...positiveErrors(`${field}.averageValue`, target.averageValue),
    ...(averageUtilization !== undefined && averageUtilization < 1
      ? [invalid(`${field}.averageUtilization`, averageUtilization, "must be greater than 0")]
      : []),
  ];
}

function positiveErrors(field: string, quantity: Quantity | undefined): FieldError[] {
  if (quantity === undefined || signOf(parseQuantity(quantity)) === 1) return [];
  return [invalid(field, String(quantity), "must be positive")];
}

const types = ["ContainerResource", "External", "Object", "Pods", "Resource"];

/** In upstream's order: only the first is validated. */
const sources = ["object", "external", "pods", "resource", "containerResource"] as const;
type Source = (typeof sources)[number];

const sourceOfType: ReadonlyMap<string, Source> = new Map([
  ["Object", "object"],
  ["External", "external"],
  ["Pods", "pods"],
  ["Resource", "resource"],
  ["ContainerResource", "containerResource"],
]);

/** Upstream: validateMetricSpec. */
export function validateMetric(field: string, metric: MetricSpec, describedObjects: VersionRule): FieldError[] {
  const expected = sourceOfType.get(metric.type);
  const present = sources.filter((source) => metric[source] !== undefined);
  return [
    ...(metric.type === "" ? [required(`${field}.type`, "must specify a metric source type")] : []),
    ...(expected === undefined ? [unsupported(`${field}.type`, metric.type, types)] : []),
    ...present
      .slice(0, 1)
      .flatMap((source) => validateSource(`${field}.${source}`, source, { ...metric, describedObjects })),
    ...(expected !== undefined && !present.includes(expected)
      ? [required(`${field}.${expected}`, "must populate information for the given metric source")]
      : []),
    ...(present.length > 1 ? present.filter((source) => source !== expected) : []).map((source) =>
      forbidden(`${field}.${source}`, "must populate the given metric source only"),
    ),
  ];
}

interface Checking extends MetricSpec {
  readonly describedObjects: VersionRule;
}

function validateSource(field: string, source: Source, metric: Checking): FieldError[] {
  const { object, external, pods, resource, containerResource, describedObjects } = metric;
  if (source === "object" && object !== undefined) {
    return [
      ...validateReference(`${field}.describedObject`, object.describedObject, describedObjects),
      ...nameAndTargetErrors(field, object),
      ...neitherErrors(`${field}.target`, object.target, "must set either a target value or averageValue"),
    ];
  }
  if (source === "external" && external !== undefined) {
    return [
      ...nameAndTargetErrors(field, external),
      ...neitherErrors(
        `${field}.target`,
        external.target,
        "must set either a target value for metric or a per-pod target",
      ),
      ...bothValuesErrors(`${field}.target`, external.target),
    ];
  }
  if (source === "pods" && pods !== undefined) {
    return [
      ...nameAndTargetErrors(field, pods),
      ...(pods.target.averageValue === undefined
        ? [required(`${field}.target.averageValue`, "must specify a positive target averageValue")]
        : []),
    ];
  }
  if (source === "resource" && resource !== undefined) {
    return [
      ...(resource.name === "" ? [required(`${field}.name`, "must specify a resource name")] : []),
      ...resourceTargetErrors(`${field}.target`, resource.target),
    ];
  }
  return containerResource === undefined ? [] : containerResourceErrors(field, containerResource);
}

function containerResourceErrors(field: string, source: NonNullable<MetricSpec["containerResource"]>): FieldError[] {
  const { name, container, target } = source;
  return [
    ...(name === ""
      ? [required(`${field}.name`, "must specify a resource name")]
      : containerResourceNameErrors(`${field}.name`, name)),
    ...(container === ""
      ? [required(`${field}.container`, "must specify a container")]
      : labelErrors(`${field}.container`, container)),
    ...resourceTargetErrors(`${field}.target`, target),
  ];
}

function nameAndTargetErrors(
  field: string,
  { metric, target }: { readonly metric: MetricIdentifier; readonly target: MetricTarget },
): FieldError[] {
  return [
    ...(metric.name === ""
      ? [required(`${field}.metric.name`, "must specify a metric name")]
      : pathSegmentErrors(`${field}.metric.name`, metric.name)),
    ...validateTarget(`${field}.target`, target),
  ];
}

function neitherErrors(field: string, { value, averageValue }: MetricTarget, text: string): FieldError[] {
  return value === undefined && averageValue === undefined ? [required(`${field}.averageValue`, text)] : [];
}

function bothValuesErrors(field: string, { value, averageValue }: MetricTarget): FieldError[] {
  if (value === undefined || averageValue === undefined) return [];
  return [forbidden(`${field}.value`, "may not set both a target value for metric and a per-pod target")];
}

function resourceTargetErrors(field: string, target: MetricTarget): FieldError[] {
  const { averageUtilization, averageValue } = target;
  const errors = validateTarget(field, target);
  if (averageUtilization === undefined && averageValue === undefined) {
    errors.push(required(`${field}.averageUtilization`, "must set either a target raw value or a target utilization"));
  }
  if (averageUtilization !== undefined && averageValue !== undefined) {
    errors.push(forbidden(`${field}.averageValue`, "may not set both a target raw value and a target utilization"));
  }
  return errors;
}
